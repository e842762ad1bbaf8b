//! Integer and bit instructions against the host's arithmetic.

use crate::support::{Numbers, compute};
use tilewright_irs::ptx::Type;

/// Words that include the limits of every range.
fn words(count: usize, seed: u64) -> Vec<u64> {
    let ends = [
        0,
        1,
        2,
        0x7f,
        0x80,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
    ];
    let mut numbers = Numbers::new(seed);
    let mut all: Vec<u64> = ends.to_vec();
    all.extend([u64::MAX, i64::MAX as u64, 1 << 63]);
    while all.len() < count {
        all.push(numbers.next() >> (numbers.next() % 64));
    }
    all
}

fn rows(sources: usize) -> Vec<Vec<u64>> {
    let all = words(64, 11);
    let mut numbers = Numbers::new(12);
    let mut rows: Vec<Vec<u64>> = Vec::new();
    for a in &all {
        for b in all.iter().take(20) {
            let mut row = vec![*a, *b, numbers.next()];
            row.truncate(sources);
            rows.push(row);
        }
    }
    rows
}

/// Checks an instruction against `f` on words truncated to the type; results are truncated likewise.
fn check(text: &str, d: Type, sources: &[Type], f: impl Fn(&[u64]) -> u64) {
    let cut = |ty: Type, word: u64| {
        if ty.bits() == 64 {
            word
        } else {
            word & ((1 << ty.bits()) - 1)
        }
    };
    let rows = rows(sources.len());
    for (row, got) in rows.iter().zip(compute(text, d, sources, &rows)) {
        let row: Vec<u64> = row
            .iter()
            .zip(sources)
            .map(|(word, ty)| cut(*ty, *word))
            .collect();
        assert_eq!(got, cut(d, f(&row)), "{text} of {row:x?}");
    }
}

macro_rules! families {
    ($test:ident, $unsigned:ident, $signed:ident, $wide:ident, $signed_wide:ident, $u:ident, $s:ident) => {
        #[test]
        fn $test() {
            use Type::{$s, $u};
            let (u, s) = ($u.word(), $s.word());
            let n = |word: u64| word as $unsigned;
            let i = |word: u64| word as $signed;
            let of = |value: $signed| u64::from(value as $unsigned);
            let un = |value: $unsigned| u64::from(value);
            check(&format!("add.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                of(i(r[0]).wrapping_add(i(r[1])))
            });
            check(&format!("sub.{u} $d, $a, $b;"), $u, &[$u; 2], |r| {
                un(n(r[0]).wrapping_sub(n(r[1])))
            });
            check(&format!("mul.lo.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                of(i(r[0]).wrapping_mul(i(r[1])))
            });
            check(&format!("mul.hi.{u} $d, $a, $b;"), $u, &[$u; 2], |r| {
                un(((n(r[0]) as $wide * n(r[1]) as $wide) >> $u.bits()) as $unsigned)
            });
            check(&format!("mul.hi.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                of(((i(r[0]) as $signed_wide * i(r[1]) as $signed_wide) >> $u.bits()) as $signed)
            });
            check(&format!("mad.lo.{s} $d, $a, $b, $c;"), $s, &[$s; 3], |r| {
                of(i(r[0]).wrapping_mul(i(r[1])).wrapping_add(i(r[2])))
            });
            check(&format!("div.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                if i(r[1]) == 0 {
                    u64::MAX
                } else {
                    of(i(r[0]).wrapping_div(i(r[1])))
                }
            });
            check(&format!("div.{u} $d, $a, $b;"), $u, &[$u; 2], |r| {
                n(r[0]).checked_div(n(r[1])).map_or(u64::MAX, un)
            });
            check(&format!("rem.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                if i(r[1]) == 0 {
                    r[0]
                } else {
                    of(i(r[0]).wrapping_rem(i(r[1])))
                }
            });
            check(&format!("min.{s} $d, $a, $b;"), $s, &[$s; 2], |r| {
                of(i(r[0]).min(i(r[1])))
            });
            check(&format!("max.{u} $d, $a, $b;"), $u, &[$u; 2], |r| {
                un(n(r[0]).max(n(r[1])))
            });
            check(&format!("neg.{s} $d, $a;"), $s, &[$s], |r| {
                of(i(r[0]).wrapping_neg())
            });
            check(&format!("abs.{s} $d, $a;"), $s, &[$s], |r| {
                of(i(r[0]).wrapping_abs())
            });
            check(
                &format!("shl.b{} $d, $a, $b;", $u.bits()),
                $u,
                &[$u, Type::U32],
                |r| {
                    if r[1] >= u64::from($u.bits()) {
                        0
                    } else {
                        un(n(r[0]) << r[1])
                    }
                },
            );
            check(&format!("shr.{u} $d, $a, $b;"), $u, &[$u, Type::U32], |r| {
                if r[1] >= u64::from($u.bits()) {
                    0
                } else {
                    un(n(r[0]) >> r[1])
                }
            });
            check(&format!("shr.{s} $d, $a, $b;"), $s, &[$s, Type::U32], |r| {
                of(i(r[0]) >> r[1].min(u64::from($u.bits()) - 1))
            });
            check(
                &format!("and.b{} $d, $a, $b;", $u.bits()),
                $u,
                &[$u; 2],
                |r| r[0] & r[1],
            );
            check(
                &format!("xor.b{} $d, $a, $b;", $u.bits()),
                $u,
                &[$u; 2],
                |r| r[0] ^ r[1],
            );
            check(&format!("not.b{} $d, $a;", $u.bits()), $u, &[$u], |r| !r[0]);
            check(
                &format!("setp.lt.{s} $d, $a, $b;"),
                Type::Pred,
                &[$s; 2],
                |r| u64::from(i(r[0]) < i(r[1])),
            );
            check(
                &format!("setp.ge.{u} $d, $a, $b;"),
                Type::Pred,
                &[$u; 2],
                |r| u64::from(n(r[0]) >= n(r[1])),
            );
            check(
                &format!("setp.ne.{u} $d, $a, $b;"),
                Type::Pred,
                &[$u; 2],
                |r| u64::from(r[0] != r[1]),
            );
        }
    };
}

