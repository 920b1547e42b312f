"""In this order: config, masks, embedding, norms, attention, layers, transformer.

The letters of shapes and the sources stand in `transformer_lib`. `check_arguments`
checks arguments by their names. `hook_point` and `step` let `record` see a tensor and do
nothing else; `cache_of` is None outside `caching`.
"""
