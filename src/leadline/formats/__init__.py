"""From files and frames to tables: reading, checking, joining. Imports from naming and data."""
