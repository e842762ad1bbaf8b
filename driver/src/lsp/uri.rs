//! Converts between URIs of documents and paths of files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// The path of the file that a URI names, if it names one.
pub(super) fn file_of(uri: &Uri) -> Option<PathBuf> {
    let scheme = uri.scheme()?;
    if !scheme.as_str().eq_ignore_ascii_case("file") {
        return None;
    }
    let path = uri.path().as_estr().decode().into_string().ok()?;
    Some(PathBuf::from(without_slash_of_drive(&path)))
}

/// `/c:/k.py` as `c:/k.py`.
fn without_slash_of_drive(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', letter, b':', ..] if cfg!(windows) && letter.is_ascii_alphabetic() => {
            path.get(1..).unwrap_or_default()
        }
        _ => path,
    }
}

/// The URI of a file.
pub(super) fn of_file(file: &Path) -> Option<Uri> {
    let mut text = "file://".to_owned();
    let path = file.to_str()?.replace('\\', "/");
    if !path.starts_with('/') {
        text.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ascii_goes_there_and_back() {
        let file = Path::new("/a b/größe%20.py");
        let uri = of_file(file).expect("an address");
        assert_eq!(uri.as_str(), "file:///a%20b/gr%C3%B6%C3%9Fe%2520.py");
        assert_eq!(file_of(&uri).as_deref(), Some(file));
        assert_eq!(file_of(&Uri::from_str("untitled:k").expect("an address")), None);
    }
}