families!(sixteen_bits, u16, i16, u32, i32, U16, S16);
families!(thirty_two_bits, u32, i32, u64, i64, U32, S32);
families!(sixty_four_bits, u64, i64, u128, i128, U64, S64);

#[test]
fn wide_products_and_saturating_sums() {
    use Type::{S16, S32, S64, U16, U32, U64};
    check("mul.wide.s16 $d, $a, $b;", S32, &[S16; 2], |r| {
        (r[0] as i16 as i64 * (r[1] as i16 as i64)) as u64
    });
    check("mul.wide.u16 $d, $a, $b;", U32, &[U16; 2], |r| r[0] * r[1]);
    check("mul.wide.s32 $d, $a, $b;", S64, &[S32; 2], |r| {
        (r[0] as i32 as i64 * (r[1] as i32 as i64)) as u64
    });
    check("mul.wide.u32 $d, $a, $b;", U64, &[U32; 2], |r| r[0] * r[1]);
    check("mad.wide.u32 $d, $a, $b, $c;", U64, &[U32, U32, U64], |r| {
        (r[0] * r[1]).wrapping_add(r[2])
    });
    check("add.sat.s32 $d, $a, $b;", S32, &[S32; 2], |r| {
        (r[0] as i32).saturating_add(r[1] as i32) as u64
    });
    check("sub.sat.s32 $d, $a, $b;", S32, &[S32; 2], |r| {
        (r[0] as i32).saturating_sub(r[1] as i32) as u64
    });
}

