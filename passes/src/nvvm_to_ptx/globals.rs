//! Variables in global memory, and the names that PTX accepts.

use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::Origin;
use tilewright_irs::literal::Dense;
use tilewright_irs::ptx::{Linkage, Space, Variable};

/// A variable with its initial contents.
///
/// # Errors
/// PTX does not accept the name (E0503), or elements do not fill bytes (E0502).
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
    let Some(size) = value.ty().bytes() else {
        let message = format!(
            "a global of `{}`, whose elements do not fill whole bytes, is not supported yet",
            value.ty()
        );
        return Err(Diagnostic::error(Code::UnsupportedType, message));
    };
    let width = size as usize;
    let bytes = |bits: u64| bits.to_le_bytes().into_iter().take(width);
    let initial: Vec<u8> = match value {
        // Without contents a variable is zero.
        Dense::Splat(literal) if literal.bits == 0 => Vec::new(),
        Dense::Splat(literal) => (0..elements).flat_map(|_| bytes(literal.bits)).collect(),
        Dense::Elements(_, all) => all.iter().flat_map(|&bits| bytes(bits)).collect(),
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
        bytes: Some(elements.saturating_mul(u64::from(size))),
        initial,
    })
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
