"""kvdocs keeps a project's record of defects, work and measurements, and computes what it says from executions."""

__version__ = "0.1.0"
