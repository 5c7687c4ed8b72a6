"""Symptoms: the words of a log, the cause, and the rules, alerts and pages that belong to them."""
