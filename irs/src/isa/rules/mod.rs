//! Valid combinations of modifiers and types, and their requirements on PTX ISA version and GPU.
//!
//! Source: the instruction descriptions of the PTX ISA manual; the test `ptx_assembles` of the grammar crate checks them with
//! ptxas. Every rule returns `None` for a combination that PTX does not have.

mod asynchronous;
mod atomic;
mod bulk;
mod cluster;
pub mod forms;
mod matrix;

pub(super) use asynchronous::*;
pub(super) use atomic::*;
pub(super) use bulk::*;
pub(super) use cluster::*;
pub(super) use matrix::*;

use super::modifiers::*;
use super::orders::Ordered;
use super::target::{Need, Target};
use super::types::{Kind, Special, Type};
use Type::*;

/// Registers of 128 bits.
const BITS_128: Need = Need::new(8, 3, 70);
const F16_ARITHMETIC: Need = Need::BASE;
const BF16_FMA: Need = Need::new(7, 0, 80);
const BF16_ARITHMETIC: Need = Need::new(7, 8, 90);

/// Features of sm_100a, sm_120a and their families.
const BLACKWELL: Need = Need::on(8, 6, Target::sm_a(100))
    .or(8, 8, Target::sm_f(100))
    .or(8, 7, Target::sm_a(120))
    .or(8, 8, Target::sm_f(120))
    .or(9, 0, Target::sm_f(110));

fn when(exists: bool, need: Need) -> Option<Need> {
    exists.then_some(need)
}

/// Rounding to a value of the type in one of the four IEEE directions.
fn ieee(rounding: Option<Rounding>) -> bool {
    matches!(
        rounding,
        None | Some(Rounding::Rn | Rounding::Rz | Rounding::Rm | Rounding::Rp)
    )
}

fn nearest(rounding: Option<Rounding>) -> bool {
    matches!(rounding, None | Some(Rounding::Rn))
}

fn is_integer(ty: Type) -> bool {
    matches!(ty, U16 | U32 | U64 | S16 | S32 | S64)
}

pub(super) fn only(ty: Type, wanted: Type) -> Option<Need> {
    when(ty == wanted, Need::BASE)
}

pub(super) fn integer(ty: Type) -> Option<Need> {
    when(is_integer(ty), Need::BASE)
}

pub(super) fn mov(ty: Type) -> Option<Need> {
    when(
        matches!(
            ty,
            Pred | B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64 | F32 | F64
        ),
        Need::BASE,
    )
    .or(when(ty == B128, BITS_128))
}

pub(super) fn read_special(ty: Type, register: Special) -> Option<Need> {
    let need = if register.is_of_cluster() {
        Need::new(7, 8, 90)
    } else {
        Need::BASE
    };
    when(ty == register.ty(), need)
}

pub(super) fn address_of(ty: Type) -> Option<Need> {
    when(matches!(ty, B32 | U32 | B64 | U64), Need::BASE)
}

pub(super) fn pack(ty: Type, parts: usize) -> Option<Need> {
    when(
        matches!((ty, parts), (B16, 2) | (B32, 2 | 4) | (B64, 2 | 4)),
        Need::BASE,
    )
    .or(when(ty == B128 && parts == 2, BITS_128))
}

pub(super) fn add(ty: Type, rounding: Option<Rounding>, ftz: Ftz, sat: Sat) -> Option<Need> {
    match ty {
        S32 => when(rounding.is_none() && !ftz.0, Need::BASE),
        U16 | U32 | U64 | S16 | S64 => when(rounding.is_none() && !ftz.0 && !sat.0, Need::BASE),
        F32 => when(ieee(rounding), Need::BASE),
        F64 => when(ieee(rounding) && !ftz.0 && !sat.0, Need::BASE),
        F16 | F16x2 => when(nearest(rounding), F16_ARITHMETIC),
        Bf16 | Bf16x2 => when(nearest(rounding) && !ftz.0 && !sat.0, BF16_ARITHMETIC),
        _ => None,
    }
}

