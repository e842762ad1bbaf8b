//! Conversions among all types, packing, and parts of tiles: compiled and run in the simulator, and run by the reference
//! evaluator, they write the same memory.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tilewright::{Compiler, Language, Request, Stage, TileKernel, joins, reading};
use tilewright_diagnostics::FileId;
use tilewright_evaluator::number::Format;
use tilewright_irs::element::ScalarType;
use tilewright_irs::isa::Target;
use tilewright_simulator as simulator;

/// A kernel that computes with tiles from one buffer, and writes one tile to another.
struct Program {
    text: String,
    next: usize,
    params: Vec<String>,
    /// The number of elements and the type of each buffer.
    buffers: Vec<(usize, ScalarType)>,
}

/// A tile in the text.
#[derive(Clone)]
struct Tile {
    name: String,
    shape: Vec<usize>,
    ty: ScalarType,
}

fn spelled(shape: &[usize], element: &str) -> String {
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    format!("tile<{extents}{element}>")
}

impl Tile {
    fn ty(&self) -> String {
        spelled(&self.shape, word(self.ty))
    }
}

fn word(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 => "i1",
        ScalarType::I4 => "i4",
        ScalarType::I8 => "i8",
        ScalarType::I16 => "i16",
        ScalarType::I32 => "i32",
        ScalarType::I64 => "i64",
        ScalarType::F16 => "f16",
        ScalarType::BF16 => "bf16",
        ScalarType::F32 => "f32",
        ScalarType::TF32 => "tf32",
        ScalarType::F64 => "f64",
        ScalarType::F8E4M3FN => "f8E4M3FN",
        ScalarType::F8E5M2 => "f8E5M2",
        ScalarType::F8E8M0FNU => "f8E8M0FNU",
        ScalarType::F4E2M1FN => "f4E2M1FN",
        ScalarType::F8E5M3FNU => "fnv8E5M3FNU",
    }
}

