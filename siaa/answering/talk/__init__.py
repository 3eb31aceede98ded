"""Hold a conversation: what a question refers to, what is asked back, what is answered."""
