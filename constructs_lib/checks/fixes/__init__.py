"""Fixes: edits of files that remove a finding, and keep every other byte."""
