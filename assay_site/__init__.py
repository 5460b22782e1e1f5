"""The wiring of the site: settings, addresses, middleware and servers. It holds no rules of judging."""
