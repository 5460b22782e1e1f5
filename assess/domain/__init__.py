"""Every write and every rule, one module per noun; each function names its actor."""
