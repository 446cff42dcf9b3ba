"""Figures: numbers with their rounding and uncertainty, formulas over them, claims, and statistics for few runs."""
