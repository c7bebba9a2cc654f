"""What this project adds to xDSL: dialects, passes and output targets.

Every entry is a factory that imports its module only when asked, so that a tool starts fast.
To add a dialect, a pass or a target: write `def _name(): from … import …; return …` and one
line in the dictionary. The `xdsl.universe` entry point in pyproject.toml makes plain `xdsl-opt`
see them too.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target


def _kernel() -> Dialect:
    from vliw_mlir.dialects.kernel import Kernel

    return Kernel


def _word() -> Dialect:
    from vliw_mlir.dialects.word import Word

    return Word


def _interpret_target() -> type[Target]:
    from vliw_mlir.interp.target import InterpretTarget

    return InterpretTarget


def _vliw() -> Dialect:
    from vliw_mlir.dialects.vliw import Vliw

    return Vliw


def _inline_calls() -> type[ModulePass]:
    from vliw_mlir.transforms.inline_calls import InlineCalls

    return InlineCalls


def _simplify() -> type[ModulePass]:
    from vliw_mlir.transforms.simplify import Simplify

    return Simplify


def _reassociate() -> type[ModulePass]:
    from vliw_mlir.transforms.reassociate import Reassociate

    return Reassociate


def _absorb_constants() -> type[ModulePass]:
    from vliw_mlir.transforms.absorb_constants import AbsorbConstants

    return AbsorbConstants


def _divide_by_constant() -> type[ModulePass]:
    from vliw_mlir.transforms.divide_by_constant import DivideByConstant

    return DivideByConstant


def _strength_reduction() -> type[ModulePass]:
    from vliw_mlir.transforms.strength_reduction import StrengthReduction

    return StrengthReduction


def _scalarize_lookup_chains() -> type[ModulePass]:
    from vliw_mlir.transforms.scalarize_lookup_chains import ScalarizeLookupChains

    return ScalarizeLookupChains


def _reduce_tree_height() -> type[ModulePass]:
    from vliw_mlir.transforms.reduce_tree_height import ReduceTreeHeight

    return ReduceTreeHeight


def _split_multiply_adds() -> type[ModulePass]:
    from vliw_mlir.transforms.split_multiply_adds import SplitMultiplyAdds

    return SplitMultiplyAdds


def _form_multiply_add() -> type[ModulePass]:
    from vliw_mlir.transforms.form_multiply_add import FormMultiplyAdd

    return FormMultiplyAdd


def _convert_std_to_kernel() -> type[ModulePass]:
    from vliw_mlir.lowering.convert_std_to_kernel import ConvertStdToKernel

    return ConvertStdToKernel


def _form_strands() -> type[ModulePass]:
    from vliw_mlir.transforms.form_strands import FormStrands

    return FormStrands


def _convert_kernel_to_word() -> type[ModulePass]:
    from vliw_mlir.lowering.convert_kernel_to_word import ConvertKernelToWord

    return ConvertKernelToWord


def _convert_word_scf_to_cf() -> type[ModulePass]:
    from vliw_mlir.lowering.convert_word_scf_to_cf import ConvertWordScfToCf

    return ConvertWordScfToCf


def _legalize_vectors() -> type[ModulePass]:
    from vliw_mlir.lowering.legalize_vectors import LegalizeVectors

    return LegalizeVectors


def _expand_word_ops() -> type[ModulePass]:
    from vliw_mlir.lowering.expand_word_ops import ExpandWordOps

    return ExpandWordOps


def _convert_word_to_vliw() -> type[ModulePass]:
    from vliw_mlir.lowering.convert_word_to_vliw import ConvertWordToVliw

    return ConvertWordToVliw


def _vectorize_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.vectorize_loops import VectorizeLoops

    return VectorizeLoops


def _unroll_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.unroll_loops import UnrollLoops

    return UnrollLoops


def _print_pressure() -> type[ModulePass]:
    from vliw_mlir.transforms.print_pressure import PrintPressure

    return PrintPressure


def _print_dependences() -> type[ModulePass]:
    from vliw_mlir.transforms.print_dependences import PrintDependences

    return PrintDependences


def _print_dependence_graph() -> type[ModulePass]:
    from vliw_mlir.transforms.print_dependence_graph import PrintDependenceGraph

    return PrintDependenceGraph


def _unroll_and_jam() -> type[ModulePass]:
    from vliw_mlir.transforms.unroll_and_jam import UnrollAndJam

    return UnrollAndJam


def _interchange_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.interchange_loops import InterchangeLoops

    return InterchangeLoops


def _if_conversion() -> type[ModulePass]:
    from vliw_mlir.transforms.if_conversion import IfConversion

    return IfConversion


def _canonicalize_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.canonicalize_loops import CanonicalizeLoops

    return CanonicalizeLoops


def _peel_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.peel_loops import PeelLoops

    return PeelLoops


def _unswitch_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.unswitch_loops import UnswitchLoops

    return UnswitchLoops


def _split_reductions() -> type[ModulePass]:
    from vliw_mlir.transforms.split_reductions import SplitReductions

    return SplitReductions


def _simplify_cfg() -> type[ModulePass]:
    from vliw_mlir.transforms.simplify_cfg import SimplifyCfg

    return SimplifyCfg


def _sccp() -> type[ModulePass]:
    from vliw_mlir.transforms.sccp import Sccp

    return Sccp


def _fuse_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.fuse_loops import FuseLoops

    return FuseLoops


def _distribute_loops() -> type[ModulePass]:
    from vliw_mlir.transforms.distribute_loops import DistributeLoops

    return DistributeLoops


def _strip_mine() -> type[ModulePass]:
    from vliw_mlir.transforms.strip_mine import StripMine

    return StripMine


def _print_bounds() -> type[ModulePass]:
    from vliw_mlir.transforms.print_bounds import PrintBounds

    return PrintBounds


def _print_ranges() -> type[ModulePass]:
    from vliw_mlir.transforms.print_ranges import PrintRanges

    return PrintRanges


def _promote_loop_memory() -> type[ModulePass]:
    from vliw_mlir.transforms.promote_loop_memory import PromoteLoopMemory

    return PromoteLoopMemory


def _forward_stores() -> type[ModulePass]:
    from vliw_mlir.transforms.forward_stores import ForwardStores

    return ForwardStores


def _eliminate_dead_stores() -> type[ModulePass]:
    from vliw_mlir.transforms.eliminate_dead_stores import EliminateDeadStores

    return EliminateDeadStores


def _hoist_loop_invariants() -> type[ModulePass]:
    from vliw_mlir.transforms.hoist_loop_invariants import HoistLoopInvariants

    return HoistLoopInvariants


def _hoist_equivalent() -> type[ModulePass]:
    from vliw_mlir.transforms.hoist_equivalent import HoistEquivalent

    return HoistEquivalent


def _scalar_replacement() -> type[ModulePass]:
    from vliw_mlir.transforms.scalar_replacement import ScalarReplacement

    return ScalarReplacement


def _derive_vector_constants() -> type[ModulePass]:
    from vliw_mlir.transforms.derive_vector_constants import DeriveVectorConstants

    return DeriveVectorConstants


def _form_windows() -> type[ModulePass]:
    from vliw_mlir.transforms.form_windows import FormWindows

    return FormWindows


def _overlap_updates() -> type[ModulePass]:
    from vliw_mlir.transforms.overlap_updates import OverlapUpdates

    return OverlapUpdates


def _split_strided_accesses() -> type[ModulePass]:
    from vliw_mlir.transforms.split_strided_accesses import SplitStridedAccesses

    return SplitStridedAccesses


def _vectorize_straight_line() -> type[ModulePass]:
    from vliw_mlir.transforms.vectorize_straight_line import VectorizeStraightLine

    return VectorizeStraightLine


def _vectorize_accesses() -> type[ModulePass]:
    from vliw_mlir.transforms.vectorize_accesses import VectorizeAccesses

    return VectorizeAccesses


def _forward_recurrences() -> type[ModulePass]:
    from vliw_mlir.transforms.forward_recurrences import ForwardRecurrences

    return ForwardRecurrences


def _print_alias() -> type[ModulePass]:
    from vliw_mlir.transforms.print_alias import PrintAlias

    return PrintAlias


def _print_boolean_forms() -> type[ModulePass]:
    from vliw_mlir.transforms.print_boolean_forms import PrintBooleanForms

    return PrintBooleanForms


def _specialize_arguments() -> type[ModulePass]:
    from vliw_mlir.transforms.specialize_arguments import SpecializeArguments

    return SpecializeArguments


def _simplify_with_ranges() -> type[ModulePass]:
    from vliw_mlir.transforms.simplify_with_ranges import SimplifyWithRanges

    return SimplifyWithRanges


def _open_selections() -> type[ModulePass]:
    from vliw_mlir.transforms.open_selections import OpenSelections

    return OpenSelections


def _gather_to_select() -> type[ModulePass]:
    from vliw_mlir.transforms.gather_to_select import GatherToSelect

    return GatherToSelect


def _fold_offsets() -> type[ModulePass]:
    from vliw_mlir.transforms.fold_offsets import FoldOffsets

    return FoldOffsets


def _vliw_json() -> type[Target]:
    from vliw_mlir.formats.vliw_json import VliwJsonTarget

    return VliwJsonTarget


def _vliw_asm() -> type[Target]:
    from vliw_mlir.formats.vliw_asm import VliwAsmTarget

    return VliwAsmTarget


def _json_frontend() -> type[Frontend]:
    from vliw_mlir.formats.vliw_json import VliwJsonFrontend

    return VliwJsonFrontend


DIALECTS: dict[str, Callable[[], Dialect]] = {
    "kernel": _kernel,
    "word": _word,
    "vliw": _vliw,
}
"""Dialects by name."""

PASSES: dict[str, Callable[[], type[ModulePass]]] = {
    "inline-calls": _inline_calls,
    "convert-std-to-kernel": _convert_std_to_kernel,
    "form-strands": _form_strands,
    "convert-kernel-to-word": _convert_kernel_to_word,
    "convert-word-scf-to-cf": _convert_word_scf_to_cf,
    "legalize-vectors": _legalize_vectors,
    "expand-word-ops": _expand_word_ops,
    "convert-word-to-vliw": _convert_word_to_vliw,
    "simplify": _simplify,
    "reassociate": _reassociate,
    "strength-reduction": _strength_reduction,
    "divide-by-constant": _divide_by_constant,
    "absorb-constants": _absorb_constants,
    "form-multiply-add": _form_multiply_add,
    "scalarize-lookup-chains": _scalarize_lookup_chains,
    "reduce-tree-height": _reduce_tree_height,
    "split-multiply-adds": _split_multiply_adds,
    "unroll-loops": _unroll_loops,
    "promote-loop-memory": _promote_loop_memory,
    "forward-stores": _forward_stores,
    "eliminate-dead-stores": _eliminate_dead_stores,
    "hoist-equivalent": _hoist_equivalent,
    "hoist-loop-invariants": _hoist_loop_invariants,
    "scalar-replacement": _scalar_replacement,
    "overlap-updates": _overlap_updates,
    "split-strided-accesses": _split_strided_accesses,
    "vectorize-straight-line": _vectorize_straight_line,
    "vectorize-accesses": _vectorize_accesses,
    "form-windows": _form_windows,
    "derive-vector-constants": _derive_vector_constants,
    "forward-recurrences": _forward_recurrences,
    "print-alias": _print_alias,
    "print-dependences": _print_dependences,
    "print-dependence-graph": _print_dependence_graph,
    "unroll-and-jam": _unroll_and_jam,
    "interchange-loops": _interchange_loops,
    "if-conversion": _if_conversion,
    "canonicalize-loops": _canonicalize_loops,
    "peel-loops": _peel_loops,
    "unswitch-loops": _unswitch_loops,
    "split-reductions": _split_reductions,
    "simplify-cfg": _simplify_cfg,
    "sccp": _sccp,
    "fuse-loops": _fuse_loops,
    "distribute-loops": _distribute_loops,
    "strip-mine": _strip_mine,
    "print-bounds": _print_bounds,
    "print-pressure": _print_pressure,
    "vectorize-loops": _vectorize_loops,
    "print-ranges": _print_ranges,
    "print-boolean-forms": _print_boolean_forms,
    "specialize-arguments": _specialize_arguments,
    "simplify-with-ranges": _simplify_with_ranges,
    "gather-to-select": _gather_to_select,
    "open-selections": _open_selections,
    "fold-offsets": _fold_offsets,
}
"""Passes by the name used in a pipeline."""

TARGETS: dict[str, Callable[[], type[Target]]] = {
    "interpret": _interpret_target,
    "vliw-json": _vliw_json,
    "vliw-asm": _vliw_asm,
}
"""Output formats by the name given to `vliw-opt -t`."""

FRONTENDS: dict[str, Callable[[], type[Frontend]]] = {
    "json": _json_frontend,
}
"""Input formats by file suffix, or by the name given to `vliw-opt -f`."""

VLIW_UNIVERSE = Universe(
    all_dialects=DIALECTS,
    all_passes=PASSES,
    all_targets=TARGETS,
    all_frontends=FRONTENDS,
)
"""What the `xdsl.universe` entry point loads."""
