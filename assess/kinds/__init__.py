"""What stages ask people to do: one folder for each kind of work, and the record that all of them fill."""
