"""Long jobs in the background: in line, done, watched, stopped, started again, taken up when their worker was lost."""
