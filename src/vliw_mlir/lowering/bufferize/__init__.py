"""Tensors into buffers and loops: the parts of `convert-kernel-to-word`.

A tensor is *stored* when it has a buffer that holds its elements, row-major. All others are
*deferred*: their elements are computed in the loops of whoever reads them.

- `plan` decides which are which;
- `cursor` emits ops and loops, `places` says which element a loop body is at, `elements`
  computes single elements there;
- `storage` knows the buffers, and when one may be written again;
- `stores` fills buffers, `updates` and `control` lower the ops that need buffers.
"""