#[test]
fn bit_counts_shifts_and_field_extraction() {
    use Type::{B32, B64, S32, S64, U32, U64};
    check("popc.b32 $d, $a;", U32, &[B32], |r| u64::from(r[0].count_ones()));
    check("popc.b64 $d, $a;", U32, &[B64], |r| u64::from(r[0].count_ones()));
    check("clz.b32 $d, $a;", U32, &[B32], |r| {
        u64::from((r[0] as u32).leading_zeros())
    });
    check("clz.b64 $d, $a;", U32, &[B64], |r| {
        u64::from(r[0].leading_zeros())
    });
    check("bfind.u32 $d, $a;", U32, &[U32], |r| {
        (r[0] as u32).checked_ilog2().map_or(0xFFFF_FFFF, u64::from)
    });
    check("bfind.shiftamt.u64 $d, $a;", U32, &[U64], |r| {
        r[0].checked_ilog2().map_or(0xFFFF_FFFF, |at| u64::from(63 - at))
    });
    check("bfind.s32 $d, $a;", U32, &[S32], |r| {
        let a = r[0] as i32;
        let bits = if a < 0 { !a } else { a };
        bits.cast_unsigned()
            .checked_ilog2()
            .map_or(0xFFFF_FFFF, u64::from)
    });
    let low = |r: u64| i64::from(((r as i32) << 8) >> 8);
    check("mul24.lo.s32 $d, $a, $b;", S32, &[S32; 2], move |r| {
        u64::from((low(r[0]) * low(r[1])) as u32)
    });
    check("mul24.hi.u32 $d, $a, $b;", U32, &[U32; 2], |r| {
        ((r[0] & 0xFF_FFFF) * (r[1] & 0xFF_FFFF)) >> 16 & 0xFFFF_FFFF
    });
    check("mad24.lo.u32 $d, $a, $b, $c;", U32, &[U32; 3], |r| {
        ((r[0] & 0xFF_FFFF) * (r[1] & 0xFF_FFFF) + r[2]) & 0xFFFF_FFFF
    });
    check("mad24.hi.sat.s32 $d, $a, $b, $c;", S32, &[S32; 3], move |r| {
        let product = ((low(r[0]) * low(r[1])) >> 16) as i32;
        u64::from(product.saturating_add(r[2] as i32).cast_unsigned())
    });
    check("dp4a.s32.u32 $d, $a, $b, $c;", S32, &[S32; 3], |r| {
        let products =
            (0..4).map(|at| i32::from((r[0] >> (8 * at)) as i8) * i32::from((r[1] >> (8 * at)) as u8));
        u64::from(products.sum::<i32>().wrapping_add(r[2] as i32).cast_unsigned())
    });
    check("brev.b32 $d, $a;", B32, &[B32], |r| {
        u64::from((r[0] as u32).reverse_bits())
    });
    check("brev.b64 $d, $a;", B64, &[B64], |r| r[0].reverse_bits());
    check("lop3.b32 $d, $a, $b, $c, 0x96;", B32, &[B32; 3], |r| {
        r[0] ^ r[1] ^ r[2]
    });
    check("lop3.b32 $d, $a, $b, $c, 0xE8;", B32, &[B32; 3], |r| {
        (r[0] & r[1]) | (r[0] & r[2]) | (r[1] & r[2])
    });
    check("lop3.b32 $d, $a, $b, $c, 0x40;", B32, &[B32; 3], |r| {
        r[0] & r[1] & !r[2]
    });
    let pair = |r: &[u64]| r[1] << 32 | r[0];
    check("shf.l.wrap.b32 $d, $a, $b, $c;", B32, &[B32; 3], |r| {
        (pair(r) << (r[2] & 31)) >> 32
    });
    check("shf.r.wrap.b32 $d, $a, $b, $c;", B32, &[B32; 3], |r| {
        pair(r) >> (r[2] & 31)
    });
    check("shf.r.clamp.b32 $d, $a, $b, 32;", B32, &[B32; 2], |r| r[1]);
    check("shf.l.clamp.b32 $d, $a, $b, 99;", B32, &[B32; 2], |r| r[0]);
    check("prmt.b32 $d, $a, $b, 0x3210;", B32, &[B32; 2], |r| r[0]);
    check("prmt.b32 $d, $a, $b, 0x7654;", B32, &[B32; 2], |r| r[1]);
    check("prmt.b32 $d, $a, $b, 0x1054;", B32, &[B32; 2], |r| {
        (r[1] & 0xffff) | (r[0] & 0xffff) << 16
    });
    check("prmt.b32 $d, $a, $b, 0x888B;", B32, &[B32; 2], |r| {
        let sign = |bit: u64| if r[0] >> bit & 1 == 1 { 0xff } else { 0 };
        sign(31) | sign(7) << 8 | sign(7) << 16 | sign(7) << 24
    });
    check("prmt.b32.rc16 $d, $a, $b, 1;", B32, &[B32; 2], |r| {
        (r[0] >> 16) * 0x1_0001
    });
    check("bfe.u32 $d, $a, 4, 8;", U32, &[U32], |r| r[0] >> 4 & 0xff);
    check("bfe.s32 $d, $a, 28, 8;", S32, &[S32], |r| {
        ((r[0] as i32) >> 28) as u64
    });
    check("bfe.u64 $d, $a, 60, 8;", U64, &[U64], |r| r[0] >> 60);
    check("bfe.s64 $d, $a, 8, 8;", S64, &[S64], |r| {
        (r[0] >> 8) as i8 as i64 as u64
    });
    check("bfi.b32 $d, $a, $b, 8, 4;", B32, &[B32; 2], |r| {
        (r[1] & !0xf00) | (r[0] & 0xf) << 8
    });
    check("bfi.b64 $d, $a, $b, 60, 30;", B64, &[B64; 2], |r| {
        (r[1] & (u64::MAX >> 4)) | r[0] << 60
    });
}

