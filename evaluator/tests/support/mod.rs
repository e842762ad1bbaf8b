//! Runs kernels from text and returns the contents of memory.
#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod bodies;

use std::fmt::Write;

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_evaluator::{Arg, BufferId, Device, Init};
use tilewright_grammar::cuda_tile::parse_tile_text;
use tilewright_irs::core::Origin;
use tilewright_irs::cuda_tile::{PtrAttr, TileModule, verify_module};
use tilewright_irs::element::ScalarType;

/// A verified module from the text between its braces.
pub(crate) fn module(text: &str) -> TileModule {
    let text = format!("cuda_tile.module @m {{\n{text}\n}}\n");
    let parsed = parse_tile_text(&text, FileId(0));
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    let mut module = parsed.module;
    module.funcs = module
        .funcs
        .into_iter()
        .map(|mut func| {
            func.body = func.body.with_own_origins();
            func
        })
        .collect();
    if let Err(problems) = verify_module(&module) {
        panic!("{text}\n{problems:#?}");
    }
    module
}

/// Launches the first kernel of a text on some buffers and returns their contents.
pub(crate) fn launch(
    text: &str,
    grid: [u32; 3],
    buffers: Vec<Init>,
) -> Result<Vec<Vec<u8>>, Diagnostic<Origin>> {
    launch_on(text, grid, buffers, 1).map(|(contents, _)| contents)
}

/// What a launch left in its buffers, and what it warned of.
pub(crate) type Launched = (Vec<Vec<u8>>, Vec<Diagnostic<Origin>>);

/// Launches the first kernel of a text on some buffers, of which those behind multicast pointers have replicas.
pub(crate) fn launch_on(
    text: &str,
    grid: [u32; 3],
    buffers: Vec<Init>,
    replicas: usize,
) -> Result<Launched, Diagnostic<Origin>> {
    let module = module(text);
    let mut device = Device::new(&module)?;
    device.limit_steps(1 << 22);
    let buffers: Vec<BufferId> = buffers
        .into_iter()
        .enumerate()
        .map(|(at, init)| device.allocate(&format!("argument {at}"), init))
        .collect();
    let args: Vec<Arg> = buffers.iter().map(|&buffer| Arg::Pointer(buffer)).collect();
    let body = &module.funcs[0].body;
    for (&param, &buffer) in body.params().iter().zip(&buffers) {
        let tile = body.ty(param).as_tile().expect("a scalar");
        if tile.element.pointer().and_then(|pointer| pointer.attr) == Some(PtrAttr::Multicast) {
            device.replicate(buffer, replicas)?;
        }
    }
    device.launch(&module.funcs[0], grid, &args)?;
    let contents = buffers.iter().map(|&buffer| device.read(buffer).to_vec());
    Ok((contents.collect(), device.warnings().to_vec()))
}

/// The bytes of elements in memory.
pub(crate) fn bytes(ty: ScalarType, elements: &[u64]) -> Vec<u8> {
    let size = ty.bytes().expect("whole bytes") as usize;
    let shift = if ty == ScalarType::TF32 { 13 } else { 0 };
    let all = elements.iter().map(|bits| (bits << shift).to_le_bytes());
    all.flat_map(|bytes| bytes.into_iter().take(size)).collect()
}

