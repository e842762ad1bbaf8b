//! The files of the page, which are part of the program.

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asset {
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its text; `{{token}}` stands for the token of the run.
    pub(super) text: &'static str,
}

/// The file at a path.
pub(super) fn asset(path: &str) -> Option<Asset> {
    macro_rules! files {
        ($($name:literal: $kind:expr),+ $(,)?) => {
            match path {
                "/" => (HTML, include_str!("page/index.html")),
                $(concat!("/", $name) => ($kind, include_str!(concat!("page/", $name))),)+
                _ => return None,
            }
        };
    }
    let (kind, text) = files! {
        "style.css": CSS,
        "about.js": SCRIPT,
        "address.js": SCRIPT,
        "app.js": SCRIPT,
        "attributes.js": SCRIPT,
        "dom.js": SCRIPT,
        "drafts.js": SCRIPT,
        "listing.js": SCRIPT,
        "passes.js": SCRIPT,
        "problems.js": SCRIPT,
        "roving.js": SCRIPT,
        "server.js": SCRIPT,
        "sheet.js": SCRIPT,
        "source.js": SCRIPT,
        "split.js": SCRIPT,
        "tints.js": SCRIPT,
        "words.js": SCRIPT,
    };
    Some(Asset { kind, text })
}
