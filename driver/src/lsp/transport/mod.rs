//! Standard input and output as a connection to an editor. The end of the input, or `exit`, ends the server, whatever it is
//! doing.

mod frames;
mod message;

use std::io::{self, BufReader, Write};
use std::process;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message};
use lsp_types::notification::{Exit, Notification as _};
use lsp_types::request::{Request as _, Shutdown};
use serde_json::Value;

use super::Ended;

/// The time that the server has to end by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads that read standard input and write standard output.
#[derive(Debug)]
pub(super) struct Transport {
    /// How the input has ended.
    ended: Arc<OnceLock<Ended>>,
    /// Tells the writer to end after it has written what is queued.
    finish: Sender<()>,
    writer: JoinHandle<()>,
}

impl Transport {
    /// A connection over standard input and output.
    ///
    /// # Errors
    /// The system's error, if no thread can be started.
    pub(super) fn stdio() -> io::Result<(Connection, Self)> {
        // Without limits: the end of the input is seen whether or not the server takes what came before.
        let (arrived, receiver) = unbounded();
        let (sender, messages) = unbounded();
        let (faults, refused) = unbounded();
        let (finish, finished) = bounded(1);
        let ended = Arc::<OnceLock<Ended>>::default();
        let told = Arc::clone(&ended);
        let reader = thread::Builder::new().name("input".to_owned());
        reader.spawn(move || {
            let how = read(&arrived, &faults);
            let _ = told.set(how);
            drop(arrived);
            // The server sees the end when it has done what it is at.
            thread::sleep(PATIENCE);
            process::exit(how.status());
        })?;
        let writer = thread::Builder::new().name("output".to_owned());
        let transport = Self {
            ended,
            finish,
            writer: writer.spawn(move || write(&messages, &refused, &finished))?,
        };
        Ok((Connection { sender, receiver }, transport))
    }

    /// Writes everything that is queued. Returns how the input has ended.
    pub(super) fn finish(self) -> Ended {
        // A writer that is gone has nobody to write to.
        let _ = self.finish.send(());
        let _ = self.writer.join();
        self.ended.get().copied().unwrap_or(Ended::Abruptly)
    }
}

/// Takes messages from standard input, up to the last one. Returns how they end.
fn read(arrived: &Sender<Message>, faults: &Sender<Value>) -> Ended {
    let mut stream = BufReader::new(io::stdin().lock());
    let mut ended = Ended::Abruptly;
    loop {
        let bytes = match frames::read(&mut stream) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return ended,
            Err(broken) => {
                let message = broken.to_string();
                let _ = faults.send(message::fault(&Value::Null, ErrorCode::ParseError, &message));
                // If standard error is closed, there is nowhere to report it.
                let _ = writeln!(io::stderr(), "error: the editor's connection broke: {message}");
                return Ended::Abruptly;
            }
        };
        match message::parse(&bytes) {
            Ok(Message::Notification(told)) if told.method == Exit::METHOD => return ended,
            Ok(message) => {
                if let Message::Request(asked) = &message
                    && asked.method == Shutdown::METHOD
                {
                    ended = Ended::InOrder;
                }
                if arrived.send(message).is_err() {
                    return ended;
                }
            }
            Err(fault) => {
                let _ = faults.send(fault);
            }
        }
    }
}

/// Writes messages to standard output, and error responses to invalid messages, until told to finish.
fn write(messages: &Receiver<Message>, faults: &Receiver<Value>, finished: &Receiver<()>) {
    let fault = |fault: Value| {
        let text = fault.to_string();
        let mut output = io::stdout().lock();
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush())
    };
    loop {
        let written = select! {
            recv(messages) -> next => match next {
                Ok(next) => next.write(&mut io::stdout().lock()),
                Err(_) => return,
            },
            recv(faults) -> next => next.map_or(Ok(()), fault),
            recv(finished) -> _ => {
                let mut rest = messages.try_iter().map(|next| next.write(&mut io::stdout().lock()));
                let mut more = faults.try_iter().map(fault);
                let _ = rest.by_ref().chain(more.by_ref()).all(|written| written.is_ok());
                return;
            }
        };
        // The editor is gone, which the end of its messages tells too.
        if written.is_err() {
            return;
        }
    }
}
