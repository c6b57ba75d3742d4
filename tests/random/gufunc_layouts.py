"""How operands of random gufuncs lie in memory: packed, with gaps, reversed, transposed, or broadcast."""
import struct

import scalars


def place(grower, operand):
    """Sets the operand's offset, count and strides."""
    extents = [grower.calls, *(grower.extents[d] for d in operand.dimensions)]
    axes = list(range(len(extents)))
    gap = grower.pick(1, 1, 1, 1, 2, 3)
    if len(axes) > 2 and grower.chance(25):
        axes[1:] = reversed(axes[1:])
    strides, step = [0] * len(extents), gap
    for axis in reversed(axes):
        if not operand.is_output and extents[axis] > 0 and grower.chance(10):
            continue  # broadcast
        strides[axis] = step
        step *= max(extents[axis], 1)
        if grower.chance(12):
            step += gap * grower.pick(1, 3)
    operand.offset = 0
    for axis, extent in enumerate(extents):
        if grower.chance(12):
            operand.offset += strides[axis] * max(extent - 1, 0)
            strides[axis] = -strides[axis]
    operand.strides = tuple(strides)
    operand.count = operand.offset + 1 + sum(stride * max(extent - 1, 0)
                                             for stride, extent in zip(strides, extents) if stride > 0)


def image(rng, operand, is_exact):
    """The bytes of the operand's memory."""
    type = operand.type
    if not is_exact or not (type.is_float or type.is_integer):
        return scalars.elements(rng, type, operand.count)
    if type.is_integer and rng.randrange(2):
        return scalars.elements(rng, type, operand.count)
    values = [rng.choice((1, 2, 3, 1, 2, -1, -2, -3)) for _ in range(operand.count)]
    if type.is_float:
        return b"".join(_pattern(type, v) for v in values)
    return b"".join((abs(v) & 1 if type.kind == "b" else v & (1 << type.bits) - 1).to_bytes(type.size, "little")
                    for v in values)


def _pattern(type, value):
    return struct.pack({16: "<e", 32: "<f", 64: "<d"}[type.bits], value)
