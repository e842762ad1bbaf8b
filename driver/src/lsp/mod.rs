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
mod measuring;
mod progress;
mod python;
mod requests;
mod server;
mod settings;
mod snapshot;
mod state;
mod tokens;
mod uri;
mod workers;

use std::io;

use lsp_server::Connection;

/// Serves an editor on standard input and output, until it says so or goes away.
///
/// # Errors
/// The error of a stream that broke.
pub fn serve() -> io::Result<()> {
    let (connection, threads) = Connection::stdio();
    let served = serve_on(&connection);
    // The writer ends with the last sender.
    drop(connection);
    threads.join()?;
    served
}

/// Serves an editor at the other end of a connection.
///
/// # Errors
/// The error of a stream that broke.
pub fn serve_on(connection: &Connection) -> io::Result<()> {
    // As much as the deepest text needs, whatever thread this is.
    stacker::grow(crate::STACK, || server::Server::run(connection))
}
