"""The domain functions from the shell."""
