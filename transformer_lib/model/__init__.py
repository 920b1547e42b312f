"""In this order: config, masks, embedding, norms, attention, layers, transformer.

`costs` counts what a model costs.
"""
