"""What changed when: commits of the registry -> changes of records, in words; as a list, a page and a feed."""
