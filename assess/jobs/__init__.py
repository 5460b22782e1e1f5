"""Long background jobs: enqueued, done, watched, stopped, started again, and resumed if their worker was lost."""
