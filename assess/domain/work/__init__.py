"""Rules and writes of work: handing it out, taking, leasing, passing it on, second assessors, planted items."""