#[test]
fn integer_conversions_truncate_extend_or_saturate() {
    use Type::{S16, S32, S64, U16, U32, U64};
    check("cvt.s32.s8 $d, $a;", S32, &[U32], |r| r[0] as i8 as i32 as u64);
    check("cvt.u32.u8 $d, $a;", U32, &[U32], |r| r[0] & 0xff);
    check("cvt.s16.s64 $d, $a;", S16, &[S64], |r| r[0]);
    check("cvt.s64.s32 $d, $a;", S64, &[S32], |r| r[0] as i32 as i64 as u64);
    check("cvt.u64.u32 $d, $a;", U64, &[U32], |r| r[0]);
    check("cvt.s8.s32 $d, $a;", S16, &[S32], |r| r[0] as i8 as i16 as u64);
    check("cvt.sat.s8.s32 $d, $a;", S16, &[S32], |r| {
        (r[0] as i32).clamp(-128, 127) as u64
    });
    check("cvt.sat.u8.s32 $d, $a;", U16, &[S32], |r| {
        (r[0] as i32).clamp(0, 255) as u64
    });
    check("cvt.sat.u32.s64 $d, $a;", U32, &[S64], |r| {
        (r[0] as i64).clamp(0, i64::from(u32::MAX)) as u64
    });
    check("cvt.sat.s32.u64 $d, $a;", S32, &[U64], |r| {
        r[0].min(i32::MAX as u64)
    });
}

#[test]
fn predicates_combine_and_select() {
    use Type::{Pred, S32, U32};
    check("setp.lt.and.s32 $d, $a, $b, $c;", Pred, &[S32, S32, Pred], |r| {
        u64::from((r[0] as i32) < r[1] as i32) & r[2]
    });
    check("setp.lt.or.s32 $d, $a, $b, !$c;", Pred, &[S32, S32, Pred], |r| {
        u64::from((r[0] as i32) < r[1] as i32) | (r[2] ^ 1)
    });
    check("selp.u32 $d, $a, $b, $c;", U32, &[U32, U32, Pred], |r| {
        if r[2] == 1 { r[0] } else { r[1] }
    });
    check("set.eq.u32.u32 $d, $a, $b;", U32, &[U32; 2], |r| {
        if r[0] == r[1] { u64::MAX } else { 0 }
    });
    check("set.gt.f32.s32 $d, $a, $b;", U32, &[S32; 2], |r| {
        if r[0] as i32 > r[1] as i32 { 0x3f80_0000 } else { 0 }
    });
    check("xor.pred $d, $a, !$b;", Pred, &[Pred; 2], |r| r[0] ^ r[1] ^ 1);
    check("not.pred $d, $a;", Pred, &[Pred], |r| r[0] ^ 1);
}
