//! The texts of ops that no notation describes.

use std::fmt::{self, Write as _};

use super::body::{OpText, Printer};
use crate::core::{Region, Value};
use crate::mlir::attribute::{ArrayType, Attribute};
use crate::mlir::dialects::GEP_FLAGS;
use crate::mlir::property::FieldView;
use crate::mlir::scan::write_string;
use crate::mlir::types::{Type, write_types};

impl Printer<'_> {
    /// The text of an op after its name.
    pub(super) fn by_hand(&mut self, text: &OpText<'_>) -> fmt::Result {
        match text.spec.name {
            "arith.constant" => self.constant(text),
            "arith.select" => self.select(text),
            "vector.extract" => self.extract(text),
            "vector.insert" => self.insert(text),
            "llvm.getelementptr" => self.element_pointer(text),
            "scf.for" => self.for_loop(text),
            "scf.if" => self.branches(text),
            "scf.while" => self.while_loop(text),
            "llvm.inline_asm" => self.inline_asm(text),
            "cute_nvgpu.atom.set_value" | "cute_nvgpu.atom.get_value" => self.atom_field(text),
            "cute.fast_divmod.get_aux" => self.divisor_parts(text),
            _ => self.tensor_memory(text),
        }
    }

    /// `(%a) : T -> (M, S)`: the types of the multiplier, and of both shifts.
    fn divisor_parts(&mut self, text: &OpText<'_>) -> fmt::Result {
        let operands = Self::all_operands(text);
        self.out.push('(');
        self.list(operands.iter().copied())?;
        self.out.push(')');
        self.attributes(text, |_| true)?;
        self.out.push_str(" : ");
        self.types(operands)?;
        self.out.push_str(" -> (");
        self.types(text.results.iter().copied().take(2))?;
        self.out.push(')');
        Ok(())
    }

    fn all_operands(text: &OpText<'_>) -> Vec<Value> {
        let fields = text
            .spec
            .operands()
            .flat_map(|(field, _)| text.operands_of(field).iter().copied());
        fields.collect()
    }

    fn region_of(text: &OpText<'_>, nth: usize) -> Option<Region> {
        let mut regions = text.views.iter().filter_map(|view| match view {
            FieldView::Region(region) => Some(*region),
            _ => None,
        });
        regions.nth(nth)
    }

    fn constant(&mut self, text: &OpText<'_>) -> fmt::Result {
        self.attributes(text, |_| true)?;
        match text.property(0) {
            Some(value) => write!(self.out, " {value}"),
            None => Ok(()),
        }
    }

    fn select(&mut self, text: &OpText<'_>) -> fmt::Result {
        self.out.push(' ');
        let operands = Self::all_operands(text);
        self.list(operands.iter().copied())?;
        self.attributes(text, |_| true)?;
        self.out.push_str(" : ");
        if let Some(condition) = operands
            .first()
            .filter(|&&condition| *self.body.ty(condition) != Type::I1)
        {
            self.types([*condition])?;
            self.out.push_str(", ");
        }
        self.result_types(&text.results)
    }

    /// `[%a, 1]`: the numbers of a property, where the least one of its type stands for the next operand of a field.
    fn positions(&mut self, text: &OpText<'_>, dynamic: usize, property: usize) -> fmt::Result {
        self.out.push('[');
        let mut dynamic = text.operands_of(dynamic).iter();
        let (positions, least) = match text.property(property) {
            Some(Attribute::Numbers(ArrayType::I32, positions)) => (positions.to_vec(), i64::from(i32::MIN)),
            Some(Attribute::Numbers(_, positions)) => (positions.to_vec(), i64::MIN),
            _ => (Vec::new(), i64::MIN),
        };
        for (i, position) in positions.into_iter().enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            match (position == least).then(|| dynamic.next()).flatten() {
                Some(value) => self.values.write(*value, self.out)?,
                None => write!(self.out, "{position}")?,
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// `%value, %vector [%a, 1] : T into V`
    fn insert(&mut self, text: &OpText<'_>) -> fmt::Result {
        self.out.push(' ');
        let (value, dest) = (text.operands_of(0).to_vec(), text.operands_of(1).to_vec());
        self.list(value.iter().chain(&dest).copied())?;
        self.out.push(' ');
        self.positions(text, 2, 3)?;
        self.attributes(text, |_| true)?;
        self.out.push_str(" : ");
        self.types(value)?;
        self.out.push_str(" into ");
        self.types(dest)
    }

    /// `inbounds %base[%a, 1] : (P, i32) -> P, T`
    fn element_pointer(&mut self, text: &OpText<'_>) -> fmt::Result {
        if let Some(Attribute::Integer(flags, _)) = text.property(4) {
            let words: Vec<&str> = GEP_FLAGS
                .iter()
                .filter(|(_, bits)| *bits != 0 && flags & bits == *bits)
                .map(|(word, _)| *word)
                .collect();
            // `inbounds` says `nusw` too.
            let words = words
                .iter()
                .filter(|word| **word != "nusw" || !words.contains(&"inbounds"));
            let words: Vec<&str> = words.copied().collect();
            if !words.is_empty() {
                write!(self.out, " {}", words.join("|"))?;
            }
        }
        self.out.push(' ');
        let (base, dynamic) = (text.operands_of(0).to_vec(), text.operands_of(1).to_vec());
        self.list(base.iter().copied())?;
        self.positions(text, 1, 2)?;
        self.attributes(text, |_| true)?;
        self.out.push_str(" : (");
        self.types(base.into_iter().chain(dynamic))?;
        self.out.push_str(") -> ");
        self.result_types(&text.results)?;
        match text.property(3) {
            Some(Attribute::Type(element)) => write!(self.out, ", {element}"),
            _ => Ok(()),
        }
    }

    fn extract(&mut self, text: &OpText<'_>) -> fmt::Result {
        self.out.push(' ');
        let source = text.operands_of(0).to_vec();
        self.list(source.iter().copied())?;
        self.positions(text, 1, 2)?;
        self.attributes(text, |_| true)?;
        self.out.push_str(" : ");
        self.result_types(&text.results)?;
        self.out.push_str(" from ");
        self.types(source)
    }

    fn for_loop(&mut self, text: &OpText<'_>) -> fmt::Result {
        let Some(body) = Self::region_of(text, 0) else {
            return Ok(());
        };
        let arguments = self.arguments(body);
        let Some((&index, carried)) = arguments.split_first() else {
            return Ok(());
        };
        self.out.push_str(if text.property(4).is_some() {
            " unsigned "
        } else {
            " "
        });
        self.values.define(std::iter::once(index));
        self.values.write(index, self.out)?;
        for (field, word) in [(0, " = "), (1, " to "), (2, " step ")] {
            self.out.push_str(word);
            self.list(text.operands_of(field).iter().copied())?;
        }
        let inits = text.operands_of(3);
        if !inits.is_empty() {
            self.out.push_str(" iter_args(");
            self.pairs(carried, inits)?;
            self.out.push_str(") -> (");
            self.types(text.results.iter().copied())?;
            self.out.push(')');
        }
        self.out.push_str(" : ");
        self.types([index])?;
        self.out.push(' ');
        self.block_in_braces(body, inits.is_empty())?;
        self.attributes(text, |field| field == 4)
    }

    fn branches(&mut self, text: &OpText<'_>) -> fmt::Result {
        let (Some(then), Some(otherwise)) = (Self::region_of(text, 0), Self::region_of(text, 1)) else {
            return Ok(());
        };
        self.out.push(' ');
        self.list(text.operands_of(0).iter().copied())?;
        if !text.results.is_empty() {
            self.out.push_str(" -> (");
            self.types(text.results.iter().copied())?;
            self.out.push(')');
        }
        self.out.push(' ');
        self.block_in_braces(then, text.results.is_empty())?;
        if !self.body.region(otherwise).blocks.is_empty() {
            self.out.push_str(" else ");
            self.block_in_braces(otherwise, text.results.is_empty())?;
        }
        self.attributes(text, |_| true)
    }

    fn while_loop(&mut self, text: &OpText<'_>) -> fmt::Result {
        let (Some(before), Some(after)) = (Self::region_of(text, 0), Self::region_of(text, 1)) else {
            return Ok(());
        };
        let inits = text.operands_of(0);
        self.out.push_str(" (");
        let arguments = self.arguments(before);
        self.pairs(&arguments, inits)?;
        self.out.push_str(") : (");
        self.types(inits.iter().copied())?;
        self.out.push_str(") -> ");
        self.result_types(&text.results)?;
        self.out.push(' ');
        self.block_in_braces(before, false)?;
        self.out.push_str(" do ");
        self.labelled_block_in_braces(after)?;
        self.attributes(text, |_| true)
    }

    /// The arguments of a region's block.
    fn arguments(&self, region: Region) -> Vec<Value> {
        let block = self.body.only_block(region);
        block.map_or_else(Vec::new, |block| self.body.block(block).args.clone())
    }

    /// `%a = %b, %c = %d`
    fn pairs(&mut self, arguments: &[Value], inits: &[Value]) -> fmt::Result {
        for (i, (&argument, &init)) in arguments.iter().zip(inits).enumerate() {
            self.out.push_str(if i > 0 { ", " } else { "" });
            self.values.define(std::iter::once(argument));
            self.values.write(argument, self.out)?;
            self.out.push_str(" = ");
            self.values.write(init, self.out)?;
        }
        Ok(())
    }

    fn inline_asm(&mut self, text: &OpText<'_>) -> fmt::Result {
        for (field, word) in [(4, " has_side_effects"), (5, " is_align_stack")] {
            self.out
                .push_str(if text.property(field).is_some() { word } else { "" });
        }
        if let Some(Attribute::Integer(dialect, _)) = text.property(1) {
            self.out.push_str(if *dialect == 0 {
                " asm_dialect = att"
            } else {
                " asm_dialect = intel"
            });
        }
        for (field, before) in [(2, " "), (3, ", ")] {
            self.out.push_str(before);
            if let Some(Attribute::String(string)) = text.property(field) {
                write_string(string, self.out)?;
            }
        }
        let operands = text.operands_of(0);
        self.out.push(' ');
        self.list(operands.iter().copied())?;
        self.attributes(text, |field| field < 6)?;
        self.out
            .push_str(if operands.is_empty() { ": (" } else { " : (" });
        self.types(operands.iter().copied())?;
        self.out.push_str(") -> ");
        self.result_types(&text.results)
    }

    fn atom_field(&mut self, text: &OpText<'_>) -> fmt::Result {
        let operands = Self::all_operands(text);
        if let Some(Attribute::Dialect(field)) = text.property(operands.len()) {
            let word = field.split_once('<').map_or("", |(_, word)| word);
            write!(self.out, "<{word}")?;
        }
        self.out.push('(');
        self.list(operands.iter().copied())?;
        self.out.push(')');
        self.attributes(text, |_| true)?;
        self.out.push_str(" : (");
        self.types(operands)?;
        self.out.push(')');
        if text.spec.name == "cute_nvgpu.atom.get_value" {
            self.out.push_str(" -> ");
            self.result_types(&text.results)?;
        }
        Ok(())
    }

    /// Ops of tensor memory, which say how many blocks use it.
    fn tensor_memory(&mut self, text: &OpText<'_>) -> fmt::Result {
        let operands = Self::all_operands(text);
        if !operands.is_empty() {
            self.out.push('(');
            self.list(operands.iter().copied())?;
            self.out.push(')');
        }
        let two = operands.len();
        self.out.push_str(if text.property(two).is_some() {
            " [cta_2]"
        } else {
            " [ cta_1]"
        });
        self.attributes(text, |field| field == two)?;
        if operands.is_empty() {
            return Ok(());
        }
        self.out.push_str(" : ");
        let body = self.body;
        write_types(operands.iter().map(|&value| body.ty(value)), self.out)
    }
}
