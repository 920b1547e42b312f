"""In this order: config, masks, embedding, attention, layers, transformer."""
