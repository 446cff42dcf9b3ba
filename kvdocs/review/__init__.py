"""Two versions of a registry -> what changed between them, in words: for a reviewer, a pull request, another program."""
