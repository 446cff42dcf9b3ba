"""Edits of record files: a change is planned whole, checked, and written all or nothing; what it does not touch keeps its bytes.

The parser's marks say which characters a value occupies, and only those are replaced.
A full round trip through ruamel.yaml is not used for the file as a whole, for two measured reasons:
it hangs a comment on the value before it, so that an entry added to a list lands below the comment of the next field,
and it writes six to eleven other lines of a thirty-line record anew.
ruamel.yaml writes the new values (it knows what has to be quoted), and the tests hold every edit against its round trip.
"""
