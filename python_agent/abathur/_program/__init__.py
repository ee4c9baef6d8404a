"""The daemon as a program: where it is, how it is started, its addresses."""
