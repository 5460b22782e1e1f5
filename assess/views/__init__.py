"""Pages: find through access, check the shape of the input, call one domain function, render."""
