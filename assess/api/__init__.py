"""The same domain functions over HTTP: find through access, check the shape, call, serialise."""
