"""Terraform's and OpenTofu's HCL: node configurations, chart releases and objects. Nothing is run, and nothing is fetched."""