/// The elements that bytes in memory hold.
pub(crate) fn elements(ty: ScalarType, bytes: &[u8]) -> Vec<u64> {
    let size = ty.bytes().expect("whole bytes") as usize;
    let shift = if ty == ScalarType::TF32 { 13 } else { 0 };
    let all = bytes.chunks(size).map(|chunk| {
        let mut wide = [0u8; 8];
        wide[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(wide) >> shift
    });
    all.collect()
}

/// A shape as text: `4x8`.
fn times(shape: &[u64]) -> String {
    shape.iter().map(|n| format!("{n}x")).collect()
}

/// A tile type as text.
pub(crate) fn tile(shape: &[u64], ty: ScalarType) -> String {
    format!("tile<{}{ty}>", times(shape))
}

/// A kernel of one block that loads tiles, does something, and stores tiles.
#[derive(Default)]
pub(crate) struct Program {
    params: Vec<String>,
    body: String,
    buffers: Vec<(ScalarType, Init)>,
}

impl Program {
    pub(crate) fn new() -> Self {
        let mut program = Self::default();
        program.line("%zero = constant <i32: 0> : tile<i32>");
        program
    }

    /// Adds an op.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) -> &mut Self {
        let _ = writeln!(self.body, "{}", line.as_ref());
        self
    }

    fn view(&mut self, shape: &[u64], ty: ScalarType, init: Init) -> (usize, String) {
        let at = self.params.len();
        self.params.push(format!("%arg{at}: tile<ptr<{ty}>>"));
        self.buffers.push((ty, init));
        let flat: u64 = shape.iter().product();
        let tensor = format!("tensor_view<{flat}x{ty}, strides=[1]>");
        let view = format!("partition_view<tile=({flat}), {tensor}>");
        self.line(format!(
            "%tv{at} = make_tensor_view %arg{at}, shape = [{flat}], strides = [1] : {tensor}"
        ));
        self.line(format!("%pv{at} = make_partition_view %tv{at} : {view}"));
        (at, view)
    }

    /// Defines `%name` as a tile of these elements, loaded from memory.
    pub(crate) fn input(&mut self, name: &str, shape: &[u64], ty: ScalarType, values: &[u64]) -> &mut Self {
        let (at, view) = self.view(shape, ty, Init::Data(bytes(ty, values)));
        let flat: u64 = shape.iter().product();
        let linear = tile(&[flat], ty);
        self.line(format!(
            "%flat{at}, %tok{at} = load_view_tko weak %pv{at}[%zero] : {view}, tile<i32> -> {linear}, token"
        ));
        self.line(format!(
            "%{name} = reshape %flat{at} : {linear} -> {}",
            tile(shape, ty)
        ))
    }

    /// Stores a tile into memory of its own.
    pub(crate) fn output(&mut self, name: &str, shape: &[u64], ty: ScalarType) -> &mut Self {
        let flat: u64 = shape.iter().product();
        let size = usize::try_from(flat).expect("small") * ty.bytes().expect("whole bytes") as usize;
        let (at, view) = self.view(shape, ty, Init::Empty(size));
        let linear = tile(&[flat], ty);
        self.line(format!(
            "%flat{at} = reshape %{name} : {} -> {linear}",
            tile(shape, ty)
        ));
        self.line(format!(
            "%tok{at} = store_view_tko weak %flat{at}, %pv{at}[%zero] : {linear}, {view}, tile<i32> -> token"
        ))
    }

    /// Runs the kernel and returns what each input and output holds.
    pub(crate) fn try_run(&self) -> Result<Vec<Vec<u64>>, Diagnostic<Origin>> {
        let text = format!("entry @k({}) {{\n{}return\n}}", self.params.join(", "), self.body);
        let buffers = self.buffers.iter().map(|(_, init)| init.clone()).collect();
        let contents = launch(&text, [1, 1, 1], buffers)?;
        let typed = self.buffers.iter().zip(contents);
        Ok(typed.map(|((ty, _), data)| elements(*ty, &data)).collect())
    }

    /// Runs the kernel and returns what its last output holds.
    pub(crate) fn run(&self) -> Vec<u64> {
        let contents = self
            .try_run()
            .unwrap_or_else(|problem| panic!("{}\n{problem:#?}", self.body));
        contents.into_iter().next_back().expect("an output")
    }
}

/// Numbers that look random and are the same every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    /// Elements of a type: any bits, and often those where something happens.
    pub(crate) fn elements(&mut self, ty: ScalarType, count: usize) -> Vec<u64> {
        let mask = ty.mask();
        let top = mask ^ (mask >> 1);
        let one = |random: &mut Self| match random.below(8) {
            0 => 0,
            1 => mask,
            2 => top,
            3 => top - 1,
            4 => random.below(16) & mask,
            _ => random.next() & mask,
        };
        (0..count).map(|_| one(self)).collect()
    }
}