pub(super) fn mul(
    ty: Type,
    part: Option<Part>,
    rounding: Option<Rounding>,
    ftz: Ftz,
    sat: Sat,
) -> Option<Need> {
    match part {
        Some(part) => {
            let exists = match part {
                Part::Lo | Part::Hi => is_integer(ty),
                Part::Wide => matches!(ty, U16 | U32 | S16 | S32),
            };
            when(exists && rounding.is_none() && !ftz.0 && !sat.0, Need::BASE)
        }
        None => add(ty, rounding, ftz, sat).filter(|_| !is_integer(ty)),
    }
}

pub(super) fn mad(ty: Type, part: Part, sat: Sat) -> Option<Need> {
    mul(ty, Some(part), None, Ftz(false), Sat(false)).filter(|_| !sat.0 || (ty == S32 && part == Part::Hi))
}

pub(super) fn mul24(ty: Type, part: Part, sat: Sat) -> Option<Need> {
    let saturates = ty == S32 && part == Part::Hi;
    when(
        matches!(ty, U32 | S32) && part != Part::Wide && (!sat.0 || saturates),
        Need::BASE,
    )
}

pub(super) fn dp4a(left: Type, right: Type) -> Option<Need> {
    when(matches!((left, right), (U32 | S32, U32 | S32)), Need::BASE)
}

pub(super) fn fma(ty: Type, rounding: Rounding, ftz: Ftz, sat: Sat, relu: Relu) -> Option<Need> {
    match ty {
        F32 => when(ieee(Some(rounding)) && !relu.0, Need::BASE),
        F64 => when(ieee(Some(rounding)) && !ftz.0 && !sat.0 && !relu.0, Need::BASE),
        F16 | F16x2 if relu.0 => when(rounding == Rounding::Rn && !sat.0, Need::new(7, 0, 80)),
        F16 | F16x2 => when(rounding == Rounding::Rn, F16_ARITHMETIC),
        Bf16 | Bf16x2 => when(rounding == Rounding::Rn && !ftz.0 && !sat.0, BF16_FMA),
        _ => None,
    }
}

pub(super) fn div(
    ty: Type,
    approximation: Option<Approximation>,
    rounding: Option<Rounding>,
    ftz: Ftz,
) -> Option<Need> {
    let one_of = approximation.is_some() != rounding.is_some() && ieee(rounding);
    match ty {
        F32 => when(one_of, Need::BASE),
        F64 => when(one_of && rounding.is_some() && !ftz.0, Need::BASE),
        _ => integer(ty).filter(|_| approximation.is_none() && rounding.is_none() && !ftz.0),
    }
}

pub(super) fn neg(ty: Type, ftz: Ftz) -> Option<Need> {
    match ty {
        S16 | S32 | S64 | F64 => when(!ftz.0, Need::BASE),
        F32 => Some(Need::BASE),
        F16 | F16x2 => Some(Need::new(6, 0, 70)),
        Bf16 | Bf16x2 => when(!ftz.0, Need::new(7, 0, 80)),
        _ => None,
    }
}

pub(super) fn abs(ty: Type, ftz: Ftz) -> Option<Need> {
    match ty {
        F16 | F16x2 => Some(Need::new(6, 5, 70)),
        _ => neg(ty, ftz),
    }
}

pub(super) fn min_max(ty: Type, ftz: Ftz, nan: Nan) -> Option<Need> {
    match ty {
        F32 if nan.0 => Some(Need::new(7, 0, 80)),
        F32 => Some(Need::BASE),
        F64 => when(!ftz.0 && !nan.0, Need::BASE),
        F16 | F16x2 => Some(Need::new(7, 0, 80)),
        Bf16 | Bf16x2 => when(!ftz.0, Need::new(7, 0, 80)),
        _ => integer(ty).filter(|_| !ftz.0 && !nan.0),
    }
}

