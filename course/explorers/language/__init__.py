"""Explorers of the three small language models: BERT, GPT and T5."""
