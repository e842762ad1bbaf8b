//! Variables in global memory, and the names that PTX accepts.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::Global;
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;
use tilewright_irs::ptx::{Linkage, Space, Variable};

/// A variable with its initial contents.
///
/// # Errors
/// PTX does not accept the name (E0503).
pub(super) fn variable(
    symbol: &str,
    value: &Dense,
    elements: u64,
    align: u32,
    visible: bool,
) -> Result<Variable, Diagnostic<Origin>> {
    if !is_identifier(symbol) {
        let message = format!("`{symbol}` is no name that PTX takes");
        return Err(Diagnostic::error(Code::UnsupportedFeature, message)
            .help("names are letters, digits, `_` and `$`, and do not begin with a digit"));
    }
    let size = elements
        .saturating_mul(stored_bits(value.ty()).into())
        .div_ceil(8);
    let initial: Vec<u8> = match value {
        // Without contents a variable is zero.
        Dense::Splat(literal) if literal.bits == 0 => Vec::new(),
        Dense::Splat(literal) => stored(value.ty(), (0..elements).map(|_| literal.bits)),
        Dense::Elements(_, all) => stored(value.ty(), all.iter().copied()),
    };
    Ok(Variable {
        linkage: if visible {
            Linkage::Visible
        } else {
            Linkage::Internal
        },
        space: Space::Global,
        align,
        name: symbol.into(),
        bytes: Some(size),
        initial,
    })
}

/// The variable of a global of a module, for one that no kernel names.
///
/// # Errors
/// PTX does not accept the name (E0503).
pub fn variable_of(global: &Global) -> Result<Variable, Diagnostic<Origin>> {
    let align = u32::try_from(global.alignment).unwrap_or(u32::MAX);
    variable(
        &global.name,
        &global.value,
        global.ty.shape.iter().product(),
        align.max(global.value.ty().bytes().unwrap_or(1)),
        !global.private,
    )
}

/// Size of an element in memory, in bits: two numbers of four bits share a byte.
fn stored_bits(ty: ScalarType) -> u32 {
    ty.bytes().map_or(4, |bytes| 8 * bytes)
}

/// The bytes of some elements, of two in one byte the first in its low bits.
fn stored(ty: ScalarType, elements: impl Iterator<Item = u64>) -> Vec<u8> {
    let Some(size) = ty.bytes() else {
        let halves: Vec<u64> = elements.collect();
        let pair = |pair: &[u64]| pair.iter().rev().fold(0, |byte, &half| byte << 4 | half & 15);
        return halves
            .chunks(2)
            .map(pair)
            .flat_map(|byte| byte.to_le_bytes().into_iter().take(1))
            .collect();
    };
    elements
        .flat_map(|bits| bits.to_le_bytes().into_iter().take(size as usize))
        .collect()
}

/// PTX ISA, "Identifiers".
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    let rest_ok = chars
        .clone()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    match first {
        Some(c) if c.is_ascii_alphabetic() => rest_ok,
        Some('_' | '$') => rest_ok && chars.next().is_some(),
        _ => false,
    }
}
