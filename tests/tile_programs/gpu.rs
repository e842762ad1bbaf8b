//! Writes programs with what they leave in memory, for comparison with a GPU by `tests/gpu/tile_programs.py`.
//!
//! `programs.txt` lists the programs: for each a line `program NAME TEXT`, then its arguments and launches as in a file
//! of a case; an array has the hash of what it holds at the end, and the elements that can be anything. `N.ptx` are
//! texts with many kernels each.

use std::fmt::Write;
use std::path::Path;

use rayon::prelude::*;

use super::case::{Array, Case};
use super::generate;
use super::numbers::random;
use super::run::{self, Forced, How, Session, Wanted, elements};

/// The programs of a text.
const PROGRAMS_OF_A_TEXT: u64 = 100;
const TARGET: &str = "sm_90a";
/// The ops and types that programs are counted by.
const FAMILIES: [&str; 32] = [
    "make_partition_view",
    "make_strided_view",
    "make_gather_scatter_view",
    "load_ptr_tko",
    "store_ptr_tko",
    "atomic_rmw_tko",
    "atomic_cas_tko",
    "atomic_red_view_tko",
    "reduce",
    "scan",
    "mmaf",
    "mmai",
    "for",
    "loop",
    "if",
    "permute",
    "reshape",
    "broadcast",
    "cat",
    "extract",
    "insert",
    "pack",
    "ftoi",
    "ftof",
    "itof",
    "divi",
    "remf",
    "fma",
    "alloca",
    "exp",
    "tan",
    "fpowf",
];

/// A sum over the elements that are specified, in which each position counts.
fn hash(array: &Array, wanted: &Wanted) -> u64 {
    elements(array, &wanted.bytes)
        .enumerate()
        .filter(|&(at, _)| !wanted.is_unspecified(array, at))
        .map(|(at, bits)| random(bits, at as u64))
        .fold(0, u64::wrapping_add)
}

/// Runs of unspecified elements.
fn skipped(array: &Array, wanted: &Wanted) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..array.count).filter(|&at| wanted.is_unspecified(array, at)) {
        match runs.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => runs.push((at, at + 1)),
        }
    }
    let runs: Vec<String> = runs.iter().map(|(from, to)| format!("{from}-{to}")).collect();
    match runs.is_empty() {
        true => "-".to_owned(),
        false => runs.join(","),
    }
}

/// The description of a program, and its kernels as PTX.
fn written(seed: u64, case: &Case, text: u64) -> Result<(String, String), String> {
    let mut session = Session::new(case);
    let wanted = session.evaluated(case).map_err(|failure| failure.why)?;
    let opt_level = if seed.is_multiple_of(8) { 0 } else { 3 };
    let how = How {
        opt_level,
        target: TARGET,
        forced: Forced::asked(),
    };
    let ptx = session
        .compiled(how)
        .map_err(|failure| format!("{:?}: {}", failure.kind, failure.why))?;
    let mut list = format!("program {seed} {text} -O{opt_level}");
    if run::has_clusters(&ptx) {
        list += " cluster";
    }
    for family in FAMILIES
        .iter()
        .filter(|&family| case.text.contains(&format!("{family} ")))
    {
        list += " ";
        list += family;
    }
    list.push('\n');
    let mut arrays = case.arrays().zip(&wanted);
    let described = case.print();
    for line in described.lines().filter_map(|line| line.strip_prefix("// ")) {
        list += line;
        if line.starts_with("array")
            && let Some((array, wanted)) = arrays.next()
        {
            let _ = write!(
                list,
                " hash={} skip={}",
                hash(array, wanted),
                skipped(array, wanted)
            );
        }
        list.push('\n');
    }
    Ok((list, ptx))
}

/// One text with the kernels of several, whose names differ.
pub(crate) fn joined(texts: &[String], target: &str) -> String {
    let heads = [".version", ".target", ".address_size"];
    let version = texts.iter().filter_map(|text| text.lines().next()).max();
    let version = version.unwrap_or_default();
    let mut module = format!("{version}\n.target {target}\n.address_size 64\n");
    for line in texts.iter().flat_map(|text| text.lines()) {
        if !heads.iter().any(|head| line.starts_with(head)) {
            module += line;
            module.push('\n');
        }
    }
    module
}

/// Writes the programs of these seeds to a folder.
pub(crate) fn write(folder: &Path, first: u64, count: u64) {
    std::fs::create_dir_all(folder).expect("a folder");
    let texts: Vec<u64> = (0..count.div_ceil(PROGRAMS_OF_A_TEXT)).collect();
    let parts: Vec<(String, String)> = texts
        .into_par_iter()
        .map(|text| {
            let from = first + text * PROGRAMS_OF_A_TEXT;
            let (mut list, mut kernels, mut left_out) = (String::new(), Vec::new(), String::new());
            for seed in from..(from + PROGRAMS_OF_A_TEXT).min(first + count) {
                let case = generate::case(seed, &format!("k{seed}"));
                match written(seed, &case, text) {
                    Ok((lines, ptx)) => {
                        list += &lines;
                        kernels.push(ptx);
                    }
                    Err(why) => {
                        let _ = writeln!(left_out, "{seed}: {why}");
                    }
                }
            }
            let path = folder.join(format!("{text}.ptx"));
            std::fs::write(path, joined(&kernels, TARGET)).expect("a file");
            (list, left_out)
        })
        .collect();
    let (list, left_out): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    std::fs::write(folder.join("programs.txt"), list.concat()).expect("a file");
    std::fs::write(folder.join("left_out.txt"), left_out.concat()).expect("a file");
}
