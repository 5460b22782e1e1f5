"""Rules and writes of people: accounts, members, invitations."""
