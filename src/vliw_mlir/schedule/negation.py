"""Conditions that hold where others do not, for branches of the other polarity."""

from __future__ import annotations

from vliw_mlir.schedule.machine import Instruction, MachineBlock, MachineFunction, Reg


class Negation:
    """Negates the conditions of blocks of a function."""

    def __init__(self, function: MachineFunction):
        self.function = function
        self.zeros = _zeros(function)

    def of(self, block: MachineBlock) -> Reg | None:
        """A word that is not zero exactly where the condition of a block is zero at its end.

        May append instructions to the block. None if the target has none for that.
        """
        condition = block.condition
        assert condition is not None
        for place in reversed(range(len(block.instructions))):
            instruction = block.instructions[place]
            if not _writes(self.function, instruction, condition):
                continue
            if instruction.mnemonic == "==" and instruction.operands[0] == condition:
                return self._unequal(block, place)
            break
        return self._is_zero(block, condition)

    def _unequal(self, block: MachineBlock, place: int) -> Reg | None:
        """Whether the operands of a comparison are not equal."""
        function, equal = self.function, block.instructions[place]
        _, a, b = equal.operands
        if not function.has("^"):
            assert block.condition is not None
            return self._is_zero(block, block.condition)
        result = Reg(function.new_register())
        block.instructions.insert(place, self._instruction("^", (result, a, b), equal.source))
        return result

    def _is_zero(self, block: MachineBlock, condition: Reg) -> Reg | None:
        if not self.function.has("=="):
            return None
        zero = self._zero(block)
        result = Reg(self.function.new_register())
        operands = result, condition, zero
        block.instructions.append(self._instruction("==", operands, block.source))
        return result

    def _zero(self, block: MachineBlock) -> Reg:
        if self.zeros:
            return self.zeros[0]
        zero = Reg(self.function.new_register())
        block.instructions.append(self._instruction("const", (zero, 0), block.source))
        return zero

    def _instruction(self, mnemonic: str, operands: tuple[object, ...], source: str) -> Instruction:
        return Instruction(self.function.engine(mnemonic), mnemonic, operands, source)


def _writes(function: MachineFunction, instruction: Instruction, word: Reg) -> bool:
    return any(
        access.is_def
        and access.register == word.register
        and access.lane <= word.lane < access.lane + access.words
        for access in function.accesses(instruction)
    )


def _zeros(function: MachineFunction) -> list[Reg]:
    """Words that are zero in all blocks but the entry: written there and nowhere else."""
    values = function.constants()
    return [
        instruction.operands[0]
        for instruction in function.blocks[0].instructions
        if instruction.mnemonic == "const" and values.get(instruction.operands[0].register) == 0
    ]
