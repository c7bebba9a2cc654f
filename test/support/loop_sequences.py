"""Random loops that follow each other over the same arrays, of the caller or of the program."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from support.differential import Subject

ARRAYS = ("%a", "%b", "%c", "%d")
SIZE = 24

FILL = (
    "%c = word.alloc : !word.buffer<24>",
    "%d = word.alloc : !word.buffer<24>",
    "%zero = word.constant 0 : i32",
    "%one = word.constant 1 : i32",
    "%size = word.constant 24 : i32",
    "scf.for %q = %zero to %size step %one : i32 {",
    "%w = word.load %a[%q] : !word.buffer<24> -> i32",
    "word.store %w, %c[%q] : i32, !word.buffer<24>",
    "word.store %q, %d[%q] : i32, !word.buffer<24>",
    "}",
)
"""What the arrays of the program are at first."""


def loop_sequence(seed: int, *, local: bool = False) -> Subject:
    """Loops with the same bounds that follow each other, over the same four arrays.

    With `local`, two of these are memory of the program, filled by a loop in front.
    """
    random = Random(seed)
    names = iter(f"%v{n}" for n in range(1000))
    first = random.choice((0, 2, 3))
    counts = [random.choice((1, 1, 2, 4)) for _ in range(random.choice((1, 2, 3)))]
    text = [f"%low = word.constant {first} : i32", f"%high = word.constant {first + 6} : i32"]
    text += [f"%c{n} = word.constant {n} : i32" for n in range(12)]
    total = "%c1"
    for count in counts:
        result, argument = next(names), next(names)
        text.append(
            f"{result} = scf.for %i = %low to %high step %c1 iter_args({argument} = {total})"
            " -> (i32) : i32 {"
        )
        value = argument
        for _ in range(count):
            text, value = _statement(random, names, text, value)
        text.append(f"scf.yield {value} : i32 }}")
        total = random.choice((total, "%c5"))
    own = ARRAYS[2:] if local else ()
    given = [array for array in ARRAYS if array not in own]
    body = "\n".join([*(FILL if local else ()), *text])
    arguments = ", ".join(f"{array}: !word.buffer<24>" for array in given)
    signature = ", ".join("memref<24xi32>" for _ in given)
    code = f"""func.func @k({arguments}) attributes {{vliw.signature = ({signature}) -> ()}} {{
      {body}
      func.return
    }}"""
    data = [[random.randrange(100) for _ in range(SIZE)] for _ in given]
    return Subject(f"partition {seed}", code, [data])


def _statement(
    random: Random, names: Iterator[str], text: list[str], value: str
) -> tuple[list[str], str]:
    """A load, a computation and a store; now and then of what the loop carries."""
    places: list[str] = []
    for _ in range(2):
        place, offset, factor = (
            next(names),
            random.choice((0, 0, 1, 2)),
            random.choice((1, 1, 1, 2)),
        )
        scaled = next(names)
        text.append(f"{scaled} = word.mul %i, %c{factor} : i32")
        text.append(f"{place} = word.add {scaled}, %c{offset} : i32")
        places.append(place)
    source, target = (random.choice(ARRAYS) for _ in range(2))
    loaded, made = next(names), next(names)
    text.append(f"{loaded} = word.load {source}[{places[0]}] : !word.buffer<24> -> i32")
    other = random.choice((loaded, "%i", value))
    text.append(f"{made} = word.add {loaded}, {other} : i32")
    text.append(f"word.store {made}, {target}[{places[1]}] : i32, !word.buffer<24>")
    if random.random() < 0.3:
        following = next(names)
        text.append(f"{following} = word.add {value}, {loaded} : i32")
        return text, following
    return text, value
