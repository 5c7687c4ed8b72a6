"""The observed cluster: the model of what files or a live cluster say, its readers, and the questions that are asked of
it, each once."""
