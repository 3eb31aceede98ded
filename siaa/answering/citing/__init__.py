"""Link the sentences of an answer to the words that hold them."""
