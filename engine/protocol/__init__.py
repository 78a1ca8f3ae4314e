"""UCI, XBoard and the session that both drive."""
