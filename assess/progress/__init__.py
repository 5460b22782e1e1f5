"""How far work is, what is stuck, and when it will be done."""
