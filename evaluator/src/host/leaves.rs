//! The numbers that types leave open.

use std::fmt::Display;

use tilewright_diagnostics::Code;
use tilewright_irs::cute_types::{CuteType, Kind};
use tilewright_irs::mlir::Type;
use tilewright_layouts::cute::Fact;

use super::value::{Field, Integer};
use crate::fault::{Fault, Outcome};

/// The field of a leaf with this number; none if the leaf is static.
///
/// # Errors
/// The number is not what the type says of it.
pub(super) fn field_of(fact: Fact, number: i128, ty: &dyn Display) -> Outcome<Option<Field>> {
    let (bits, divisor) = match fact {
        Fact::Static(value) if i128::from(value) == number => return Ok(None),
        Fact::Static(value) => {
            let message = format!("{number} is computed, where the type `{ty}` says {value}");
            return Err(Fault::new(Code::BrokenPromise, message));
        }
        Fact::Dynamic { width: bits, divisor } => (bits.count(), divisor),
    };
    let field = Integer::new(bits, number);
    if field.signed() != number {
        let message = format!("{number} does not fit the {bits} bits of `{fact}` in `{ty}`");
        return Err(Fault::new(Code::UndefinedResult, message));
    }
    if number % i128::from(divisor.get()) != 0 {
        let message = format!("{number} is no multiple of {divisor}, as `{fact}` in `{ty}` says");
        return Err(Fault::new(Code::BrokenPromise, message));
    }
    Ok(Some(Field::Integer(field)))
}

/// Whether a value of this type begins with an address or a descriptor, before its numbers.
pub(super) fn has_iterator(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::View(_) | Kind::Pointer(_) | Kind::DescriptorView(_) | Kind::Descriptor(_)
    )
}

/// What is known of the numbers of a value of this type, in the order of its fields.
pub(super) fn open_leaves(ty: &CuteType) -> Vec<Fact> {
    match ty.kind() {
        Kind::Integer(integer) => vec![Fact::dynamic(integer.width, integer.divisor)],
        kind => kind.dynamic_leaves(),
    }
}

/// The numbers of a value, in the order of its fields.
///
/// # Errors
/// The value has fewer than its type leaves open.
pub(super) fn open_numbers(ty: &Type, fields: &[Field]) -> Outcome<Vec<i64>> {
    let (skipped, count) = match ty {
        Type::Cute(ty) => (usize::from(has_iterator(ty.kind())), open_leaves(ty).len()),
        Type::Integer(_, 8 | 16 | 32 | 64) => (0, 1),
        _ => (0, 0),
    };
    let numbers = fields.iter().skip(skipped).take(count).map(|field| {
        let number = field.integer()?.signed();
        i64::try_from(number).ok()
    });
    let numbers: Option<Vec<i64>> = numbers.collect();
    let missing = || Fault::broken("a value with fewer numbers than its type leaves open");
    numbers
        .filter(|numbers| numbers.len() == count)
        .ok_or_else(missing)
}

/// The type with these numbers for its dynamic leaves, in order. With fewer numbers the last leaves stay open.
pub(super) fn numbered(ty: &CuteType, numbers: &[i64]) -> CuteType {
    let mut numbers = numbers.iter();
    CuteType::from(ty.kind().map_leaves(&mut |leaf: &Fact| match leaf {
        Fact::Static(_) => *leaf,
        Fact::Dynamic { .. } => numbers.next().map_or(*leaf, |number| Fact::Static(*number)),
    }))
}

/// Every leaf of a type, in the order of its text.
fn all_leaves(ty: &CuteType) -> Vec<Fact> {
    let mut leaves = Vec::new();
    let _: Kind = ty.kind().map_leaves(&mut |leaf: &Fact| {
        leaves.push(*leaf);
        *leaf
    });
    leaves
}

/// The fields of a value of the type `ty`, of the same value as one of the type `found`, which has these numbers.
///
/// # Errors
/// The types are nested in other ways, or a number is not what the type says of it.
pub(super) fn retyped(ty: &CuteType, found: &CuteType, numbers: &[i64]) -> Outcome<Vec<Field>> {
    let found = numbered(found, numbers);
    let (open, known) = (all_leaves(ty), all_leaves(&found));
    let other = || {
        let message = format!("the result is `{found}`, which is no `{ty}`");
        Fault::new(Code::UndefinedResult, message)
    };
    if open.len() != known.len() || ty.word() != found.word() {
        return Err(other());
    }
    let mut fields = Vec::new();
    for (open, known) in open.into_iter().zip(known) {
        let number = known.value().ok_or_else(other)?;
        fields.extend(field_of(open, i128::from(number), ty)?);
    }
    Ok(fields)
}
