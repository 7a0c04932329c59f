"""`drift init`: a first configuration, from what a repository holds."""
