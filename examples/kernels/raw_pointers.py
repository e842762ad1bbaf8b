"""An entry written op by op with the bytecode writer, for the instructions that no cuTile Python statement becomes.

For each of `n` (at most 64) elements, `out[k]` combines the high half of a product, a float remainder, a value read
through a pointer that went to an integer and back, an unsigned quotient, and a value read through a pointer cast to
another element type.
Loads are ordered by tokens that are joined before the store, and the extents are asked from the views.
"""

import struct

from cuda.tile import _bytecode as bc
from cuda.tile._bytecode import encodings as op
from cuda.tile._bytecode.attribute import Bounded, DivBy
from cuda.tile._bytecode.debug_info import MISSING_DEBUG_ATTR_ID
from cuda.tile._bytecode.type import SimpleType
from cuda.tile._bytecode.type_base import PaddingValue, PtrAttr

DYNAMIC = -(2**63)
WEAK = op.MemoryOrderingSemantics.WEAK
SIGNED = op.Signedness.Signed


def build(version):
    """The bytes of a module with the one entry `raw_pointers(ptr<i32> a, i32 n, ptr<i32> out)`."""
    buffer = bytearray()
    with bc.write_bytecode(num_functions=1, buf=buffer, version=version) as writer:
        types = writer.type_table
        i32, i64, i1, f32 = (types.simple(t) for t in (SimpleType.I32, SimpleType.I64, SimpleType.I1, SimpleType.F32))
        pointer = types.tile(types.pointer(i32, PtrAttr.Missing), [])
        number = types.tile(i32, [])
        token = types.Token
        parameters = [pointer, number, pointer]
        with writer.function("raw_pointers", parameters, [], True, {}, MISSING_DEBUG_ATTR_ID) as (b, (a, n, out)):
            _body(b, types, i32, i64, i1, f32, pointer, number, token, a, n, out)
    return bytes(buffer)


