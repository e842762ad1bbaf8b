//! The language server: an editor's requests, answered from the database.
//!
//! One thread owns the database. It takes all messages that wait, applies their edits, sends the diagnostics of the front end,
//! and hands requests to workers, which read a snapshot. An edit cancels the requests that are being worked on: they are answered
//! with "content modified", and the editor may ask again. Only this module knows the protocol; what it shows is computed in
//! [`crate::ide`].

mod answers;
mod bytecode;
mod capabilities;
mod convert;
mod delivery;
mod documents;
mod features;
mod folders;
mod handshake;
mod measuring;
mod progress;
mod python;
mod requests;
mod server;
mod settings;
mod snapshot;
mod state;
mod tokens;
mod transport;
mod uri;
mod workers;

use std::io;

use lsp_server::Connection;

use transport::Transport;

/// How a conversation with an editor has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It has sent `shutdown` before.
    InOrder,
    /// The input ended without `shutdown`, or cannot be understood.
    Abruptly,
}

impl Ended {
    /// The exit status that the protocol asks for.
    fn status(self) -> i32 {
        match self {
            Self::InOrder => 0,
            Self::Abruptly => 1,
        }
    }
}

/// Serves an editor on standard input and output, until it exits or disconnects. Requests that are still being worked on are not
/// waited for, since the process is about to end.
///
/// # Errors
/// The system's error, if no thread can be started.
pub fn serve() -> io::Result<Ended> {
    let (connection, transport) = Transport::stdio()?;
    serve_on(&connection)?;
    Ok(transport.finish())
}

/// Serves an editor at the other end of a connection. Requests that are still being worked on at its end are not waited for.
///
/// # Errors
/// The system's error, if no thread can be started.
pub fn serve_on(connection: &Connection) -> io::Result<()> {
    // As much as the deepest text needs, whatever thread this is.
    stacker::grow(crate::STACK, || server::Server::run(connection))
}
