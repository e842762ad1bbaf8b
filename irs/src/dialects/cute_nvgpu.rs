//! NVIDIA's atoms for CuTe and architecture ops, under their public names.
//!
//! An atom is a type: the result of `cute.make_atom` has no run-time content. Declared are the atoms of copies and
//! products up to `sm_89`; `wgmma` and tensor copies are ops.

use tilewright_layouts::distributed;
use tilewright_layouts::{ElementWidth, SwizzleMode};

use super::product_rules::mma_sync;
use crate::core::{Arg, Args, Family, Flag, Term, TermCodec, TermError, TermKind, Value};
use crate::dialects::arith::Signedness;
use crate::element::ScalarType;
use crate::isa::rules::forms::Elements;
use crate::isa::{BulkReduction, L2Eviction, TensorMode, TensorRank};
use crate::machine::LANES;

crate::keywords! {
    /// Orientation of a matrix loaded from shared memory.
    pub enum MatrixOrder {
        /// As stored.
        Normal = "n",
        /// Transposed.
        Transposed = "t",
    }
}

crate::keywords! {
    /// The elements of an array that a tensor copy moves, if they are not a box. (PTX ISA, "Tensors".)
    pub enum TmaMode {
        /// Pixels, each of so many channels, in the order in which a filter meets them.
        Im2col = "im2col",
        /// Four rows, loaded one below the other.
        TileGather4 = "tile_gather4",
        /// Four rows, each stored where its coordinate says.
        TileScatter4 = "tile_scatter4",
    }
}

crate::keywords! {
    /// A tensor map among the parameters of a kernel: 128 bytes, which tensor copies read where they are.
    pub enum TmaDescriptor {
        /// One of boxes.
        Tiled = "cute_nvgpu.tma_descriptor_tiled",
        /// One of pixels.
        Im2col = "cute_nvgpu.tma_descriptor_im2col",
    }
}

/// The implementation of a copy or a product.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// Loads and stores of `bits` bits: `cute_nvgpu.atom.universal_copy<f16, 128b>`.
    UniversalCopy {
        /// The element type.
        element: ScalarType,
        /// Bits of one instruction.
        bits: u32,
    },
    /// `cp.async` of `bits` bits: `cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128b>`.
    SimtAsyncCopy {
        /// The element type.
        element: ScalarType,
        /// Bits of one instruction: 32, 64 or 128.
        bits: u32,
        /// Whether the copy bypasses the L1 cache, which only copies of 128 bits may.
        bypass: bool,
    },
    /// `ldmatrix` of 8x8 matrices: `cute_nvgpu.atom.ldsm<f16, num_matrices = 4, n>`.
    Ldsm {
        /// The element type, of 16 bits.
        element: ScalarType,
        /// 1, 2 or 4.
        matrices: u32,
        /// Whether they are transposed.
        order: MatrixOrder,
    },
    /// `mma.sync`: `cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>`.
    Mma(MmaSync),
}

/// A product of `m x k` by `k x n`, computed by a warp in registers. (PTX ISA, `mma`.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmaSync {
    /// `m`, `n` and `k`.
    pub shape: [u32; 3],
    /// The elements of A and of B.
    pub operands: [ScalarType; 2],
    /// The elements of C and D.
    pub accumulator: ScalarType,
    /// Signedness of the elements of A and of B, if they are integers; else signed.
    pub signedness: [Signedness; 2],
}

impl MmaSync {
    /// The product of this shape and these types, if the instruction exists.
    pub fn new(shape: [u32; 3], operands: [ScalarType; 2], accumulator: ScalarType) -> Option<Self> {
        let mma = Self {
            shape,
            operands,
            accumulator,
            signedness: [Signedness::Signed; 2],
        };
        mma.exists().then_some(mma)
    }

    /// The product with this signedness of its integers; a product of floats is returned unchanged.
    #[must_use]
    pub fn with_signedness(self, signedness: [Signedness; 2]) -> Self {
        match self.is_of_integers() {
            true => Self { signedness, ..self },
            false => self,
        }
    }

    /// Whether it multiplies integers.
    fn is_of_integers(&self) -> bool {
        self.operands.iter().all(|operand| operand.is_int())
    }

