"""Pages about accounts, members and invitations."""
