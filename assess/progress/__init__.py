"""How far the work is, what is stuck, and when it will be done."""
