"""Shorter ways through Python-Markdown, Material and its search, with the same output; only `kvdocs.site.cached_engine` takes them, for versions that were compared."""
