"""Make an answer of what was found: by quotation, or by a model, held to its passages."""
