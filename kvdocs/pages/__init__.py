"""Registry, order and problems -> pages; templates lay them out, nothing here writes."""
