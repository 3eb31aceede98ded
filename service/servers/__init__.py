"""The web servers that carry the application, and how requests arrive."""
