//! Random programs with structs and arrays of a thread: they compute the same after each pass that removes these, and as PTX.

#[allow(dead_code)]
mod machine;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright_diagnostics::{Code, FileId};
use tilewright_grammar::stages::parse_stage;
use tilewright_irs::core::{Func, verify};
use tilewright_irs::llvm::{Llvm, LlvmDialect, LlvmOp};
use tilewright_passes::llvm::{
    dissolve_structs, legalize_small_integers, promote_locals, simplify, unroll_thread_loops,
};
use tilewright_passes::llvm_to_nvvm::{rename_kernel_marker, select_instructions};
use tilewright_passes::nvvm_to_ptx::emit_ptx;
use tilewright_simulator::{Device, Init};

const THREADS: u32 = 32;
/// The sizes of the arrays of a thread.
const ARRAYS: [u32; 3] = [16, 32, 64];
/// A struct that fills 24 bytes, of which not all are its fields.
const STRUCT: &str = "struct<i32, struct<i8, i64>>";

/// A program that is being written.
struct Writer {
    random: ChaCha8Rng,
    text: String,
    names: u32,
    /// The i32 values in scope.
    values: Vec<String>,
    /// Whether all accesses are at places that are known after unrolling.
    is_static: bool,
}

impl Writer {
    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&format!("  {text}\n"));
    }

    /// An op with one result, which has a new name.
    fn op(&mut self, text: &str) -> String {
        let name = self.name();
        self.line(&format!("{name} = {text}"));
        name
    }

    fn value(&mut self) -> String {
        let at = self.below(self.values.len());
        self.values[at].clone()
    }

    fn constant(&mut self, ty: &str, number: u32) -> String {
        self.op(&format!("arith.constant {{value = {ty}<{number}>}} : {ty}"))
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(), self.value());
        self.op(&format!(
            "arith.cmpi {a}, {b} {{predicate = lt, signedness = signed}} : i1"
        ))
    }

    /// A value of a type, of the bits of i32 values.
    fn of(&mut self, ty: &str) -> String {
        if let Some((count, element)) = vector(ty) {
            let elements: Vec<String> = (0..count).map(|_| self.of(element)).collect();
            return self.op(&format!("llvm.build_vector [{}] : {ty}", elements.join(", ")));
        }
        let x = self.value();
        match ty {
            "i1" => self.condition(),
            "i8" | "i16" => self.op(&format!("arith.trunci {x} : {ty}")),
            "i64" => self.op(&format!("arith.exti {x} {{signedness = signed}} : i64")),
            "f32" => self.op(&format!("arith.bitcast {x} : f32")),
            STRUCT if self.below(3) == 0 => {
                let (condition, yes, no) = (self.condition(), self.of(ty), self.of(ty));
                self.op(&format!("arith.select {condition}, {yes}, {no} : {ty}"))
            }
            STRUCT => {
                let (byte, long) = (self.of("i8"), self.of("i64"));
                let whole = self.op(&format!("llvm.undef : {ty}"));
                let whole = self.op(&format!("llvm.insertvalue {x}, {whole} {{path = [0]}} : {ty}"));
                let whole = self.op(&format!(
                    "llvm.insertvalue {byte}, {whole} {{path = [1, 0]}} : {ty}"
                ));
                self.op(&format!(
                    "llvm.insertvalue {long}, {whole} {{path = [1, 1]}} : {ty}"
                ))
            }
            _ => x,
        }
    }

    /// Mixes a value of a type into those in scope.
    fn take(&mut self, value: &str, ty: &str) {
        let bits = match ty {
            _ if vector(ty).is_some() => {
                let (count, element) = vector(ty).expect("a vector");
                let index = self.below(count);
                let one = self.op(&format!(
                    "llvm.extractelement {value} {{index = {index}}} : {element}"
                ));
                return self.take(&one, element);
            }
            "i1" | "i8" | "i16" => self.op(&format!("arith.exti {value} {{signedness = unsigned}} : i32")),
            "i64" => self.op(&format!("arith.trunci {value} : i32")),
            "f32" => self.op(&format!("arith.bitcast {value} : i32")),
            STRUCT => {
                let long = self.op(&format!("llvm.extractvalue {value} {{path = [1, 1]}} : i64"));
                return self.take(&long, "i64");
            }
            _ => value.to_owned(),
        };
        let other = self.value();
        let mixed = self.op(&format!("arith.xori {bits}, {other} : i32"));
        self.values.push(mixed);
    }

    /// A load or a store through an address.
    fn access(&mut self, address: &str, ty: &str) {
        let align = alignment(ty);
        let masked = self.below(4) == 0;
        let mask = if masked { self.condition() } else { String::new() };
        if self.below(2) == 0 {
            let value = self.of(ty);
            let mask = if masked {
                format!(", mask {mask}")
            } else {
                String::new()
            };
            self.line(&format!(
                "llvm.store {address}, {value}{mask} {{align = {align}, order = weak}}"
            ));
        } else {
            let mask = if masked {
                let other = self.of(ty);
                format!(", mask {mask}, other {other}")
            } else {
                String::new()
            };
            let value = self.op(&format!(
                "llvm.load {address}{mask} {{align = {align}, order = weak}} : {ty}"
            ));
            self.take(&value, ty);
        }
    }

    fn array(&mut self) -> (String, u32) {
        let slot = self.below(ARRAYS.len());
        let bytes = ARRAYS[slot];
        let base = self.op(&format!(
            "llvm.alloca {{slot = {slot}, bytes = {bytes}, align = 16}} : ptr<5>"
        ));
        (base, bytes)
    }

    fn ty(&mut self) -> &'static str {
        const TYPES: [&str; 11] = [
            "i1",
            "i8",
            "i16",
            "i32",
            "i32",
            "i64",
            "f32",
            "vector<2xi32>",
            "vector<4xf32>",
            "vector<8xi8>",
            STRUCT,
        ];
        TYPES[self.below(TYPES.len())]
    }

    /// Accesses of an array at a place that is known.
    fn constant_access(&mut self) {
        let (base, bytes) = self.array();
        let ty = self.ty();
        let (size, align) = (size(ty), alignment(ty));
        if size > bytes {
            return;
        }
        let offset = self.below(((bytes - size) / align + 1) as usize) as u32 * align;
        let address = self.op(&format!(
            "llvm.getelementptr {base} {{scale = 1, offset = {offset}}} : ptr<5>"
        ));
        self.access(&address, ty);
    }

    /// Accesses an array at an index that is below a bound.
    fn indexed_access(&mut self, index: &str, bound: u32) {
        let ty = ["i8", "i16", "i32", "f32"][self.below(4)];
        let (base, _) = self.array();
        let scale = size(ty);
        if bound * scale > 16 {
            return;
        }
        let index = self.op(&format!("arith.exti {index} {{signedness = unsigned}} : i64"));
        let address = self.op(&format!(
            "llvm.getelementptr {base}, index {index} {{scale = {scale}, offset = 0}} : ptr<5>"
        ));
        self.access(&address, ty);
    }

    fn statements(&mut self, count: usize, depth: u32, index: Option<(&str, u32)>) {
        for _ in 0..count {
            match self.below(12) {
                0..=4 => self.constant_access(),
                5 | 6 => match index {
                    Some((index, bound)) => self.indexed_access(index, bound),
                    None => self.constant_access(),
                },
                7 if depth > 0 => self.choice(depth - 1, index),
                8 | 9 if depth > 0 => self.counted(depth - 1),
                10 if self.below(12) == 0 => {
                    let (x, three) = (self.value(), self.constant("i32", 3));
                    let index = self.op(&format!("arith.andi {x}, {three} : i32"));
                    self.is_static = false;
                    self.indexed_access(&index, 4);
                }
                _ => {
                    let (a, b) = (self.value(), self.value());
                    let sum = self.op(&format!("arith.addi {a}, {b} {{overflow = wraps}} : i32"));
                    self.values.push(sum);
                }
            }
        }
    }

    /// The end of a branch: an i32 value that comes out of it, and what is in scope after it.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self)) -> String {
        let known = self.values.len();
        inside(self);
        let out = self.values.last().expect("a value").clone();
        self.values.truncate(known);
        out
    }

    fn choice(&mut self, depth: u32, index: Option<(&str, u32)>) {
        let condition = self.condition();
        let other = self.value();
        let [then, join, arg] = [self.name(), self.name(), self.name()].map(|name| name[1..].to_owned());
        self.line(&format!("llvm.cond_br {condition}, ^{then}, ^{join}({other})"));
        self.text.push_str(&format!("^{then}:\n"));
        let count = 1 + self.below(3);
        let out = self.scoped(|writer| writer.statements(count, depth, index));
        self.line(&format!("llvm.br ^{join}({out})"));
        self.text.push_str(&format!("^{join}(%{arg}: i32):\n"));
        self.values.push(format!("%{arg}"));
    }

    fn counted(&mut self, depth: u32) {
        let bound = 1 + self.below(5) as u32;
        let init = self.value();
        let [zero, one, most] = [0, 1, bound].map(|number| self.constant("i32", number));
        let [head, exit, counter, carried, last] = [(); 5].map(|()| self.name()[1..].to_owned());
        self.line(&format!("llvm.br ^{head}({zero}, {init})"));
        self.text
            .push_str(&format!("^{head}(%{counter}: i32, %{carried}: i32):\n"));
        let count = 1 + self.below(4);
        let out = self.scoped(|writer| {
            writer.values.push(format!("%{carried}"));
            let index = format!("%{counter}");
            writer.statements(count, depth, Some((&index, bound)));
        });
        let next = self.op(&format!(
            "arith.addi %{counter}, {one} {{overflow = wraps}} : i32"
        ));
        let more = self.op(&format!(
            "arith.cmpi {next}, {most} {{predicate = lt, signedness = signed}} : i1"
        ));
        let unroll = match self.below(12) {
            0..=3 => " {unroll = full}",
            4 => {
                self.is_static = false;
                " {unroll = never}"
            }
            _ => "",
        };
        self.line(&format!(
            "llvm.cond_br {more}, ^{head}({next}, {out}), ^{exit}({out}){unroll}"
        ));
        self.text.push_str(&format!("^{exit}(%{last}: i32):\n"));
        self.values.push(format!("%{last}"));
    }
}

