"""How a kernel meets memory: its interface, the memory image, data files."""

from vliw_mlir.abi.image import MemoryImage, build_image
from vliw_mlir.abi.interface import Argument, Interface, Result, SpillArea

__all__ = ["Argument", "Interface", "MemoryImage", "Result", "SpillArea", "build_image"]
