"""Wiring only: settings, addresses, middleware, servers. No rule lives here."""
