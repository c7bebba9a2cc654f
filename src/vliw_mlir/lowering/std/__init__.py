"""Conversion of the standard dialects, one file per dialect.

Each file has a `HANDLERS` table from op class to a function that emits the op's
replacement through a `Converter`.
"""
