"""In this order: config, masks, embedding, norms, attention, layers, transformer."""