impl Program {
    fn new() -> Self {
        Self {
            text: String::new(),
            next: 0,
            params: Vec::new(),
            buffers: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        self.text += &format!("  {line}\n");
    }

    /// Defines a tile.
    fn define(&mut self, shape: &[usize], ty: ScalarType, op: &str) -> Tile {
        let name = format!("%v{}", self.next);
        self.next += 1;
        self.line(&format!("{name} = {op}"));
        let shape = shape.to_vec();
        Tile { name, shape, ty }
    }

    /// Pointers to the elements of a new buffer.
    fn pointers(&mut self, count: usize, ty: ScalarType) -> (String, String) {
        let (at, ty_word) = (self.buffers.len(), word(ty));
        self.buffers.push((count, ty));
        self.params.push(format!("%p{at}: tile<ptr<{ty_word}>>"));
        let (one, many) = (
            format!("tile<1xptr<{ty_word}>>"),
            format!("tile<{count}xptr<{ty_word}>>"),
        );
        self.line(&format!("%i{at} = iota : tile<{count}xi32>"));
        self.line(&format!(
            "%q{at} = reshape %p{at} : tile<ptr<{ty_word}>> -> {one}"
        ));
        self.line(&format!("%r{at} = broadcast %q{at} : {one} -> {many}"));
        self.line(&format!(
            "%s{at} = offset %r{at}, %i{at} : {many}, tile<{count}xi32> -> {many}"
        ));
        (format!("%s{at}"), many)
    }

    fn load(&mut self, shape: &[usize], ty: ScalarType) -> Tile {
        let count = shape.iter().product();
        let (pointers, many) = self.pointers(count, ty);
        let at = self.buffers.len();
        let (name, to) = (format!("%l{at}"), spelled(&[count], word(ty)));
        self.line(&format!(
            "{name}, %t{at} = load_ptr_tko weak {pointers} : {many} -> {to}, token"
        ));
        let shape_of = vec![count];
        let loaded = Tile {
            name,
            shape: shape_of,
            ty,
        };
        self.reshape(&loaded, shape)
    }

    fn reshape(&mut self, tile: &Tile, shape: &[usize]) -> Tile {
        let op = format!(
            "reshape {} : {} -> {}",
            tile.name,
            tile.ty(),
            spelled(shape, word(tile.ty))
        );
        self.define(shape, tile.ty, &op)
    }

    fn store(&mut self, tile: &Tile) {
        let count = tile.shape.iter().product();
        let flat = self.reshape(tile, &[count]);
        let (pointers, many) = self.pointers(count, tile.ty);
        let at = self.buffers.len();
        self.line(&format!(
            "%d{at} = store_ptr_tko weak {pointers}, {} : {many}, {} -> token",
            flat.name,
            flat.ty()
        ));
    }

    /// An elementwise op to another type.
    fn cast(&mut self, tile: &Tile, op: &str, modifiers: &str, to: ScalarType) -> Tile {
        let target = spelled(&tile.shape, word(to));
        let op = format!("{op} {}{modifiers} : {} -> {target}", tile.name, tile.ty());
        self.define(&tile.shape, to, &op)
    }

    /// `pack` or `unpack`.
    fn repacked(&mut self, tile: &Tile, op: &str, count: usize, to: ScalarType) -> Tile {
        let op = format!(
            "{op} {} : {} -> {}",
            tile.name,
            tile.ty(),
            spelled(&[count], word(to))
        );
        self.define(&[count], to, &op)
    }

    fn text(&self) -> String {
        let params = self.params.join(", ");
        format!(
            "cuda_tile.module @m {{\n entry @k({params}) {{\n{}  return\n }}\n}}\n",
            self.text
        )
    }
}

/// Bytes of an element in memory.
fn bytes(ty: ScalarType) -> usize {
    ty.bytes().map_or(1, |bytes| bytes as usize)
}

/// Runs a program both ways on the contents of its buffers, of which the last is the output.
fn check(program: &Program, inputs: &[Vec<u8>], target: Target) {
    let text = program.text();
    let mut compiler = Compiler::new();
    let source = compiler.add_source("program", text.as_bytes());
    let parsed = reading::parse(&compiler, source);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let kernel = parsed.kernels.first().expect("a kernel");
    let Stage::CudaTile(kernel) = kernel.body(&compiler).clone() else {
        panic!("no cuda_tile")
    };
    let kernel = TileKernel::clone(&kernel);
    let (count, ty) = *program.buffers.last().expect("an output");
    let poison = vec![0xA5; count * bytes(ty)];
    let buffers: Vec<Vec<u8>> = inputs.iter().cloned().chain([poison]).collect();

    let mut device = tilewright_evaluator::Device::new(&kernel.module).expect("a module");
    let places: Vec<_> = buffers
        .iter()
        .map(|data| device.allocate("buffer", tilewright_evaluator::Init::Data(data.clone())))
        .collect();
    let args: Vec<_> = places
        .iter()
        .map(|&place| tilewright_evaluator::Arg::Pointer(place))
        .collect();
    device
        .launch(&kernel.func, [1, 1, 1], &args)
        .unwrap_or_else(|problem| panic!("{text}\n{problem:#?}"));
    let want = device.read(places[places.len() - 1]).to_vec();

    let options = compiler.options(Request {
        target: Some(target),
        ..Request::default()
    });
    let (ptx, said) = joins::compile(&compiler, source, options, Language::Ptx);
    let ptx = ptx.unwrap_or_else(|| panic!("{text}\n{said:#?}"));
    let module = tilewright_grammar::ptx::parse(FileId(0), &ptx).module;
    let mut device = simulator::Device::new();
    let places: Vec<_> = buffers
        .iter()
        .map(|data| device.alloc("buffer", data.len(), simulator::Init::Data(data.clone())))
        .collect();
    let args: Vec<simulator::Arg> = places.iter().map(|&place| place.into()).collect();
    device
        .launch(&module, "k", [1, 1, 1], [1, 1, 1], 0, &args)
        .unwrap_or_else(|fault| panic!("{text}\n{fault}"));
    let have = device.read(places[places.len() - 1]);

    let size = bytes(ty);
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0u64, |word, &byte| word << 8 | u64::from(byte))
    };
    // Memory holds a tf32 as an f32.
    let format = Format::of(if ty == ScalarType::TF32 {
        ScalarType::F32
    } else {
        ty
    });
    for (at, (have, want)) in have.chunks(size).zip(want.chunks(size)).enumerate() {
        let (have, want) = (number(have), number(want));
        let both_nan = format.is_some_and(|format| format.is_nan(have) && format.is_nan(want));
        assert!(
            have == want || both_nan,
            "{target}: element {at} is {have:#x}, not {want:#x}; its operands are {:x?}\n{text}",
            inputs
                .iter()
                .zip(&program.buffers)
                .map(|(data, (_, ty))| data.chunks(bytes(*ty)).nth(at).map(number))
                .collect::<Vec<_>>()
        );
    }
}

const COUNT: usize = 512;

