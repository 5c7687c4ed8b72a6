"""Commands for developers of this repository; the package does not hold them."""
