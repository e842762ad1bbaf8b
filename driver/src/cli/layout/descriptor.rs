//! `tilewright layout descriptor`.

use std::fmt::Write;

use clap::{Args, ValueEnum};
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_layouts::descriptor::{
    Instruction, MatrixDescriptor, Operand, Tcgen05Descriptor, WgmmaDescriptor,
};
use tilewright_layouts::{Bytes, Dim, ElementWidth, LinearLayout, bridge};

use super::given::{Given, Place, Texts, width};
use super::output::TextOutput;
use crate::cli::report::{Exit, Outcome, Reporter};

/// The matrix unit of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    /// `wgmma`, on sm_90a
    Wgmma,
    /// `tcgen05`, on sm_100a
    Tcgen05,
}

/// The arguments of `layout descriptor`.
#[derive(Debug, Args)]
pub(super) struct Descriptor {
    /// The layout of an operand in shared memory, with K as its last axis: its text, its name, or @FILE
    #[arg(value_name = "MEMORY")]
    memory: String,
    /// The width of an element in bits [default: that of the named layout]
    #[arg(long, value_name = "BITS", value_parser = width)]
    width: Option<ElementWidth>,
    /// The unit that reads the descriptor
    #[arg(long = "for", value_enum, default_value = "wgmma")]
    unit: Unit,
    /// M or N of one instruction [default: that of the tile]
    #[arg(long, value_name = "ELEMENTS")]
    mn: Option<u32>,
    /// K of one instruction [default: 32 bytes]
    #[arg(long, value_name = "ELEMENTS")]
    k: Option<u32>,
    /// The start address of the tile, in bytes
    #[arg(long, value_name = "BYTES", default_value = "0")]
    start: u64,
    #[command(flatten)]
    output: TextOutput,
}

impl Descriptor {
    pub(super) fn execute(&self, reporter: &Reporter) -> Outcome {
        let mut texts = Texts::default();
        let found = texts
            .read("memory", &self.memory)
            .and_then(|given| self.words(&given));
        match found {
            Ok(text) => {
                self.output.write(&text)?;
                Ok(Exit::Ok)
            }
            Err(refusal) => texts.refuse(reporter, refusal),
        }
    }

    fn words(&self, given: &Given) -> Result<String, Diagnostic<Location>> {
        let width = given.width(self.width)?;
        let refuse = |message: String| {
            Diagnostic::error(Code::NoDescriptor, message).at(given.span.into(), "this layout")
        };
        let linear = match &given.layout {
            Place::Linear(linear) => linear.clone(),
            Place::Cute(cute) => {
                bridge::memory_to_linear(cute).map_err(|error| given.unlike_linear(&error))?
            }
        };
        let memory = if linear.out_size(Dim::Offset).is_some() {
            linear.invert().map_err(|error| refuse(error.to_string()))?
        } else {
            linear
        };
        let words = match self.unit {
            Unit::Wgmma => self.table(&memory, width, WgmmaDescriptor::encode, |word| {
                (
                    word.leading.bytes(),
                    word.stride.bytes(),
                    word.swizzle.mode().to_string(),
                )
            }),
            Unit::Tcgen05 => self.table(&memory, width, Tcgen05Descriptor::encode, |word| {
                (
                    word.leading.bytes(),
                    word.stride.bytes(),
                    word.swizzle.mode().to_string(),
                )
            }),
        };
        words.map_err(refuse)
    }

    /// The fields shared by all instructions, and a line for each instruction.
    fn table<D: MatrixDescriptor>(
        &self,
        memory: &LinearLayout,
        width: ElementWidth,
        encode: fn(D) -> u64,
        fields: fn(D) -> (Bytes, Bytes, String),
    ) -> Result<String, String> {
        let size = |axis| memory.out_size(Dim::Axis(axis)).unwrap_or(1);
        let instruction = Instruction {
            mn: self.mn.unwrap_or(size(0)),
            k: self.k.unwrap_or(256 / width.bits()),
        };
        let operand = Operand::<D>::derive(memory, width, instruction, Bytes(self.start))
            .map_err(|refusal| refusal.to_string())?;
        let (leading, stride, swizzle) = fields(operand.descriptor);
        // Writing to a string does not fail.
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}-major, swizzle {swizzle}, leading byte offset {leading}, stride byte offset {stride}",
            operand.major
        );
        let _ = writeln!(text, "{:>6} {:>6}  {:>8}  descriptor", "mn", "k", "start");
        let step = |by: u32| usize::try_from(by.max(1)).unwrap_or(usize::MAX);
        for mn in (0..size(0)).step_by(step(instruction.mn)) {
            for k in (0..size(1)).step_by(step(instruction.k)) {
                let Some(word) = operand.at(mn, k).map_err(|range| range.to_string())? else {
                    continue;
                };
                let start = word.start().bytes().0;
                let _ = writeln!(text, "{mn:>6} {k:>6}  {start:>8}  {:#018x}", encode(word));
            }
        }
        Ok(text)
    }
}