/// Numbers of a type: all codes of 8 bits, special and random ones of more.
fn numbers(ty: ScalarType, count: usize, random: &mut ChaCha8Rng) -> Vec<u8> {
    let size = bytes(ty);
    let (stored, bias): (u32, u64) = match ty {
        ScalarType::F16 => (10, 15),
        ScalarType::BF16 => (7, 127),
        ScalarType::F32 | ScalarType::TF32 => (23, 127),
        ScalarType::F64 => (52, 1023),
        _ => (0, 0),
    };
    let width = 8 * size as u32;
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let number = |at: usize, random: &mut ChaCha8Rng| -> u64 {
        let drawn: u64 = random.random();
        let number = match at % 4 {
            _ if width == 8 => at as u64,
            0 => drawn,
            // Near 1, and near the numbers of the small formats, with few bits set or all of those after.
            1 | 2 if stored > 0 => {
                let exponent: u64 = (bias + random.random_range(0..40)).saturating_sub(20);
                let kept = random.random_range(0..=stored.min(5));
                let top = drawn & ((1 << stored) - 1) & !((1u64 << (stored - kept)) - 1);
                let low = [
                    0,
                    1,
                    (1u64 << (stored - kept)) - 1,
                    1 << (stored - kept).saturating_sub(1),
                ];
                let low = low[random.random_range(0..4)] & ((1 << stored) - 1);
                let sign = u64::from(random.random::<bool>()) << (width - 1);
                (exponent << stored) & mask >> 1 | top ^ low | sign
            }
            1 => drawn >> random.random_range(0..width),
            _ => [
                0,
                1,
                mask,
                mask >> 1,
                1 << (width - 1),
                ((2 * bias + 1) << stored) & mask,
            ][at / 4 % 6],
        };
        // A tf32 in memory is an f32 without its last bits.
        if ty == ScalarType::TF32 {
            number & !0x1FFF & mask
        } else {
            number & mask
        }
    };
    (0..count)
        .flat_map(|at| number(at, random).to_le_bytes()[..size].to_vec())
        .collect()
}

use ScalarType as S;

const FLOATS: [ScalarType; 9] = [
    S::F16,
    S::BF16,
    S::F32,
    S::TF32,
    S::F64,
    S::F8E4M3FN,
    S::F8E5M2,
    S::F8E8M0FNU,
    S::F4E2M1FN,
];
const INTS: [ScalarType; 4] = [S::I8, S::I16, S::I32, S::I64];
const OLD: Target = Target::sm(80);
const NEW: Target = Target::sm_a(90);
const NEWEST: Target = Target::sm_a(100);

/// Targets that have all of these types, of different instruction sets where possible.
fn targets(types: &[ScalarType]) -> &'static [Target] {
    if types.iter().any(|ty| matches!(ty, S::F8E8M0FNU | S::F4E2M1FN)) {
        &[NEWEST]
    } else if types.iter().any(|ty| matches!(ty, S::F8E4M3FN | S::F8E5M2)) {
        &[NEW]
    } else {
        &[OLD, NEW]
    }
}

/// A tile of a type, of 4-bit numbers from their bytes, and the type of its buffer.
fn source(program: &mut Program, ty: ScalarType, count: usize) -> (Tile, ScalarType) {
    if ty.bytes().is_some() {
        return (program.load(&[count], ty), ty);
    }
    let packed = program.load(&[count / 2], S::I8);
    (program.repacked(&packed, "unpack", count, ty), S::I8)
}

/// Stores a tile, one of 4-bit numbers as bytes.
fn stored(program: &mut Program, tile: &Tile) {
    if tile.ty.bytes().is_some() {
        program.store(tile);
        return;
    }
    let packed = program.repacked(tile, "pack", tile.shape[0] / 2, S::I8);
    program.store(&packed);
}

/// The modes that the language has for a conversion between floats.
fn modes(from: ScalarType, to: ScalarType) -> &'static [&'static str] {
    match (from, to) {
        (_, S::F8E8M0FNU) => &[" rounding<zero>", " rounding<positive_inf>"],
        (_, S::F8E4M3FN | S::F8E5M2 | S::F4E2M1FN) => &[""],
        (S::F32, S::TF32) => &["", " rounding<zero>", " rounding<nearest_away>"],
        (S::F64, S::F32) => &["", " rounding<zero>", " rounding<positive_inf>"],
        // Exact.
        (S::F8E4M3FN | S::F8E5M2 | S::F4E2M1FN, S::F16) => &["", " rounding<nearest_away>"],
        _ => &["", " rounding<zero>"],
    }
}

