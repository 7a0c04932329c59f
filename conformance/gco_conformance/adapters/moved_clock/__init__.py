"""A folder for PYTHONPATH: a Python program that finds `sitecustomize` in it has clocks that can be moved."""
