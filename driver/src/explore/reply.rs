//! An answer of the server, with the headers that keep a page to itself.

use std::io::{self, Write};

use tiny_http::{Request, StatusCode};

/// The content security policy: what the page may load, and which pages may embed it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// An answer to a request.
#[derive(Debug)]
pub(super) struct Reply {
    status: u16,
    kind: &'static str,
    body: String,
}

impl Reply {
    /// An answer of this media type.
    pub(super) fn new(status: u16, kind: &'static str, body: String) -> Self {
        Self { status, kind, body }
    }

    /// An answer in plain text.
    pub(super) fn text(status: u16, words: impl Into<String>) -> Self {
        Self::new(status, "text/plain; charset=utf-8", words.into())
    }

    /// Sends the answer and asks the client to close the connection. `tiny_http` has a thread for each open connection, but
    /// counts its idle threads too late: of several connections that open at once, one may be served only when another ends.
    ///
    /// # Errors
    /// The system's error for the socket.
    pub(super) fn send(self, request: Request) -> io::Result<()> {
        let reason = StatusCode(self.status).default_reason_phrase();
        let mut writer = request.into_writer();
        write!(writer, "HTTP/1.1 {} {reason}\r\n", self.status)?;
        let length = self.body.len().to_string();
        for (name, value) in [
            ("Content-Type", self.kind),
            ("Content-Length", length.as_str()),
            ("Connection", "close"),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ] {
            write!(writer, "{name}: {value}\r\n")?;
        }
        write!(writer, "\r\n{}", self.body)?;
        writer.flush()
    }
}
