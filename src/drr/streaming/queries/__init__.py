"""What is asked of every block of rows in a pass: one module per question, with its answer and how answers merge."""
