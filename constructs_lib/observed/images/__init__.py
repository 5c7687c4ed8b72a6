"""Images: who wants which image, in objects, charts and Talos."""
