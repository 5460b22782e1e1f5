"""Rules and writes of accounts, members and invitations."""
