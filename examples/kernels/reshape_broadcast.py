"""An outer sum by reshaping and broadcasting, scaled by the grid's size and the matrix's extents."""

import cuda.tile as ct


@ct.kernel
def reshape_broadcast(rows, columns, out):
    i = ct.bid(0)
    j = ct.bid(1)
    r = ct.reshape(ct.load(rows, (i,), (16,)), (16, 1))
    c = ct.reshape(ct.load(columns, (j,), (32,)), (1, 32))
    ramp = ct.reshape(ct.arange(512, dtype=ct.int32), (16, 32))
    total = ct.broadcast_to(r, (16, 32)) * 3 + c + ramp
    blocks = ct.num_blocks(0) * 1000 + ct.num_blocks(1) * 100 + ct.num_blocks(2)
    tiles = ct.num_tiles(out, 0, (16, 32)) * 10 + ct.num_tiles(out, 1, (16, 32))
    ct.store(out, (i, j), total + blocks + tiles + out.shape[0] - out.shape[1])
