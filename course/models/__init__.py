"""Small models, each built from the library's layers, with its training.

A folder for each subject, as in the explorers; `whole_model` holds whole Transformers.
"""
