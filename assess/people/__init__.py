"""Accounts, members and invitations."""
