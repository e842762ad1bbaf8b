//! The explorer: a page that shows a compilation, served on the loopback address.
//!
//! The server answers nobody but the page that it opened: a request needs the token of this run, the server's own address as
//! its host and, if it names an origin, as that too. It reads no file but the one it was given.

mod guard;
mod page;
mod session;

use std::io::{self, Read};
use std::path::PathBuf;

use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response, Server};

use crate::inputs::Request as CompileRequest;
use guard::Guard;
use session::Session;

/// Length limit of a request's body, in bytes.
const MAX_BODY: u64 = 64 << 20;

/// A server that listens.
pub struct Explorer {
    server: Server,
    guard: Guard,
    session: Session,
}

impl std::fmt::Debug for Explorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Explorer at {}", self.address())
    }
}

impl Explorer {
    /// Listens on a port of the loopback address, a free one for 0, for a page about this file.
    ///
    /// # Errors
    /// The system's error for the port.
    pub fn listen(port: u16, path: PathBuf, bytes: Vec<u8>, request: CompileRequest) -> io::Result<Self> {
        let server = Server::http(("127.0.0.1", port)).map_err(io::Error::other)?;
        let port = server
            .server_addr()
            .to_ip()
            .map_or(port, |address| address.port());
        Ok(Self {
            server,
            guard: Guard::new(port),
            session: Session::new(path, bytes, request),
        })
    }

    /// The address of the page, with the token of this run.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Answers requests, for ever.
    ///
    /// # Errors
    /// The system's error for the socket.
    pub fn serve(mut self) -> io::Result<()> {
        loop {
            let mut request = self.server.recv()?;
            let response = self.answer(&mut request);
            // A page that is gone needs no answer.
            let _ = request.respond(response);
        }
    }

    fn answer(&mut self, request: &mut Request) -> Response<io::Cursor<Vec<u8>>> {
        let (path, query) = match request.url().split_once('?') {
            Some((path, query)) => (path.to_owned(), query.to_owned()),
            None => (request.url().to_owned(), String::new()),
        };
        if let Err(why) = self.guard.admit(request, &query) {
            return text(403, "text/plain; charset=utf-8", why.to_owned());
        }
        if let (Method::Get, Some(asset)) = (request.method(), page::asset(&path)) {
            return text(
                200,
                asset.kind,
                asset.text.replace("{{token}}", self.guard.token()),
            );
        }
        if *request.method() != Method::Post {
            return text(
                404,
                "text/plain; charset=utf-8",
                "there is no such page".to_owned(),
            );
        }
        let mut body = Vec::new();
        let read = request.as_reader().take(MAX_BODY + 1).read_to_end(&mut body);
        if read.is_err() || u64::try_from(body.len()).is_ok_and(|length| length > MAX_BODY) {
            return text(
                413,
                "text/plain; charset=utf-8",
                "the request is too large".to_owned(),
            );
        }
        let asked: Value = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) => return text(400, "text/plain; charset=utf-8", error.to_string()),
        };
        let session = &mut self.session;
        let outcome = crate::panics::caught(|| match path.as_str() {
            "/api/file" => Some(Ok(session.file(&asked))),
            "/api/compile" => Some(session.compile(&asked)),
            "/api/pass" => Some(session.pass(&asked)),
            "/api/about" => Some(session.about(&asked)),
            "/api/layout" => Some(Session::layout(&asked)),
            "/api/explain" => Some(Session::explain(&asked)),
            _ => None,
        });
        let answer = match outcome {
            Ok(Some(Ok(answer))) => answer,
            Ok(Some(Err(why))) => json!({ "error": why }),
            Ok(None) => {
                return text(
                    404,
                    "text/plain; charset=utf-8",
                    "there is no such request".to_owned(),
                );
            }
            Err(message) => json!({ "error": format!("internal error: {message}") }),
        };
        text(200, "application/json", answer.to_string())
    }
}

/// A response with the headers that keep a page to itself.
fn text(status: u16, kind: &str, body: String) -> Response<io::Cursor<Vec<u8>>> {
    let headers = [
        ("Content-Type", kind),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ];
    let mut response = Response::from_data(body.into_bytes())
        .with_status_code(status)
        .with_chunked_threshold(usize::MAX);
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}