    /// The elements of A, of B, and of C and D per thread.
    pub fn elements(&self) -> [u32; 3] {
        let [m, n, k] = self.shape;
        [m * k / LANES, k * n / LANES, m * n / LANES]
    }

    /// Whether the instruction exists on some target and each element of A and B fills bytes.
    fn exists(&self) -> bool {
        let [a, b] = self.operands;
        let [m, n, k] = self.shape;
        let width = a.bytes().and_then(|bytes| ElementWidth::of_bits(8 * bytes));
        // The fragment of a product that the whole warp computes.
        width.is_some_and(|width| distributed::MmaSync::of(m, n, k, width).is_some())
            && mma_sync(self.shape, [a, b, self.accumulator], self.signedness).is_some()
    }
}

fn width(bits: u32) -> Arg {
    Term::word(&format!("{bits}b")).into()
}

fn read_width(term: &Term, allowed: &[u32]) -> Result<u32, TermError> {
    let bits = match &term.kind {
        TermKind::Word(word) => word.strip_suffix('b').and_then(|digits| digits.parse().ok()),
        _ => None,
    };
    bits.filter(|bits| allowed.contains(bits)).ok_or_else(|| {
        let words: Vec<String> = allowed.iter().map(|bits| format!("`{bits}b`")).collect();
        term.wrong(format!("a width: {}", words.join(", ")))
    })
}

impl TermCodec for Atom {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        match self {
            Self::UniversalCopy { element, bits } => Term::call(
                "cute_nvgpu.atom.universal_copy",
                vec![element.write().into(), width(*bits)],
            ),
            Self::SimtAsyncCopy {
                element,
                bits,
                bypass,
            } => {
                let cache = Term::word(if *bypass { "global" } else { "always" });
                let args = vec![element.write().into(), width(*bits), Arg::named("cache", cache)];
                Term::call("cute_nvgpu.atom.simt_async_copy", args)
            }
            Self::Ldsm {
                element,
                matrices,
                order,
            } => {
                let count = Arg::named("num_matrices", Term::int(*matrices));
                let args = vec![element.write().into(), order.write().into(), count];
                Term::call("cute_nvgpu.atom.ldsm", args)
            }
            Self::Mma(mma) => mma.write(),
        }
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some((word, list)) = term.as_call() else {
            return Err(term.wrong("an atom of `cute_nvgpu`"));
        };
        let mut args = Args::new(term, list);
        match word {
            "cute_nvgpu.atom.universal_copy" => {
                let element = ScalarType::read(args.next("an element type")?)?;
                let bits = read_width(args.next("a width")?, &[8, 16, 32, 64, 128])?;
                args.finish()?;
                Ok(Self::UniversalCopy { element, bits })
            }
            "cute_nvgpu.atom.simt_async_copy" => {
                let element = ScalarType::read(args.next("an element type")?)?;
                let bits = read_width(args.next("a width")?, &[32, 64, 128])?;
                let cache = args.required("cache")?;
                let bypass = match &cache.kind {
                    TermKind::Word(word) if word == "always" => false,
                    TermKind::Word(word) if word == "global" && bits == 128 => true,
                    TermKind::Word(word) if word == "global" => {
                        return Err(
                            cache.wrong("`always`: only a copy of 128 bits passes by the first cache")
                        );
                    }
                    _ => return Err(cache.wrong("`always` or `global`")),
                };
                args.finish()?;
                Ok(Self::SimtAsyncCopy {
                    element,
                    bits,
                    bypass,
                })
            }
            "cute_nvgpu.atom.ldsm" => {
                let element_term = args.next("an element type")?;
                let element = ScalarType::read(element_term)?;
                if element.bytes() != Some(2) {
                    return Err(element_term.wrong("an element type of 16 bits"));
                }
                let order = MatrixOrder::read(args.next("`n` or `t`")?)?;
                let count = args.required("num_matrices")?;
                let matrices = count.to_int("1, 2 or 4")?;
                if ![1, 2, 4].contains(&matrices) {
                    return Err(count.wrong("1, 2 or 4"));
                }
                args.finish()?;
                Ok(Self::Ldsm {
                    element,
                    matrices,
                    order,
                })
            }
            _ => MmaSync::read(term).map(Self::Mma),
        }
    }
}

