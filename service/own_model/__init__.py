"""Run a language model of our own beside the service: its weights, and the process that keeps it up."""
