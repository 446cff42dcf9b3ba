"""Pictures: data -> SVG text that follows the page's colours, can be read without seeing it, and needs no script.

Nothing here reads a file of the project; a layout may run Graphviz and falls back without it.
"""