impl TermCodec for MmaSync {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let [m, n, k] = self.shape;
        let [a, b] = self.operands;
        let types = [a, b, self.accumulator];
        let types = TermKind::Tuple(types.map(|ty| ty.write()).to_vec());
        let shape = TermKind::Dims(
            vec![Some(u64::from(m)), Some(u64::from(n))],
            Box::new(Term::int(k)),
        );
        let mut args = vec![Term::from(shape).into(), Arg::named("elem_type", types.into())];
        if self.is_of_integers() {
            let signs = TermKind::Tuple(self.signedness.map(|sign| sign.write()).to_vec());
            args.push(Arg::named("signedness", signs.into()));
        }
        Term::call("cute_nvgpu.sm80.mma", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("cute_nvgpu.sm80.mma", list)) = term.as_call() else {
            return Err(term.wrong("an atom of `cute_nvgpu`"));
        };
        let mut args = Args::new(term, list);
        let shape_term = args.next("a shape such as `16x8x16`")?;
        let extent = |extent: &Option<u64>| extent.and_then(|n| u32::try_from(n).ok());
        let shape = match &shape_term.kind {
            TermKind::Dims(outer, k) => match outer.as_slice() {
                [m, n] => extent(m)
                    .zip(extent(n))
                    .and_then(|(m, n)| Some([m, n, k.to_int("an extent").ok()?])),
                _ => None,
            },
            _ => None,
        };
        let shape = shape.ok_or_else(|| shape_term.wrong("a shape such as `16x8x16`"))?;
        let types_term = args.required("elem_type")?;
        let types = match &types_term.kind {
            TermKind::Tuple(types) => types
                .iter()
                .map(ScalarType::read)
                .collect::<Result<Vec<_>, _>>()?,
            _ => Vec::new(),
        };
        let [a, b, accumulator] = *types.as_slice() else {
            return Err(types_term.wrong("the types of A, B and C"));
        };
        let signedness = if a.is_int() {
            let signs_term = args.required("signedness")?;
            match &signs_term.kind {
                TermKind::Tuple(signs) if signs.len() == 2 => {
                    let signs = signs.iter().map(Signedness::read);
                    signs.collect::<Result<Vec<_>, _>>()?
                }
                _ => return Err(signs_term.wrong("the signedness of A and of B")),
            }
        } else {
            Vec::new()
        };
        args.finish()?;
        let signedness = <[Signedness; 2]>::try_from(signedness).unwrap_or([Signedness::Signed; 2]);
        match Self::new(shape, [a, b], accumulator) {
            Some(mma) => Ok(mma.with_signedness(signedness)),
            None => Err(term.wrong("a shape and types that `mma.sync` has")),
        }
    }
}

crate::attribute_field!(MmaSync, Atom);