pub(super) fn root(
    ty: Type,
    approximation: Option<Approximation>,
    rounding: Option<Rounding>,
    ftz: Ftz,
) -> Option<Need> {
    if approximation == Some(Approximation::Full) {
        return None;
    }
    div(ty, approximation, rounding, ftz).filter(|_| matches!(ty, F32 | F64))
}

pub(super) fn rcp(
    ty: Type,
    approximation: Option<Approximation>,
    rounding: Option<Rounding>,
    ftz: Ftz,
) -> Option<Need> {
    match (ty, approximation, rounding) {
        (F64, Some(Approximation::Approx), None) => when(ftz.0, Need::BASE),
        _ => root(ty, approximation, rounding, ftz),
    }
}

pub(super) fn rsqrt(ty: Type, approximation: Approximation) -> Option<Need> {
    when(
        approximation == Approximation::Approx && matches!(ty, F32 | F64),
        Need::BASE,
    )
}

pub(super) fn f32_approximation(ty: Type, approximation: Approximation) -> Option<Need> {
    when(approximation == Approximation::Approx && ty == F32, Need::BASE)
}

pub(super) fn ex2(ty: Type, approximation: Approximation, ftz: Ftz) -> Option<Need> {
    if approximation != Approximation::Approx {
        return None;
    }
    match ty {
        F32 => Some(Need::BASE),
        F16 | F16x2 => when(!ftz.0, Need::new(7, 0, 75)),
        Bf16 | Bf16x2 => when(ftz.0, BF16_ARITHMETIC),
        _ => None,
    }
}

pub(super) fn tanh(ty: Type, approximation: Approximation) -> Option<Need> {
    if approximation != Approximation::Approx {
        return None;
    }
    match ty {
        F32 | F16 | F16x2 => Some(Need::new(7, 0, 75)),
        Bf16 | Bf16x2 => Some(BF16_ARITHMETIC),
        _ => None,
    }
}

pub(super) fn f32_or_f64(ty: Type) -> Option<Need> {
    when(matches!(ty, F32 | F64), Need::BASE)
}

pub(super) fn logic(ty: Type) -> Option<Need> {
    when(matches!(ty, B16 | B32 | B64), Need::BASE)
}

pub(super) fn shl(ty: Type) -> Option<Need> {
    logic(ty)
}

pub(super) fn shr(ty: Type) -> Option<Need> {
    logic(ty).or_else(|| integer(ty))
}

pub(super) fn bit_field(ty: Type) -> Option<Need> {
    when(matches!(ty, U32 | U64 | S32 | S64), Need::BASE)
}

pub(super) fn wide_bits(ty: Type) -> Option<Need> {
    when(matches!(ty, B32 | B64), Need::BASE)
}

pub(super) fn setp(ty: Type, comparison: Comparison, ftz: Ftz) -> Option<Need> {
    use Comparison as C;
    let ordered = matches!(comparison, C::Eq | C::Ne | C::Lt | C::Le | C::Gt | C::Ge);
    let unsigned = matches!(comparison, C::Lo | C::Ls | C::Hi | C::Hs);
    match ty {
        B16 | B32 | B64 => when(matches!(comparison, C::Eq | C::Ne) && !ftz.0, Need::BASE),
        U16 | U32 | U64 => when((ordered || unsigned) && !ftz.0, Need::BASE),
        S16 | S32 | S64 => when(ordered && !ftz.0, Need::BASE),
        F32 => when(!unsigned, Need::BASE),
        F64 => when(!unsigned && !ftz.0, Need::BASE),
        F16 => when(!unsigned, F16_ARITHMETIC),
        Bf16 => when(!unsigned && !ftz.0, BF16_ARITHMETIC),
        _ => None,
    }
}

pub(super) fn setp_packed(ty: Type, comparison: Comparison, ftz: Ftz) -> Option<Need> {
    match ty {
        F16x2 => setp(F16, comparison, ftz),
        Bf16x2 => setp(Bf16, comparison, ftz),
        _ => None,
    }
}

