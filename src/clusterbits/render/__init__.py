"""What people see: text, JSON, CSV and Markdown. Computes nothing."""
