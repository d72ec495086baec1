"""Interfaces of other libraries, implemented with Fathom."""