pub(super) fn set(to: Type, ty: Type, comparison: Comparison, ftz: Ftz) -> Option<Need> {
    let plain = matches!(
        ty,
        B16 | B32 | B64 | U16 | U32 | U64 | S16 | S32 | S64 | F32 | F64
    );
    setp(ty, comparison, ftz).filter(|_| plain && matches!(to, U32 | S32 | F32))
}

pub(super) fn selp(ty: Type) -> Option<Need> {
    mov(ty).filter(|_| !matches!(ty, Pred | B128))
}

/// Whether `to` can represent every integer of `from`.
fn includes(to: Type, from: Type) -> bool {
    match (to.kind(), from.kind()) {
        (Kind::Unsigned, Kind::Signed) => false,
        (Kind::Signed, Kind::Unsigned) => to.bits() > from.bits(),
        _ => to.bits() >= from.bits(),
    }
}

/// Plain conversions. Widening takes no rounding; narrowing a float, or an integer to a float, takes one of the IEEE
/// directions; a float to an integer takes one of the integral ones.
pub(super) fn cvt(to: Type, from: Type, rounding: Option<Rounding>, ftz: Ftz, sat: Sat) -> Option<Need> {
    let plain = |ty: Type| matches!(ty.kind(), Kind::Unsigned | Kind::Signed | Kind::Float) && ty != Tf32;
    if to == Tf32 && from == F32 {
        return match rounding {
            _ if ftz.0 || sat.0 => None,
            Some(Rounding::Rna) => Some(Need::new(7, 0, 80)),
            Some(Rounding::Rn | Rounding::Rz) => Some(Need::new(7, 8, 90)),
            _ => None,
        };
    }
    if !plain(to) || !plain(from) {
        return None;
    }
    let (to_float, from_float) = (to.kind() == Kind::Float, from.kind() == Kind::Float);
    let integral = rounding.is_some_and(Rounding::is_integral);
    let directed = rounding.is_some() && ieee(rounding);
    if ftz.0 && from != F32 && to != F32 {
        return None;
    }
    let bf16 = to == Bf16 || from == Bf16;
    let shape_exists = match (to_float, from_float) {
        // Numbers that all fit need not be clamped.
        (false, false) => rounding.is_none() && !ftz.0 && !(sat.0 && includes(to, from)),
        (false, true) => integral,
        (true, false) => directed && !ftz.0,
        (true, true) if to == from => rounding.is_none() || integral,
        (true, true) if to.bits() > from.bits() => rounding.is_none(),
        // The two half formats have the same size, and neither includes the other.
        (true, true) => directed,
    };
    if !shape_exists || (ftz.0 && !to_float && from != F32) {
        return None;
    }
    if !bf16 {
        return Some(Need::BASE);
    }
    if sat.0 || matches!(to, U8 | S8) || matches!(from, U8 | S8) {
        // Neither saturation nor 8-bit integers are supported for bf16 results or sources.
        return None;
    }
    match (to, from) {
        (Bf16, F32) => when(
            !ftz.0 && matches!(rounding, Some(Rounding::Rn | Rounding::Rz)),
            Need::new(7, 0, 80),
        )
        .or_else(|| when(!ftz.0, BF16_ARITHMETIC)),
        (F32, Bf16) => when(!ftz.0, Need::new(7, 1, 80)),
        _ => when(!ftz.0, BF16_ARITHMETIC),
    }
}

pub(super) fn cvt_clamp(
    to: Type,
    from: Type,
    rounding: Rounding,
    relu: Relu,
    satfinite: Satfinite,
) -> Option<Need> {
    if !(relu.0 || satfinite.0) {
        return None;
    }
    narrow_pair(to, from, rounding, satfinite).filter(|_| matches!(to, F16 | Bf16))
}

pub(super) fn cvt_pack(
    to: Type,
    from: Type,
    rounding: Rounding,
    _relu: Relu,
    satfinite: Satfinite,
) -> Option<Need> {
    narrow_pair(to, from, rounding, satfinite).filter(|_| matches!(to, F16x2 | Bf16x2))
}

