//! Applies an operation to many operands, for tests in other languages: `compute OP FROM TO MODE ARITY` reads 64-bit
//! little-endian words, `ARITY` a case, and writes one for each case.

#[path = "../tests/float/dispatch.rs"]
mod dispatch;

use std::io::{Error, Read, Write};

fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || Error::other("usage: compute OP FROM TO MODE ARITY");
    let [name, from, to, mode, arity] = args.as_slice() else {
        return Err(usage());
    };
    let operation = dispatch::Operation::read([name, from, to, mode]).ok_or_else(usage)?;
    let arity: usize = arity.parse().map_err(|_| usage())?;
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input)?;
    let words: Vec<u64> = input
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| u64::from_le_bytes(bytes))
        .collect();
    let mut output = Vec::with_capacity(input.len());
    for operands in words.chunks_exact(arity.max(1)) {
        let result = operation.apply(operands);
        let result =
            result.ok_or_else(|| Error::other(format!("{operation:?} of {operands:x?} has no value")))?;
        output.extend(result.to_le_bytes());
    }
    std::io::stdout().write_all(&output)
}