crate::dialect! {
    /// Architecture ops of a thread.
    pub enum CuteNvgpuOp: "cute_nvgpu" {
        /// The beginning of the block's dynamic shared memory.
        GetDynSmem "arch.get_dyn_smem" {} -> 1, Pure, Free;
        /// Asserts that a value is uniform over the warp: the value of lane 0.
        MakeWarpUniform "arch.make_warp_uniform" { source: Value } -> 1, Pure, Same [convergent];
        /// The descriptor, an i64, of a matrix in shared memory that begins at a pointer; the byte offsets are those of
        /// its canonical layout. (PTX ISA, "Matrix descriptor format" of `wgmma`.)
        MakeGmmaSmemDesc "make_gmma_smem_desc" { pointer: Value, leading: u32, stride: u32, swizzle: SwizzleMode } -> 1, Pure, Free;
        /// Writes a tensor map to 128 bytes of shared memory: an array at `base` with these extents, the innermost first,
        /// and distances in bytes, without that of the innermost, all i64; a copy moves `box_extents` elements along each axis.
        /// If `rounded`, loads round numbers of type `f32` to nearest, ties to even, as numbers of type `tf32`. (PTX ISA,
        /// `tensormap.replace`.)
        MakeTmaDescTiledAt "make_tma_desc_tiled_at" {
            to: Value, base: Value, extents: Vec<Value>, strides: Vec<Value>, box_extents: Vec<u32>, swizzle: SwizzleMode,
            rounded: Flag
        } -> 0, Updates(Shared), Free;
        /// A slot, an i32, that no other block holds until it is released: bit `b` of word `w` of the flags is slot
        /// `w * slots + b`. (For memory that a block keeps while it runs: a block has no index of its own among those
        /// that run.)
        ClaimSlot "claim_slot" { flags: Value, words: u32, slots: u32 } -> 1, Updates(Global, Barrier, Control), Free;
        /// Releases a slot.
        ReleaseSlot "release_slot" { flags: Value, slot: Value, slots: u32 } -> 0, Updates(Global, Barrier), Free;
        /// The entry of a key in a table of tensor maps in global memory: its index, an i32, whether it is complete, and, if it
        /// is not, whether the caller is to fill it, both i1. The key is all that the maps are made from: addresses and i64. One
        /// thread executes it.
        FindTmaDescs "find_tma_descs" { at: Value, key: Vec<Value>, maps: u32, entries: u32 } -> 3, Updates(Global, Barrier), Free;
        /// Completes an entry whose tensor maps have been published: other blocks find it from then on.
        CompleteTmaDescs "complete_tma_descs" { entry: Value, key: Vec<Value>, maps: u32 } -> 0, Updates(Global, Barrier), Free;
        /// Copies a tensor map from shared to global memory, for tensor copies to read; all lanes of a warp execute it.
        /// (PTX ISA, `tensormap.cp_fenceproxy`.)
        PublishTmaDesc "publish_tma_desc" { from: Value, to: Value } -> 0, Reads(Shared) + Updates(Global, Barrier), Free [convergent];
        /// Makes a published tensor map visible to this thread's tensor copies. (PTX ISA, `fence.proxy.tensormap`.)
        AcquireTmaDesc "acquire_tma_desc" { desc: Value } -> 0, Updates(Global, Shared, Barrier), Free;
        /// Fetches a tensor map into the cache. (PTX ISA, `prefetch.tensormap`.)
        PrefetchTmaDesc "arch.prefetch_tma_desc" { desc: Value } -> 0, Writes(Barrier), Free;
        /// Copies the box of an array that begins at a coordinate, i32 with the innermost first, to shared memory, and
        /// counts its bytes at an mbarrier; with a mask, an i16, in each of these blocks of the cluster. In mode `im2col` the
        /// pixels are at `offsets`, i16, from those that begin at the coordinate; in mode `tile_gather4` the coordinate is a
        /// column and four rows. A cache policy, of any copy, is that of `arch.create_policy`. One thread executes it. (PTX
        /// ISA, `cp.async.bulk.tensor`.)
        TmaLoad "arch.copy.SM100.tma_load" {
            desc: Value, to: Value, barrier: Value, coord: Vec<Value>, offsets: Vec<Value>, multicast_mask: Option<Value>,
            cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Reads(Global) + Updates(Shared, Barrier), Free;
        /// Copies a box from shared memory to an array, in a group of bulk copies; in mode `im2col` pixels; in mode
        /// `tile_scatter4` four rows, whose coordinate is a column and each row.
        TmaStore "arch.copy.SM100.tma_store" {
            desc: Value, from: Value, coord: Vec<Value>, cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Combines a box, or pixels, in shared memory with those of an array, in a group of bulk copies.
        TmaReduce "arch.copy.SM100.tma_reduce" {
            desc: Value, from: Value, coord: Vec<Value>, cache_policy: Option<Value>, kind: BulkReduction, mode: Option<TmaMode>
        } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Fetches what the load with the same operands copies into the L2 cache. (PTX ISA,
        /// `cp.async.bulk.prefetch.tensor`.)
        TmaPrefetch "arch.copy.SM100.tma_prefetch" {
            desc: Value, coord: Vec<Value>, offsets: Vec<Value>, cache_policy: Option<Value>, mode: Option<TmaMode>
        } -> 0, Writes(Barrier), Free;
        /// Copies `size` bytes of global to shared memory, and counts them at an mbarrier; with a mask, an i16, in each of
        /// these blocks of the cluster. Addresses and sizes of this op and the next ones are multiples of 16. One thread
        /// executes it. (PTX ISA, `cp.async.bulk`.)
        BulkCopyG2s "arch.copy.SM90.bulk_copy_g2s" {
            from: Value, to: Value, barrier: Value, multicast_mask: Option<Value>, cache_policy: Option<Value>, size: u32
        } -> 0, Reads(Global) + Updates(Shared, Barrier), Free;
        /// Copies `size` bytes of shared to global memory, in a group of bulk copies.
        BulkCopyS2g "arch.copy.SM90.bulk_copy_s2g" { from: Value, to: Value, cache_policy: Option<Value>, size: u32 } -> 0, Reads(Shared) + Updates(Global, Barrier), Free;
        /// Copies `size` bytes of shared memory to the place `to` in that of the block of rank `cta_rank`, an i32, whose
        /// mbarrier at the place `barrier` counts them.
        BulkCopyS2s "arch.copy.SM90.bulk_copy_s2s" { from: Value, to: Value, barrier: Value, cta_rank: Value, size: u32 } -> 0, Updates(Shared, Barrier), Free;
        /// Fetches `size` bytes of global memory, a multiple of 16, into the L2 cache. (PTX ISA, `cp.async.bulk.prefetch`.)
        BulkPrefetch "arch.copy.SM90.bulk_prefetch" { from: Value, cache_policy: Option<Value>, size: u32 } -> 0, Writes(Barrier), Free;
        /// A cache policy, an i64: the priority of a copy's lines when lines of the L2 cache are evicted; with a fraction, an
        /// f32, that of so many of them, while the others have `otherwise`, the usual one without. (PTX ISA,
        /// `createpolicy.fractional`.)
        CreatePolicy "arch.create_policy" { fraction: Option<Value>, eviction: L2Eviction, otherwise: Option<L2Eviction> } -> 1, Pure, Free;
    }
}

impl CuteNvgpuOp {
    /// The mode of a tensor copy, if it moves no box.
    pub const fn mode(&self) -> Option<TmaMode> {
        match self {
            Self::TmaLoad { mode, .. }
            | Self::TmaPrefetch { mode, .. }
            | Self::TmaStore { mode, .. }
            | Self::TmaReduce { mode, .. } => *mode,
            _ => None,
        }
    }

    /// The cache policy of a copy.
    pub const fn cache_policy(&self) -> Option<Value> {
        match self {
            Self::TmaLoad { cache_policy, .. }
            | Self::TmaStore { cache_policy, .. }
            | Self::TmaReduce { cache_policy, .. }
            | Self::TmaPrefetch { cache_policy, .. }
            | Self::BulkCopyG2s { cache_policy, .. }
            | Self::BulkCopyS2g { cache_policy, .. }
            | Self::BulkPrefetch { cache_policy, .. } => *cache_policy,
            _ => None,
        }
    }

    /// The elements that a tensor copy moves, as its instruction says it; `None` for other ops, and for ranks that tensors
    /// do not have.
    pub fn elements(&self) -> Option<Elements> {
        let mode = self.mode();
        let (coord, offsets) = match self {
            Self::TmaLoad { coord, offsets, .. } | Self::TmaPrefetch { coord, offsets, .. } => {
                (coord, Some(offsets.len()))
            }
            Self::TmaStore { coord, .. } | Self::TmaReduce { coord, .. } => (coord, None),
            _ => return None,
        };
        let rows = |mode| (Some(mode), Some(TensorRank::D2));
        let of_coord = TensorRank::of(coord.len());
        let (named, rank) = match (mode, offsets) {
            (None, _) | (Some(TmaMode::Im2col), Some(_)) => (None, of_coord),
            (Some(TmaMode::Im2col), None) => (Some(TensorMode::Im2colNoOffs), of_coord),
            (Some(TmaMode::TileGather4), _) => rows(TensorMode::Gather4),
            (Some(TmaMode::TileScatter4), _) => rows(TensorMode::Scatter4),
        };
        Some(Elements {
            rank: rank?,
            mode: named,
            coordinates: coord.len(),
            offsets: offsets.filter(|_| mode == Some(TmaMode::Im2col)),
        })
    }
}
