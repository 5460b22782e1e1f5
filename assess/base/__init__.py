"""What knows no noun: refusals."""
