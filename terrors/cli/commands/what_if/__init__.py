"""Commands that ask what a change would do: of one version against another, of every number, of one number, and which to make."""
