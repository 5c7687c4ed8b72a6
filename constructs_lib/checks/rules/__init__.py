"""The rules, by what they judge. A module has a tuple `RULES`; the ids are never given twice, and never to another rule again."""
