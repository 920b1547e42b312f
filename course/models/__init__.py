"""Small models, each built from the library's layers, with its training.

`costs` counts what a language model of any size costs.
"""
