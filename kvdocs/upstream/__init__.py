"""The host of repositories -> the state of references: asked with conditional requests, within its rate limit, compared with the record.

The client is `requests` (which Material for MkDocs needs anyway) with a few lines of its own, for reasons that were tried out in November 2026:
PyGithub 2.10 follows a moved repository without saying so, gives a 304 as an empty answer, takes a 307 for an answer, and brings a cryptography library;
githubkit 0.16.1 cannot be imported with the newest version of its cache that it allows, and brings 56 MB of generated models;
httpx does nothing here that requests does not, and would be one more dependency.
"""