fn narrow_pair(_to: Type, from: Type, rounding: Rounding, satfinite: Satfinite) -> Option<Need> {
    let exists = from == F32 && matches!(rounding, Rounding::Rn | Rounding::Rz);
    when(
        exists,
        if satfinite.0 {
            Need::new(8, 1, 80)
        } else {
            Need::new(7, 0, 80)
        },
    )
}

pub(super) fn cvt_pack_fp8(to: Type, from: Type) -> Option<Need> {
    when(from == F32 && matches!(to, E4m3x2 | E5m2x2), Need::new(8, 1, 89))
}

pub(super) fn cvt_to_fp8(to: Type, from: Type) -> Option<Need> {
    when(
        from == F16x2 && matches!(to, E4m3x2 | E5m2x2),
        Need::new(8, 1, 89),
    )
}

pub(super) fn cvt_from_fp8(to: Type, from: Type) -> Option<Need> {
    when(
        to == F16x2 && matches!(from, E4m3x2 | E5m2x2),
        Need::new(8, 1, 89),
    )
}

fn space_need(space: Option<Space>) -> Need {
    match space {
        Some(Space::SharedCta) => Need::new(7, 8, 70),
        Some(Space::SharedCluster) => Need::new(7, 8, 90),
        None | Some(Space::Global | Space::Shared | Space::Local | Space::Param | Space::Const) => Need::BASE,
    }
}

fn scope_need(scope: Option<Scope>) -> Need {
    match scope {
        Some(Scope::Cluster) => Need::new(7, 8, 90),
        None | Some(Scope::Cta | Scope::Gpu | Scope::Sys) => Need::BASE,
    }
}

pub(super) fn cvta(space: Space, ty: Type) -> Option<Need> {
    let need = if space == Space::Param {
        Need::new(7, 7, 70)
    } else {
        space_need(Some(space))
    };
    when(matches!(ty, U32 | U64), need)
}

fn in_memory(ty: Type) -> bool {
    matches!(
        ty,
        B8 | B16 | B32 | B64 | U8 | U16 | U32 | U64 | S8 | S16 | S32 | S64 | F32 | F64
    )
}

/// Accesses wider than 16 bytes exist for global memory on sm_100 and later only.
fn width_need(width: Option<Width>, ty: Type, space: Option<Space>, elements: usize) -> Option<Need> {
    let lanes = width.map_or(1, Width::lanes);
    if ty == B128 {
        return when(lanes == 1 && elements == 1, Need::new(8, 3, 70));
    }
    if lanes != elements || !in_memory(ty) {
        return None;
    }
    match lanes * ty.bits() as usize {
        0..=128 if lanes <= 4 => Some(Need::BASE),
        256 if ty.bits() >= 32 && space == Some(Space::Global) => Some(Need::new(8, 8, 100)),
        _ => None,
    }
}

/// The modifiers of a load.
pub(super) struct Load {
    pub(super) order: Option<Order>,
    pub(super) scope: Option<Scope>,
    pub(super) space: Option<Space>,
    pub(super) cache: Option<LoadCache>,
    pub(super) eviction: Option<Eviction>,
    pub(super) hint: CacheHint,
    pub(super) prefetch: Option<Prefetch>,
    pub(super) width: Option<Width>,
    pub(super) ty: Type,
}

/// The modifiers of a store.
pub(super) struct Store {
    pub(super) order: Option<Order>,
    pub(super) scope: Option<Scope>,
    pub(super) space: Option<Space>,
    pub(super) cache: Option<StoreCache>,
    pub(super) eviction: Option<Eviction>,
    pub(super) hint: CacheHint,
    pub(super) width: Option<Width>,
    pub(super) ty: Type,
}

fn eviction_need(eviction: Option<Eviction>, cached: bool, space: Option<Space>) -> Option<Need> {
    match eviction {
        None => Some(Need::BASE),
        Some(_) => when(
            !cached && matches!(space, None | Some(Space::Global)),
            Need::new(7, 4, 70),
        ),
    }
}

