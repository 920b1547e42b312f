"""A row of words to be put in order: a control, its Python and what draws it."""

from .order_view import OrderView as OrderView
