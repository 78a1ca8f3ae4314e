"""The XBoard protocol (CECP), version 2."""
