"""The report of the doctor: for a terminal, as Markdown and as JSON."""
