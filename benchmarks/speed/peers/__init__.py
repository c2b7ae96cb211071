"""One adapter per peer. Each offers functions of (problem, …) that return a dict of figures, among them the weights."""
