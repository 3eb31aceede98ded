"""The online half: HTTP in, cited answers out. It reads published generations and never the corpus."""
