"""Importers and exporters: one file a format, and `formats` lists them."""
