"""Forms, which check the shape of what is sent."""
