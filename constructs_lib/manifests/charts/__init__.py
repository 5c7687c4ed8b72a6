"""Charts: their arguments, the checks of a user's values, and how Argo CD, Flux or Helm installs them."""