/// A policy for the L2 cache is one of global memory.
fn hint_need(hint: CacheHint, order: Option<Order>, space: Option<Space>) -> Option<Need> {
    match hint {
        CacheHint(false) => Some(Need::BASE),
        CacheHint(true) => when(
            order != Some(Order::Volatile) && matches!(space, None | Some(Space::Global)),
            Need::new(7, 4, 80),
        ),
    }
}

pub(super) fn ld(load: &Load, elements: usize) -> Option<Need> {
    let ordered = !matches!(load.order, None | Some(Order::Weak));
    let valid = Ordered::Load.admits(load.order, load.scope)
        && !(ordered && load.cache.is_some())
        && !(load.order == Some(Order::Volatile) && load.eviction.is_some())
        && !(ordered && matches!(load.space, Some(Space::Local | Space::Param | Space::Const)));
    if !valid {
        return None;
    }
    let prefetch = match load.prefetch {
        None => Need::BASE,
        Some(_) if !matches!(load.space, None | Some(Space::Global)) => return None,
        Some(_) => Need::new(7, 4, 75),
    };
    Some(
        width_need(load.width, load.ty, load.space, elements)?
            .and(eviction_need(load.eviction, load.cache.is_some(), load.space)?)
            .and(hint_need(load.hint, load.order, load.space)?)
            .and(space_need(load.space))
            .and(scope_need(load.scope))
            .and(prefetch),
    )
}

pub(super) fn ld_nc(load: &Load, elements: usize) -> Option<Need> {
    let cached = matches!(
        load.cache,
        None | Some(LoadCache::Ca | LoadCache::Cg | LoadCache::Cs)
    );
    ld(load, elements).filter(|_| cached)
}

pub(super) fn st(store: &Store, elements: usize) -> Option<Need> {
    let ordered = !matches!(store.order, None | Some(Order::Weak));
    let valid = Ordered::Store.admits(store.order, store.scope)
        && !(ordered && store.cache.is_some())
        && !(store.order == Some(Order::Volatile) && store.eviction.is_some())
        && !(ordered && matches!(store.space, Some(Space::Local | Space::Param)))
        && !(store.space == Some(Space::Param) && (store.cache.is_some() || store.eviction.is_some()))
        && store.space != Some(Space::Const);
    if !valid {
        return None;
    }
    Some(
        width_need(store.width, store.ty, store.space, elements)?
            .and(eviction_need(store.eviction, store.cache.is_some(), store.space)?)
            .and(hint_need(store.hint, store.order, store.space)?)
            .and(space_need(store.space))
            .and(scope_need(store.scope)),
    )
}

pub(super) fn fence(order: Option<FenceOrder>, scope: Scope) -> Option<Need> {
    let need = match order {
        None | Some(FenceOrder::Sc | FenceOrder::AcqRel) => Need::BASE,
        Some(FenceOrder::Acquire | FenceOrder::Release) => Need::new(8, 6, 90),
    };
    Some(need.and(scope_need(Some(scope))))
}

/// The modifier `.cta` came later than the barriers.
pub(super) fn barrier(cta: Cta) -> Option<Need> {
    Some(if cta.0 { Need::new(7, 8, 70) } else { Need::BASE })
}

pub(super) fn redux(op: Redux, ty: Type) -> Option<Need> {
    let exists = match op {
        Redux::Add | Redux::Min | Redux::Max => matches!(ty, U32 | S32),
        Redux::And | Redux::Or | Redux::Xor => ty == B32,
    };
    when(exists, Need::new(7, 0, 80))
}

pub(super) fn redux_float(op: Redux, ty: Type) -> Option<Need> {
    when(
        ty == F32 && matches!(op, Redux::Min | Redux::Max),
        Need::on(8, 6, Target::sm_a(100)).or(8, 8, Target::sm_f(100)),
    )
}

pub(super) fn activemask(ty: Type) -> Option<Need> {
    when(ty == B32, Need::new(6, 2, 70))
}

pub(super) fn elect(has_predicate: bool) -> Option<Need> {
    when(has_predicate, Need::new(8, 0, 90))
}
