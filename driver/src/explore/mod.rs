//! The explorer: a page that shows a compilation, served on the loopback address.
//!
//! The server answers nobody but the page that it opened: a request needs the token of this run, the server's own address as
//! its host and, if it names an origin, as that too. It reads no file but the one it was given.

mod drawings;
mod guard;
mod option_sets;
mod page;
mod reply;
mod session;
mod texts;
mod views;

use std::io::{self, Read};
use std::path::PathBuf;

use serde_json::{Value, json};
use tiny_http::{Method, Request, Server};

use crate::inputs::Request as CompileRequest;
use guard::Guard;
use reply::Reply;
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
            let reply = self.answer(&mut request);
            // A page that is gone needs no answer.
            let _ = reply.send(request);
        }
    }

    fn answer(&mut self, request: &mut Request) -> Reply {
        let (path, query) = match request.url().split_once('?') {
            Some((path, query)) => (path.to_owned(), query.to_owned()),
            None => (request.url().to_owned(), String::new()),
        };
        if let Err(why) = self.guard.admit(request, &query) {
            return Reply::text(403, why);
        }
        if let (Method::Get, Some(asset)) = (request.method(), page::asset(&path)) {
            let text = asset.text.replace("{{token}}", self.guard.token());
            return Reply::new(200, asset.kind, text);
        }
        if *request.method() != Method::Post {
            return Reply::text(404, "there is no such page");
        }
        let mut body = Vec::new();
        let read = request.as_reader().take(MAX_BODY + 1).read_to_end(&mut body);
        if read.is_err() || u64::try_from(body.len()).is_ok_and(|length| length > MAX_BODY) {
            return Reply::text(413, "the request is too large");
        }
        let asked: Value = match serde_json::from_slice(&body) {
            Ok(asked) => asked,
            Err(error) => return Reply::text(400, error.to_string()),
        };
        let session = &mut self.session;
        let outcome = crate::panics::caught(|| match path.as_str() {
            "/api/file" => Some(Ok(session.file(&asked))),
            "/api/compile" => Some(session.compile(&asked)),
            "/api/pass" => Some(session.pass(&asked)),
            "/api/attribute" => Some(session.attribute(&asked)),
            "/api/about" => Some(session.about(&asked)),
            "/api/schedule" => Some(session.schedule(&asked)),
            "/api/layout" => Some(Session::layout(&asked)),
            "/api/explain" => Some(Session::explain(&asked)),
            _ => None,
        });
        let answer = match outcome {
            Ok(Some(Ok(answer))) => answer,
            Ok(Some(Err(why))) => json!({ "error": why }),
            Ok(None) => return Reply::text(404, "there is no such request"),
            Err(message) => json!({ "error": format!("internal error: {message}") }),
        };
        Reply::new(200, "application/json", answer.to_string())
    }
}
