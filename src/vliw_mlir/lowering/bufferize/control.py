"""Tensors through control flow: each loop-carried value, result and block argument has a buffer."""