def _body(b, types, i32, i64, i1, f32, pointer, number, token, a, n, out):
    tile, wide, mask, real = (types.tile(t, [64]) for t in (i32, i64, i1, f32))
    float_pointer = types.tile(types.pointer(f32, PtrAttr.Missing), [])
    pointers = types.tile(types.pointer(i32, PtrAttr.Missing), [64])
    one_pointer = types.tile(types.pointer(i32, PtrAttr.Missing), [1])
    float_pointers = types.tile(types.pointer(f32, PtrAttr.Missing), [64])

    def spread(scalar):
        one = op.encode_ReshapeOp(b, types.tile(i32, [1]), scalar)
        return op.encode_BroadcastOp(b, tile, one)

    a = op.encode_AssumeOp(b, pointer, a, DivBy(16))
    n = op.encode_AssumeOp(b, number, n, Bounded(0, 64))
    # extents of views: rows of 16, so that ceil(n / 16) tiles cover them
    view_type = types.tensor_view(i32, [DYNAMIC, 4], [4, 1], PtrAttr.Missing)
    view = op.encode_MakeTensorViewOp(b, view_type, a, [n], [])
    rows, columns = op.encode_GetTensorShapeOp(b, [number, number], view)
    tiles_type = types.partition_view([16, 4], view_type, [0, 1], PaddingValue.Missing)
    tiles = op.encode_MakePartitionViewOp(b, tiles_type, view)
    tile_rows, tile_columns = op.encode_GetIndexSpaceShapeOp(b, [number, number], tiles)
    extents = op.encode_AddIOp(b, number, op.encode_MulIOp(b, number, rows, columns, op.IntegerOverflow.NONE),
                               op.encode_AddIOp(b, number, tile_rows, tile_columns, op.IntegerOverflow.NSW),
                               op.IntegerOverflow.NONE)

    index = op.encode_IotaOp(b, tile)
    inside = op.encode_CmpIOp(b, mask, index, spread(n), op.ComparisonPredicate.LESS_THAN, SIGNED)
    zero = op.encode_ConstantOp(b, tile, struct.pack("<i", 0))
    start = op.encode_MakeTokenOp(b, token)

    # plain pointers
    base = op.encode_BroadcastOp(b, pointers, op.encode_ReshapeOp(b, one_pointer, a))
    source = op.encode_OffsetOp(b, pointers, base, index)
    plain, t0 = op.encode_LoadPtrTkoOp(b, tile, token, source, inside, zero, start, WEAK, None, None)

    # the same addresses, computed as integers
    four = op.encode_ConstantOp(b, wide, struct.pack("<q", 4))
    address = op.encode_PtrToIntOp(b, wide, base)
    steps = op.encode_MulIOp(b, wide, op.encode_ExtIOp(b, wide, index, SIGNED), four, op.IntegerOverflow.NONE)
    moved = op.encode_IntToPtrOp(b, pointers, op.encode_AddIOp(b, wide, address, steps, op.IntegerOverflow.NONE))
    through, t1 = op.encode_LoadPtrTkoOp(b, tile, token, moved, inside, zero, start, WEAK, None, None)

    # the same elements, read as floats, and their bits taken back
    floats = op.encode_OffsetOp(
        b, float_pointers,
        op.encode_BroadcastOp(
            b, float_pointers,
            op.encode_ReshapeOp(b, types.tile(types.pointer(f32, PtrAttr.Missing), [1]),
                                op.encode_PtrToPtrOp(b, float_pointer, a))),
        index)
    no_float = op.encode_ConstantOp(b, real, struct.pack("<f", 0.0))
    as_float, t2 = op.encode_LoadPtrTkoOp(b, real, token, floats, inside, no_float, start, WEAK, None, None)
    bits = op.encode_BitcastOp(b, tile, as_float)

    high = op.encode_MulhiIOp(b, tile, plain, through)
    low = op.encode_TruncIOp(b, tile, op.encode_ExtIOp(b, wide, bits, op.Signedness.Unsigned), op.IntegerOverflow.NONE)
    sum_ = op.encode_AddIOp(b, tile, op.encode_XOrIOp(b, tile, high, low),
                            op.encode_AbsIOp(b, tile, op.encode_NegIOp(b, tile, plain, op.IntegerOverflow.NONE)),
                            op.IntegerOverflow.NONE)
    three = op.encode_ConstantOp(b, tile, struct.pack("<i", 3))
    divisor = op.encode_AddIOp(b, tile, index, three, op.IntegerOverflow.NW)
    part = op.encode_DivIOp(b, tile, bits, divisor, op.Signedness.Unsigned, op.RoundingMode.ZERO)
    sum_ = op.encode_AddIOp(b, tile, sum_, part, op.IntegerOverflow.NONE)
    step = op.encode_ConstantOp(b, real, struct.pack("<f", 7.5))
    ramp = op.encode_IToFOp(b, real, index, SIGNED, op.RoundingMode.NEAREST_EVEN)
    rest = op.encode_RemFOp(b, real, ramp, step)
    doubled = op.encode_AddFOp(b, real, rest, rest, op.RoundingMode.NEAREST_EVEN, False)
    whole = op.encode_FToIOp(b, tile, doubled, SIGNED, op.RoundingMode.NEAREST_INT_TO_ZERO, False)
    fringe = op.encode_ConstantOp(b, tile, struct.pack("<64i", *(k * k - 100 for k in range(64))))
    total = op.encode_AddIOp(b, tile, op.encode_AddIOp(b, tile, sum_, whole, op.IntegerOverflow.NONE),
                             op.encode_AddIOp(b, tile, fringe, spread(extents), op.IntegerOverflow.NONE),
                             op.IntegerOverflow.NONE)

    loaded = op.encode_JoinTokensOp(b, token, [t0, t1, t2])
    target = op.encode_OffsetOp(
        b, pointers, op.encode_BroadcastOp(b, pointers, op.encode_ReshapeOp(b, one_pointer, out)), index)
    op.encode_StorePtrTkoOp(b, token, target, total, inside, loaded, WEAK, None, None)
    op.encode_ReturnOp(b, ())
