//! The language server: an editor's requests, answered from the database.
//!
//! One thread owns the database. It takes all messages that wait, applies their edits, tells what the front end says, and hands
//! requests to workers, which read a snapshot. An edit cancels what still reads: such a request is answered with "content
//! modified", which makes the editor ask again if it still wants to know. Only this part knows the protocol; what it shows is
//! made in [`crate::ide`].

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
    /// It has said `shutdown` before.
    InOrder,
    /// It is gone, or said what is not understood.
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

/// Serves an editor on standard input and output, until it says so or goes away. What is still worked on then goes on: the process
/// is to end.
///
/// # Errors
/// The system's error, if it gives no thread.
pub fn serve() -> io::Result<Ended> {
    let (connection, transport) = Transport::stdio()?;
    serve_on(&connection)?;
    Ok(transport.finish())
}

/// Serves an editor at the other end of a connection. What is still worked on at its end goes on.
///
/// # Errors
/// The system's error, if it gives no thread.
pub fn serve_on(connection: &Connection) -> io::Result<()> {
    // As much as the deepest text needs, whatever thread this is.
    stacker::grow(crate::STACK, || server::Server::run(connection))
}