fn vector(ty: &str) -> Option<(usize, &str)> {
    let (count, element) = ty.strip_prefix("vector<")?.strip_suffix('>')?.split_once('x')?;
    Some((count.parse().ok()?, element))
}

fn size(ty: &str) -> u32 {
    match (vector(ty), ty) {
        (Some((count, element)), _) => u32::try_from(count).expect("few") * size(element),
        (None, "i1" | "i8") => 1,
        (None, "i16") => 2,
        (None, "i64") => 8,
        (None, STRUCT) => 24,
        (None, _) => 4,
    }
}

fn alignment(ty: &str) -> u32 {
    if ty == STRUCT { 8 } else { size(ty) }
}

/// A program, and whether all its arrays can become values.
fn program(seed: u64) -> (String, bool) {
    let mut w = Writer {
        random: ChaCha8Rng::seed_from_u64(seed),
        text: format!(
            "llvm.func @k(%p: ptr<1>) {{target = sm_90a, cute.kernel, nvvm.reqntid = {THREADS}, shared_bytes = 0}} body {{\n"
        ),
        names: 0,
        values: Vec::new(),
        is_static: true,
    };
    let thread = w.op("llvm.read_special {register = tid.x} : i32");
    let index = w.op(&format!("arith.exti {thread} {{signedness = unsigned}} : i64"));
    let own = w.op(&format!(
        "llvm.getelementptr %p, index {index} {{scale = 4, offset = 0}} : ptr<1>"
    ));
    let x = w.op(&format!("llvm.load {own} {{align = 4, order = weak}} : i32"));
    w.values.extend([thread, x]);
    // Every byte is written before it is read.
    for (slot, bytes) in ARRAYS.into_iter().enumerate() {
        let base = w.op(&format!(
            "llvm.alloca {{slot = {slot}, bytes = {bytes}, align = 16}} : ptr<5>"
        ));
        for offset in (0..bytes).step_by(16) {
            let value = w.of("vector<4xi32>");
            let address = w.op(&format!(
                "llvm.getelementptr {base} {{scale = 1, offset = {offset}}} : ptr<5>"
            ));
            w.line(&format!(
                "llvm.store {address}, {value} {{align = 16, order = weak}}"
            ));
        }
    }
    w.statements(12, 2, None);
    for (slot, bytes) in ARRAYS.into_iter().enumerate() {
        let base = w.op(&format!(
            "llvm.alloca {{slot = {slot}, bytes = {bytes}, align = 16}} : ptr<5>"
        ));
        for offset in (0..bytes).step_by(4) {
            let address = w.op(&format!(
                "llvm.getelementptr {base} {{scale = 1, offset = {offset}}} : ptr<5>"
            ));
            let word = w.op(&format!("llvm.load {address} {{align = 4, order = weak}} : i32"));
            let sum = w.values.last().expect("a value").clone();
            let three = w.constant("i32", 3);
            let scaled = w.op(&format!("arith.muli {sum}, {three} {{overflow = wraps}} : i32"));
            let mixed = w.op(&format!("arith.xori {scaled}, {word} : i32"));
            w.values.push(mixed);
        }
    }
    let out = w.values.last().expect("a value").clone();
    w.line(&format!("llvm.store {own}, {out} {{align = 4, order = weak}}"));
    w.line("llvm.return");
    w.text.push_str("}\n");
    (w.text, w.is_static)
}

