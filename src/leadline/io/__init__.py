"""From bytes to tables: files, formats, collections, and the workers that read them."""
