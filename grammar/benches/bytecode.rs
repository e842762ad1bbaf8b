//! Reading, verifying and printing bytecode: `cargo bench -p tilewright-grammar`.
//!
//! A file holds a thousand kernels or more: those of the examples, which a front end wrote, again and again, each with a
//! name, integer constants and places of its own. It is measured with debug information, as front ends write it, and
//! without, when it is smaller, and once more without, with so many kernels that it is a megabyte as well; the throughput
//! is that of bytecode, and of text where that is read. `TILEWRIGHT_CHECKOUT` says where the repository is, if it is not
//! where this was built; `RAYON_NUM_THREADS=1` measures one thread; into the folder `TILEWRIGHT_BENCH_FILES` the files
//! are written, for other tools.

#![allow(clippy::print_stdout, reason = "a benchmark says what it measures")]

use std::path::PathBuf;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::{Bytecode, read, write, write_arranged};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{
    DebugAttr, DebugId, DebugInfo, FuncLocations, ShapeOp, TileModule, TileOp, Version, print_tile_module,
    verify_module,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

/// The allocator of the compiler itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A file to measure.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: &'static str,
    kernels: usize,
    with_places: bool,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const KINDS: [Kind; 3] = [
    Kind {
        name: "with places",
        kernels: 1000,
        with_places: true,
    },
    Kind {
        name: "without",
        kernels: 1000,
        with_places: false,
    },
    Kind {
        name: "a megabyte without",
        kernels: 5800,
        with_places: false,
    },
];

/// Kernels of more ops are left out, so that a thousand of them with places make about a megabyte.
const MAX_OPS: usize = 40;

fn main() {
    for kind in KINDS {
        let bytes = file(kind);
        let found = found_in(&bytes);
        let ops: usize = found.module.funcs.iter().map(|func| func.body.op_count()).sum();
        let text = print_tile_module(&found.module, None).len();
        if let Some(folder) = std::env::var_os("TILEWRIGHT_BENCH_FILES").map(PathBuf::from) {
            let name = kind.name.replace(' ', "_") + ".tileirbc";
            std::fs::write(folder.join(name), &bytes).expect("the folder for files can be written");
        }
        let (bytes, kernels) = (bytes.len(), found.module.funcs.len());
        println!("{kind}: {bytes} bytes of bytecode, {kernels} kernels, {ops} ops, {text} bytes of text");
    }
    divan::main();
}

/// The same attribute, its parts `offset` entries further on, of the kernel called `name`.
fn moved(attr: &DebugAttr, offset: u32, name: &str) -> DebugAttr {
    let mut attr = attr.clone();
    match &mut attr {
        DebugAttr::Unknown | DebugAttr::File { .. } => {}
        DebugAttr::CompileUnit { file } => file.0 += offset,
        DebugAttr::LexicalBlock { scope, file, .. } => {
            scope.0 += offset;
            file.0 += offset;
        }
        DebugAttr::Loc { scope, .. } => scope.0 += offset,
        DebugAttr::Subprogram {
            file,
            compile_unit,
            linkage_name,
            ..
        } => {
            file.0 += offset;
            compile_unit.0 += offset;
            name.clone_into(linkage_name);
        }
        DebugAttr::CallSite { callee, caller } => {
            for id in [callee, caller].into_iter().flatten() {
                id.0 += offset;
            }
        }
        DebugAttr::Place { .. } => {}
        DebugAttr::Name { place, .. } => place.iter_mut().for_each(|id| id.0 += offset),
        DebugAttr::Fused { places, .. } => places.iter_mut().flatten().for_each(|id| id.0 += offset),
    }
    attr
}

/// The bytes of a file.
fn file(kind: Kind) -> Vec<u8> {
    let built = || concat!(env!("CARGO_MANIFEST_DIR"), "/..").into();
    let root = std::env::var_os("TILEWRIGHT_CHECKOUT").map_or_else(built, PathBuf::from);
    let mut paths: Vec<_> = std::fs::read_dir(root.join("examples/bytecode"))
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".13.5.tileirbc"))
        .collect();
    paths.sort();
    let examples: Vec<Bytecode> = paths
        .iter()
        .map(|path| read(&std::fs::read(path).expect("a file"), FileId(0)).expect("bytecode"))
        .collect();
    let small: Vec<_> = examples
        .iter()
        .filter(|example| example.module.globals.is_empty())
        .flat_map(|example| (0..example.module.funcs.len()).map(move |at| (example, at)))
        .filter(|(example, at)| example.module.funcs[*at].body.op_count() <= MAX_OPS)
        .collect();
    let mut module = TileModule::new(Version::LATEST);
    let mut debug = DebugInfo::default();
    for (n, (example, at)) in small.into_iter().cycle().take(kind.kernels).enumerate() {
        let mut func = example.module.funcs[at].clone();
        func.name = format!("{}_{n}", func.name);
        for id in func.body.walk() {
            if let TileOp::Shape(ShapeOp::Constant { value }) = &mut func.body.op_mut(id).kind
                && let Dense::Splat(literal) = value
                && literal.ty == ScalarType::I32
            {
                literal.bits += n as u64 / 16;
            }
        }
        if kind.with_places {
            let offset = u32::try_from(debug.attrs.len()).expect("few");
            let own = &example.debug.funcs[at];
            let attrs = example.debug.attrs.iter();
            debug
                .attrs
                .extend(attrs.map(|attr| moved(attr, offset, &func.name)));
            let shift = |id: DebugId| DebugId::new(id.index() + offset as usize);
            debug.funcs.push(FuncLocations {
                func: own.func.map(shift),
                ops: own.ops.iter().map(|id| id.map(shift)).collect(),
            });
        }
        module.funcs.push(func);
    }
    write(&module, &debug, Version::LATEST).expect("13.5 holds everything")
}

