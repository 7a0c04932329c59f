"""From files, pipes and URLs to values that know their places."""
