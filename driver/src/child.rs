//! Waits for programs that this one starts, with a time limit and a way to end them early.

use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running program is polled.
const POLL: Duration = Duration::from_millis(2);

/// Why a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The program exited.
    Itself,
    /// It was killed because `stop` was set.
    Stopped,
    /// It was killed at the time limit.
    TimedOut,
}

/// Waits until a program exits, and kills it when `stop` is set or after `limit`. Returns its status and why it ended.
///
/// # Errors
/// The system's error.
pub(crate) fn wait(
    child: &mut Child,
    stop: &AtomicBool,
    limit: Option<Duration>,
) -> io::Result<(ExitStatus, Cause)> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, Cause::Itself));
        }
        let cause = if stop.load(Ordering::Relaxed) {
            Some(Cause::Stopped)
        } else {
            limit
                .filter(|limit| start.elapsed() > *limit)
                .map(|_| Cause::TimedOut)
        };
        if let Some(cause) = cause {
            kill(child)?;
            return Ok((child.wait()?, cause));
        }
        thread::sleep(POLL);
    }
}

/// Kills a program; if it leads a process group of its own, all processes of the group.
#[cfg(unix)]
fn kill(child: &mut Child) -> io::Result<()> {
    use rustix::process::{Pid, Signal, getpgid, kill_process_group};
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(id) = id
        && getpgid(Some(id)) == Ok(id)
    {
        return Ok(kill_process_group(id, Signal::KILL)?);
    }
    child.kill()
}

#[cfg(not(unix))]
fn kill(child: &mut Child) -> io::Result<()> {
    child.kill()
}