#[test]
fn floats_to_floats() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for from in FLOATS {
        for to in FLOATS.into_iter().filter(|&to| to != from) {
            for mode in modes(from, to) {
                let mut program = Program::new();
                let (tile, held) = source(&mut program, from, COUNT);
                let converted = program.cast(&tile, "ftof", mode, to);
                stored(&mut program, &converted);
                let count = program.buffers[0].0;
                let data = numbers(if held == S::I8 { S::I8 } else { from }, count, &mut random);
                for target in targets(&[from, to]).iter().copied() {
                    check(&program, std::slice::from_ref(&data), target);
                }
            }
        }
    }
}

#[test]
fn integers_to_floats_and_back() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for int in INTS {
        for float in FLOATS {
            for sign in [" signed", " unsigned"] {
                let mut program = Program::new();
                let tile = program.load(&[COUNT], int);
                let converted = program.cast(&tile, "itof", sign, float);
                stored(&mut program, &converted);
                if float != S::F8E8M0FNU {
                    check(
                        &program,
                        &[numbers(int, COUNT, &mut random)],
                        *targets(&[float]).last().expect("a target"),
                    );
                }
                let mut program = Program::new();
                let (tile, held) = source(&mut program, float, COUNT);
                let converted = program.cast(&tile, "ftoi", &format!("{sign} saturating"), int);
                program.store(&converted);
                let count = program.buffers[0].0;
                let data = numbers(if held == S::I8 { S::I8 } else { float }, count, &mut random);
                check(&program, &[data], *targets(&[float]).last().expect("a target"));
            }
        }
    }
}

#[test]
fn integers_of_four_bits() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut program = Program::new();
    let (tile, _) = source(&mut program, S::I4, COUNT);
    let bit = program.cast(&tile, "trunci", "", S::I1);
    let back = program.cast(&bit, "exti", " signed", S::I4);
    stored(&mut program, &back);
    check(&program, &[numbers(S::I8, COUNT / 2, &mut random)], NEW);
    for wide in INTS {
        let mut program = Program::new();
        let tile = program.load(&[COUNT], wide);
        let narrow = program.cast(&tile, "trunci", "", S::I4);
        stored(&mut program, &narrow);
        check(&program, &[numbers(wide, COUNT, &mut random)], NEW);
        for sign in [" signed", " unsigned"] {
            let mut program = Program::new();
            let (tile, _) = source(&mut program, S::I4, COUNT);
            let extended = program.cast(&tile, "exti", sign, wide);
            program.store(&extended);
            check(&program, &[numbers(S::I8, COUNT / 2, &mut random)], NEW);
        }
    }
}

#[test]
fn numbers_to_bytes_and_back() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let wide = [S::I16, S::I32, S::I64, S::F16, S::BF16, S::F32, S::TF32, S::F64];
    for count in [8, 128, COUNT] {
        for ty in wide {
            let total = count * bytes(ty);
            let mut program = Program::new();
            let tile = program.load(&[count], ty);
            let packed = program.repacked(&tile, "pack", total, S::I8);
            program.store(&packed);
            check(&program, &[numbers(ty, count, &mut random)], NEW);
            let mut program = Program::new();
            let tile = program.load(&[total], S::I8);
            let unpacked = program.repacked(&tile, "unpack", count, ty);
            program.store(&unpacked);
            check(&program, &[numbers(S::I8, total, &mut random)], NEW);
        }
        // To bytes and to other numbers.
        let mut program = Program::new();
        let (tile, _) = source(&mut program, S::F4E2M1FN, count);
        stored(&mut program, &tile);
        check(&program, &[numbers(S::I8, count / 2, &mut random)], NEWEST);
        let mut program = Program::new();
        let tile = program.load(&[count], S::F32);
        let packed = program.repacked(&tile, "pack", 4 * count, S::I8);
        let unpacked = program.repacked(&packed, "unpack", 2 * count, S::F16);
        program.store(&unpacked);
        check(&program, &[numbers(S::F32, count, &mut random)], NEW);
    }
}