fn found_in(bytes: &[u8]) -> Bytecode {
    read(bytes, FileId(0)).expect("bytecode")
}

#[divan::bench(args = KINDS)]
fn reading(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    bencher.bench(|| found_in(black_box(&bytes)));
}

#[divan::bench(args = KINDS)]
fn verifying(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let found = found_in(&bytes);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    bencher.bench(|| verify_module(black_box(&found.module)).expect("valid"));
}

#[divan::bench(args = KINDS)]
fn printing(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let found = found_in(&bytes);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    bencher.bench(|| print_tile_module(black_box(&found.module), None));
}

#[divan::bench]
fn printing_places(bencher: Bencher) {
    let bytes = file(KINDS[0]);
    let found = found_in(&bytes);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    bencher.bench(|| print_tile_module(black_box(&found.module), Some(&found.debug)));
}

#[divan::bench(args = KINDS)]
fn reading_verifying_and_printing(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    // What is made is given back, so that its end is not measured.
    bencher.bench(|| {
        let found = found_in(black_box(&bytes));
        verify_module(&found.module).expect("valid");
        (print_tile_module(&found.module, None), found)
    });
}

/// The throughput is that of text.
#[divan::bench(args = KINDS)]
fn parsing(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let found = found_in(&bytes);
    let places = kind.with_places.then_some(&found.debug);
    let text = print_tile_module(&found.module, places);
    let bencher = bencher.counter(BytesCount::of_str(&text));
    bencher.bench(|| parse_tile_text(black_box(&text), FileId(0)));
}

#[divan::bench(args = KINDS)]
fn writing(bencher: Bencher, kind: Kind) {
    let bytes = file(kind);
    let found = found_in(&bytes);
    let bencher = bencher.counter(BytesCount::of_slice(&bytes));
    bencher.bench(|| {
        let module = black_box(&found.module);
        write_arranged(module, &found.debug, Version::LATEST, &found.arrangement)
            .expect("13.5 holds everything")
    });
}
