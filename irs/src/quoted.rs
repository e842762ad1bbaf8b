//! Quoted strings as MLIR writes them.

/// The text between the quotes with its escapes replaced; `None` if one is unknown or the bytes are not UTF-8. Escapes are
/// `\n`, `\t`, `\"`, `\\` and two hexadecimal digits. (MLIR language reference, "Common syntax".)
pub fn unescaped(inside: &str) -> Option<String> {
    let digit = |byte: u8| {
        let digit = char::from(byte).to_digit(16);
        digit.and_then(|digit| u8::try_from(digit).ok())
    };
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next()? {
            b'n' => b'\n',
            b't' => b'\t',
            byte @ (b'"' | b'\\') => byte,
            high => (digit(high)? << 4) | digit(rest.next()?)?,
        });
    }
    String::from_utf8(bytes).ok()
}