#[test]
fn the_same_bits_as_another_type() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let sizes: [&[ScalarType]; 4] = [
        &[S::I8, S::F8E4M3FN, S::F8E5M2, S::F8E8M0FNU],
        &[S::I16, S::F16, S::BF16],
        &[S::I32, S::F32],
        &[S::I64, S::F64],
    ];
    for types in sizes {
        for &from in types {
            for &to in types.iter().filter(|&&to| to != from) {
                let mut program = Program::new();
                let tile = program.load(&[256], from);
                let converted = program.cast(&tile, "bitcast", "", to);
                program.store(&converted);
                check(
                    &program,
                    &[numbers(from, 256, &mut random)],
                    *targets(&[from, to]).last().expect("a target"),
                );
            }
        }
    }
}

#[test]
fn high_halves_of_products() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for ty in INTS {
        for target in [OLD, NEW] {
            let mut program = Program::new();
            let (a, b) = (program.load(&[COUNT], ty), program.load(&[COUNT], ty));
            let op = format!("mulhii {}, {} : {}", a.name, b.name, a.ty());
            let product = program.define(&[COUNT], ty, &op);
            program.store(&product);
            let mut data = || {
                let random: Vec<u8> = (0..COUNT * bytes(ty)).map(|_| random.random()).collect();
                random
            };
            check(&program, &[data(), data()], target);
        }
    }
}

#[test]
fn two_tiles_in_one() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let shapes: [&[usize]; 7] = [&[1], &[8], &[1024], &[16, 64], &[2, 2], &[64, 1], &[4, 8, 16]];
    for shape in shapes {
        for axis in 0..shape.len() {
            for ty in [S::I8, S::F32, S::F64] {
                let mut program = Program::new();
                let (a, b) = (program.load(shape, ty), program.load(shape, ty));
                let mut whole = shape.to_vec();
                whole[axis] *= 2;
                let op = format!(
                    "cat {}, {} dim = {axis} : {}, {} -> {}",
                    a.name,
                    b.name,
                    a.ty(),
                    b.ty(),
                    spelled(&whole, word(ty))
                );
                let joined = program.define(&whole, ty, &op);
                program.store(&joined);
                let count: usize = shape.iter().product();
                let data = [numbers(ty, count, &mut random), numbers(ty, count, &mut random)];
                check(&program, &data, NEW);
            }
        }
    }
}

/// Indices of a part, read from memory or constant.
fn indices(program: &mut Program, index: &[usize], known: bool) -> (String, Vec<Vec<u8>>) {
    let (mut names, mut data) = (Vec::new(), Vec::new());
    for &at in index {
        if known {
            names.push(
                program
                    .define(&[], S::I32, &format!("constant <i32: {at}> : tile<i32>"))
                    .name,
            );
        } else {
            let loaded = program.load(&[1], S::I32);
            names.push(program.reshape(&loaded, &[]).name);
            data.push((at as u32).to_le_bytes().to_vec());
        }
    }
    (names.join(", "), data)
}

#[test]
fn parts_of_tiles() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let cases: [(&[usize], &[usize]); 8] = [
        (&[16], &[4]),
        (&[1024], &[1]),
        (&[2048], &[512]),
        (&[32, 32], &[32, 8]),
        (&[32, 32], &[8, 16]),
        (&[8, 8], &[8, 8]),
        (&[2, 64], &[1, 1]),
        (&[4, 8, 16], &[2, 8, 4]),
    ];
    for (whole, part) in cases {
        for known in [true, false] {
            for ty in [S::I8, S::F32] {
                let index: Vec<usize> = whole
                    .iter()
                    .zip(part)
                    .map(|(&all, &some)| random.random_range(0..all / some))
                    .collect();
                let mut program = Program::new();
                let tile = program.load(whole, ty);
                let (names, at) = indices(&mut program, &index, known);
                let op = format!(
                    "extract {}[{names}] : {} -> {}",
                    tile.name,
                    tile.ty(),
                    spelled(part, word(ty))
                );
                let extracted = program.define(part, ty, &op);
                program.store(&extracted);
                let count: usize = whole.iter().product();
                let mut data = vec![numbers(ty, count, &mut random)];
                data.extend(at);
                check(&program, &data, NEW);

                let mut program = Program::new();
                let (tile, small) = (program.load(whole, ty), program.load(part, ty));
                let (names, at) = indices(&mut program, &index, known);
                let op = format!(
                    "insert {}, {}[{names}] : {}, {}",
                    small.name,
                    tile.name,
                    small.ty(),
                    tile.ty()
                );
                let changed = program.define(whole, ty, &op);
                program.store(&changed);
                let few: usize = part.iter().product();
                let mut data = vec![numbers(ty, count, &mut random), numbers(ty, few, &mut random)];
                data.extend(at);
                check(&program, &data, NEW);
            }
        }
    }
}