fn checked(made: Result<Func<Llvm>, impl std::fmt::Debug>, text: &str) -> Func<Llvm> {
    let func = made.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    verify(&func).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    func
}

/// What memory holds after the program has run as PTX in the simulator.
fn as_ptx(func: &Func<Llvm>, data: &[u8], text: &str) -> Vec<u8> {
    let func = checked(legalize_small_integers(func), text);
    let func = checked(rename_kernel_marker(&func), text);
    let selected = select_instructions(&func).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    verify(&selected).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    let ptx = emit_ptx(&selected)
        .unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
        .to_string();
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let mut device = Device::new();
    let buffer = device.alloc("p", data.len(), Init::Data(data.to_vec()));
    device
        .launch(&module, "k", [1; 3], [1; 3], 0, &[buffer.into()])
        .unwrap_or_else(|fault| panic!("{fault}\n{text}\n{ptx}"));
    device.read(buffer).to_vec()
}

#[test]
fn programs_with_arrays_compute_the_same_without() {
    let mut promoted = 0;
    for seed in 0..120 {
        let (text, is_static) = program(seed);
        let parsed = parse_stage::<Llvm>(&text, FileId(0));
        assert!(
            parsed.diagnostics.is_empty(),
            "seed {seed}: {:#?}\n{text}",
            parsed.diagnostics
        );
        let func = checked(parsed.module.funcs.into_iter().next().ok_or("no function"), &text);
        let data: Vec<u8> = (0..4 * THREADS as usize)
            .map(|i| ((i * i * 37) >> 3) as u8)
            .collect();
        let results = |func: &Func<Llvm>| {
            let mut memory = data.clone();
            machine::run(func, 1, &[machine::GLOBAL], &mut memory);
            memory
        };
        let want = results(&func);
        let dissolved = checked(dissolve_structs(&func), &text);
        let unrolled = checked(unroll_thread_loops(&dissolved), &text);
        let values = checked(promote_locals(&unrolled).map(|promoted| promoted.func), &text);
        let simple = checked(simplify(&values), &text);
        for (pass, after) in [
            ("dissolve_structs", &dissolved),
            ("unroll_thread_loops", &unrolled),
            ("promote_locals", &values),
            ("simplify", &simple),
        ] {
            assert!(
                results(after) == want,
                "seed {seed}: {pass} changes the result\n{text}"
            );
        }
        let is_array = |kind: &LlvmOp| matches!(kind, LlvmOp::Llvm(LlvmDialect::Alloca { .. }));
        let arrays = simple.body.ops().filter(|(_, op)| is_array(&op.kind)).count();
        assert!(!is_static || arrays == 0, "seed {seed}: arrays are left\n{text}");
        promoted += usize::from(arrays == 0);
        if seed % 8 == 0 {
            assert!(
                as_ptx(&dissolved, &data, &text) == want,
                "seed {seed}: PTX with arrays\n{text}"
            );
            assert!(as_ptx(&simple, &data, &text) == want, "seed {seed}: PTX\n{text}");
        }
    }
    assert!(
        (40..120).contains(&promoted),
        "{promoted} of 120 programs are without arrays"
    );
}

/// Each array that stays has a note at the access that keeps it there.
#[test]
fn a_note_says_why_an_array_stays_in_memory() {
    let text = include_str!("../../golden/llvm.promote_locals/kept_stays.in.llvm");
    let parsed = parse_stage::<Llvm>(text, FileId(0));
    let func = parsed.module.funcs.into_iter().next().expect("a function");
    let promoted = promote_locals(&func).expect("a function");
    assert_eq!(promoted.func, func);
    let notes: Vec<(Code, &str)> = promoted
        .notes
        .iter()
        .map(|note| {
            (
                note.code,
                note.primary.as_ref().map_or("", |label| &label.message),
            )
        })
        .collect();
    let why = [
        "where this access is depends on the run",
        "this uses its address",
        "this access is in part outside of it",
        "this accesses bytes of a pointer as something else",
    ];
    assert_eq!(notes, why.map(|why| (Code::ArrayInMemory, why)));
}
