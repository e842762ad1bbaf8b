//! The files of the page, which are part of the program.

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
    let (kind, text) = match path {
        "/" => ("text/html; charset=utf-8", include_str!("page/index.html")),
        "/app.js" => ("text/javascript; charset=utf-8", include_str!("page/app.js")),
        "/style.css" => ("text/css; charset=utf-8", include_str!("page/style.css")),
        _ => return None,
    };
    Some(Asset { kind, text })
}
