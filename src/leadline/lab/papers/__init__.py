"""Five papers reproduced: tables and figures on any collection, beside what was printed."""
