"""Write the site into build/site: the pages of docs/, the reference of every public name, and the changelog.

The pages are those of the repository. Only their links change: a link to a file that is no page goes to the file, which lies beside the pages.
"""
