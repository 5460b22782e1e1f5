"""Commands that call the domain functions from the shell."""
