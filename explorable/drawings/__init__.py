"""The kinds of drawing, a folder each.

In a folder stand its Python with its picture at rest, its JavaScript and its style.
Nothing lists the kinds: a drawing knows the folder that its class comes from.
"""
