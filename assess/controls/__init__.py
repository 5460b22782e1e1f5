"""Control items: repeats and gold items among an assessor's work, unannounced, and how steadily people judge them."""
