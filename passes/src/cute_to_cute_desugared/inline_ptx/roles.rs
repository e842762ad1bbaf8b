//! Operands by their roles, as `nvvm.inline_ptx` names them: `{$r0}` is the first that is read, `{$w0}` the first result.

/// The text with operands by their numbers, results first.
///
/// # Errors
/// A name that stands for no operand.
pub(super) fn numbered(code: &str, results: usize) -> Result<String, String> {
    let mut text = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("{$") {
        let Some((name, next)) = after.split_once('}') else {
            return Err("a brace is not closed".to_owned());
        };
        let number = |digits: &str| digits.parse::<usize>().ok();
        let own = match (name.strip_prefix('w'), name.strip_prefix('r')) {
            (Some(digits), _) => number(digits).filter(|number| *number < results),
            (None, Some(digits)) => number(digits).and_then(|number| number.checked_add(results)),
            (None, None) => None,
        };
        let Some(own) = own else {
            return Err(format!("there is no operand `{{${name}}}`"));
        };
        text.push_str(before);
        text.push('$');
        text.push_str(&own.to_string());
        rest = next;
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn roles_are_numbers() {
        assert_eq!(
            numbered("add.s32 {$w0}, {$r0}, {$r1};", 1).as_deref(),
            Ok("add.s32 $0, $1, $2;")
        );
        assert_eq!(
            numbered("{ mov.b32 $0, $1; }", 1).as_deref(),
            Ok("{ mov.b32 $0, $1; }")
        );
        for wrong in [
            "mov.b32 {$w1}, 0;",
            "mov.b32 {$rw0}, 0;",
            "mov.b32 {$x}, 0;",
            "mov.b32 {$w0",
        ] {
            assert!(numbered(wrong, 1).is_err(), "{wrong}");
        }
    }
}
