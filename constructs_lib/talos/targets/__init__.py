"""The tools that configure Talos: Omni, talhelper, Cluster API, Terraform."""
