//! Parallel processing of many functions.

use std::sync::OnceLock;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// With fewer ops than this, starting threads costs more than it saves.
const WORTHWHILE: usize = 8_192;

/// Stack size of a thread, for nested regions.
const STACK: usize = 8 << 20;

/// Pieces per thread, for load balancing.
const PIECES: usize = 4;

/// The thread pool, created on first use; none if there is one core, or if threads cannot be created.
fn threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let start = || ThreadPoolBuilder::new().stack_size(STACK).build().ok();
    THREADS
        .get_or_init(|| start().filter(|threads| threads.current_num_threads() > 1))
        .as_ref()
}

/// Applies `run` to consecutive pieces of the items and returns the results in order. A piece comes with the index of
/// its first item; the number of pieces depends on the machine, so the combined result must not depend on it. `ops`
/// is the amount of work.
pub fn in_pieces<T: Sync, R: Send>(items: &[T], ops: usize, run: impl Fn(usize, &[T]) -> R + Sync) -> Vec<R> {
    let much = ops >= WORTHWHILE && items.len() > 1;
    let Some(threads) = much.then(threads).flatten() else {
        return vec![run(0, items)];
    };
    let pieces = threads.current_num_threads().saturating_mul(PIECES);
    let size = items.len().div_ceil(pieces);
    threads.install(|| {
        let pieces = items.par_chunks(size).enumerate();
        pieces
            .map(|(n, piece)| run(n.saturating_mul(size), piece))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_in_order_however_many_there_are() {
        let items: Vec<usize> = (0..1_000).collect();
        for ops in [0, WORTHWHILE] {
            let made = in_pieces(&items, ops, |first, piece| {
                assert_eq!(piece.first(), Some(&first));
                piece.to_vec()
            });
            assert_eq!(made.concat(), items);
        }
        assert_eq!(in_pieces(&[0u8; 0], WORTHWHILE, |_, piece| piece.len()), [0]);
    }
}
