"""Copies tiles of 16 x 32 that overhang their source, so that every padding value shows up in the larger result."""

import cuda.tile as ct


@ct.kernel
def masked_copy_zero(a, out):
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(a, index, (16, 32), padding_mode=ct.PaddingMode.ZERO))


@ct.kernel
def masked_copy_neg_zero(a, out):
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(a, index, (16, 32), padding_mode=ct.PaddingMode.NEG_ZERO))


@ct.kernel
def masked_copy_nan(a, out):
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(a, index, (16, 32), padding_mode=ct.PaddingMode.NAN))


@ct.kernel
def masked_copy_pos_inf(a, out):
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(a, index, (16, 32), padding_mode=ct.PaddingMode.POS_INF))


@ct.kernel
def masked_copy_neg_inf(a, out):
    index = (ct.bid(0), ct.bid(1))
    ct.store(out, index, ct.load(a, index, (16, 32), padding_mode=ct.PaddingMode.NEG_INF))
