"""The site: the pages of docs/ and the reference of every public name, as static pages with a search."""
