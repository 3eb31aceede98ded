"""Be the process that answers, and how requests arrive in it."""

AGAIN = "--otra-vez"  # the process before it died: there is nothing to announce
