"""Every write and every rule about nuggets and answer classes; each function names its actor."""
