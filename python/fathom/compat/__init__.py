"""Faces that other libraries' users know, on top of Fathom."""
