"""Rules about the configuration of Talos, its images and its versions."""
