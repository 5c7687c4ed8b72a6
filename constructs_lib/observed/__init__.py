"""Facts: questions that rules ask of everything that was read, each answered once."""
