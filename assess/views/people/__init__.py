"""Pages of people: accounts, members, invitations."""
