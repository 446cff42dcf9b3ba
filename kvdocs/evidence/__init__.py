"""Evidence: execute a script, describe where it ran, and keep what came out as a record that cannot be changed unseen.

Everything that `pack` ships (see `kvdocs.evidence.pack.SHIPPED`) imports the standard library alone
and runs on Python 3.9, so that the same code makes the record on a bare machine.
"""
