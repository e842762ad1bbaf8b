//! The own forms of ops that no notation describes.

use tilewright_diagnostics::Code;
use tilewright_irs::core::Value;
use tilewright_irs::mlir::dialects::GEP_FLAGS;
use tilewright_irs::mlir::enums::AsmDialect;
use tilewright_irs::mlir::scan::Read;
use tilewright_irs::mlir::types::write_types;
use tilewright_irs::mlir::{Attribute, FieldValue, MlirOpSpec, Property as _, Type};

use super::body::{Argument, BodyReader, Parts};

impl<'a> BodyReader<'a, '_> {
    /// The text of an op after its name.
    pub(super) fn by_hand(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        match spec.name {
            "arith.constant" => {
                self.attributes(spec, parts, start)?;
                let value = self.text.attribute()?;
                parts.set(0, FieldValue::Property(value));
                Ok(())
            }
            "arith.select" => self.select(spec, parts, start),
            "vector.extract" => self.extract(spec, parts, start),
            "vector.insert" => self.insert(spec, parts, start),
            "llvm.getelementptr" => self.element_pointer(spec, parts, start),
            "scf.for" => self.for_loop(spec, parts, start),
            "scf.if" => self.branches(spec, parts, start),
            "scf.while" => self.while_loop(spec, parts, start),
            "llvm.inline_asm" => self.inline_asm(spec, parts, start),
            "cute_nvgpu.atom.set_value" | "cute_nvgpu.atom.get_value" => self.atom_field(spec, parts, start),
            "cute.fast_divmod.get_aux" => self.divisor_parts(spec, parts, start),
            _ => self.tensor_memory(spec, parts, start),
        }
    }

    /// `(%a) : T -> (M, S)`: the types of the multiplier, and of both shifts.
    fn divisor_parts(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        self.text.scan.expect("(")?;
        let operands = self.values()?;
        self.text.scan.expect(")")?;
        self.assign(spec, parts, &operands, None, start)?;
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        self.types_of(&operands)?;
        self.text.scan.expect("->")?;
        self.text.scan.expect("(")?;
        let multiplier = self.text.ty()?;
        self.text.scan.expect(",")?;
        let shift = self.text.ty()?;
        self.text.scan.expect(")")?;
        parts.results = vec![multiplier, shift.clone(), shift];
        Ok(())
    }

    fn select(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let operands = self.values()?;
        self.assign(spec, parts, &operands, None, start)?;
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        let ty = self.text.ty()?;
        parts.results = match self.text.scan.eat(",") {
            true => vec![self.text.ty()?],
            false => vec![ty],
        };
        Ok(())
    }

    /// `[%a, 1]`: operands and numbers, for operands the number `least`.
    fn positions<N: Copy + TryFrom<i64>>(&mut self, least: N, what: &str) -> Read<(Vec<Value>, Vec<N>)> {
        self.text.scan.expect("[")?;
        let (mut dynamic, mut positions) = (Vec::new(), Vec::new());
        if self.text.scan.eat("]") {
            return Ok((dynamic, positions));
        }
        loop {
            if self.text.scan.peek() == Some(b'%') {
                dynamic.push(self.value()?);
                positions.push(least);
            } else {
                let number: i64 = self.text.scan.integer(what)?;
                match N::try_from(number) {
                    Ok(number) => positions.push(number),
                    Err(_) => return self.text.scan.wrong(what),
                }
            }
            if !self.text.scan.eat(",") {
                self.text.scan.expect("]")?;
                return Ok((dynamic, positions));
            }
        }
    }

    fn extract(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let source = self.value()?;
        let (dynamic, positions) = self.positions(i64::MIN, "a position")?;
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        parts.results = vec![self.text.ty()?];
        self.text.expect_word("from")?;
        self.type_of(source)?;
        parts.set(0, FieldValue::Operand(source));
        parts.set(1, FieldValue::Operands(dynamic));
        parts.set(2, FieldValue::Property(positions.attribute()));
        Ok(())
    }

    /// `%value, %vector [%a, 1] : T into V`
    fn insert(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let value = self.value()?;
        self.text.scan.expect(",")?;
        let dest = self.value()?;
        let (dynamic, positions) = self.positions(i64::MIN, "a position")?;
        parts.set(0, FieldValue::Operand(value));
        parts.set(1, FieldValue::Operand(dest));
        parts.set(2, FieldValue::Operands(dynamic));
        parts.set(3, FieldValue::Property(positions.attribute()));
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        self.type_of(value)?;
        self.text.expect_word("into")?;
        self.type_of(dest)
    }

    /// `inbounds %base[%a, 1] : (P, i32) -> P, T`
    fn element_pointer(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let mut flags = 0;
        while let Some((word, bits)) = GEP_FLAGS
            .iter()
            .find(|(word, _)| self.text.scan.peek_word() == *word)
        {
            self.text.expect_word(word)?;
            flags |= bits;
            self.text.scan.eat("|");
        }
        let base = self.value()?;
        let (dynamic, positions) = self.positions(i32::MIN, "the number of an element")?;
        let operands: Vec<Value> = std::iter::once(base).chain(dynamic.iter().copied()).collect();
        parts.set(0, FieldValue::Operand(base));
        parts.set(1, FieldValue::Operands(dynamic));
        parts.set(2, FieldValue::Property(positions.attribute()));
        parts.set(4, FieldValue::Property(Attribute::Integer(flags, Type::I32)));
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        self.text.scan.expect("(")?;
        self.types_of(&operands)?;
        self.text.scan.expect(")")?;
        self.text.scan.expect("->")?;
        parts.results = vec![self.text.ty()?];
        self.text.scan.expect(",")?;
        let element = self.text.ty()?;
        parts.set(3, FieldValue::Property(Attribute::Type(element)));
        Ok(())
    }

    /// `%a = %b, %c = %d` up to the parenthesis.
    fn pairs(&mut self) -> Read<Vec<(Argument<'a>, Value)>> {
        let mut pairs = Vec::new();
        if self.text.scan.eat(")") {
            return Ok(pairs);
        }
        loop {
            let (name, at) = self.new_name()?;
            self.text.scan.expect("=")?;
            let init = self.value()?;
            let ty = self.body.ty(init).clone();
            pairs.push((Argument { name, at, ty }, init));
            if !self.text.scan.eat(",") {
                self.text.scan.expect(")")?;
                return Ok(pairs);
            }
        }
    }

    /// Checks the types that a text gives for values that have no types of their own in it.
    fn same_types(&mut self, what: &str, given: &[Type], values: &[Value], start: usize) -> Read<()> {
        let known = values.iter().all(|&value| !self.is_unknown(value));
        let same = given.iter().eq(values.iter().map(|&value| self.body.ty(value)));
        if !known || same {
            return Ok(());
        }
        let mut own = String::new();
        // A string takes any text.
        let _ = write_types(values.iter().map(|&value| self.body.ty(value)), &mut own);
        let message = format!("{what} have the types `({own})`, and the text gives others");
        self.wrong_op(start, Code::TypeMismatch, message, "of this op")
    }

    fn for_loop(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        if self.text.scan.eat_word("unsigned") {
            parts.set(4, FieldValue::Property(Attribute::Unit));
        }
        let (name, at) = self.new_name()?;
        self.text.scan.expect("=")?;
        for (field, word) in [(0, "to"), (1, "step"), (2, "")] {
            let value = self.value()?;
            parts.set(field, FieldValue::Operand(value));
            if !word.is_empty() {
                self.text.expect_word(word)?;
            }
        }
        let mut pairs = Vec::new();
        if self.text.scan.eat_word("iter_args") {
            self.text.scan.expect("(")?;
            pairs = self.pairs()?;
            self.text.scan.expect("->")?;
            self.text.scan.expect("(")?;
            parts.results = self.text.list(")", |text| text.ty())?;
        }
        let (arguments, inits): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let results = parts.results.clone();
        self.same_types("the values that a loop carries", &results, &inits, start)?;
        let ty = match self.text.scan.eat(":") {
            true => self.text.ty()?,
            false => Type::Index,
        };
        for field in 0..3 {
            let operands: Vec<Value> = parts.operands_of(field).to_vec();
            for value in operands {
                self.has_type(value, &ty, start)?;
            }
        }
        let implied = inits.is_empty();
        parts.set(3, FieldValue::Operands(inits));
        let index = Argument { name, at, ty };
        let body = self.region(std::iter::once(index).chain(arguments).collect(), true)?;
        if implied {
            self.end_implied(body);
        }
        self.check_end(body);
        parts.set(5, FieldValue::Region(body));
        self.attributes(spec, parts, start)
    }

    fn branches(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let condition = self.value()?;
        self.has_type(condition, &Type::I1, start)?;
        parts.set(0, FieldValue::Operand(condition));
        if self.text.scan.eat("->") {
            self.text.scan.expect("(")?;
            parts.results = self.text.list(")", |text| text.ty())?;
        }
        let implied = parts.results.is_empty();
        let then = self.region(Vec::new(), true)?;
        if implied {
            self.end_implied(then);
        }
        self.check_end(then);
        parts.set(1, FieldValue::Region(then));
        let otherwise = match self.text.scan.eat_word("else") {
            true => {
                let otherwise = self.region(Vec::new(), true)?;
                if implied {
                    self.end_implied(otherwise);
                }
                self.check_end(otherwise);
                otherwise
            }
            false => self.body.add_region(),
        };
        parts.set(2, FieldValue::Region(otherwise));
        self.attributes(spec, parts, start)
    }

    fn while_loop(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let mut pairs = Vec::new();
        if self.text.scan.eat("(") {
            pairs = self.pairs()?;
        }
        let (arguments, inits): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        self.text.scan.expect(":")?;
        let ty = self.text.function_type()?;
        self.same_types("the values that a loop begins with", &ty.arguments, &inits, start)?;
        parts.results = ty.results;
        parts.set(0, FieldValue::Operands(inits));
        let before = self.region(arguments, true)?;
        self.check_end(before);
        parts.set(1, FieldValue::Region(before));
        self.text.expect_word("do")?;
        let after = self.region(Vec::new(), true)?;
        self.check_end(after);
        parts.set(2, FieldValue::Region(after));
        if self.text.scan.eat_word("attributes") {
            return self.attributes(spec, parts, start);
        }
        self.attributes(spec, parts, start)
    }

    fn inline_asm(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        for (field, word) in [(4, "has_side_effects"), (5, "is_align_stack")] {
            if self.text.scan.eat_word(word) {
                parts.set(field, FieldValue::Property(Attribute::Unit));
            }
        }
        if self.text.scan.eat_word("asm_dialect") {
            self.text.scan.expect("=")?;
            let dialect = AsmDialect::read(self.text)?;
            parts.set(1, FieldValue::Property(dialect));
        }
        for (field, comma) in [(2, true), (3, false)] {
            let text = self.text.scan.string()?;
            parts.set(field, FieldValue::Property(Attribute::String(text.into())));
            if comma {
                self.text.scan.expect(",")?;
            }
        }
        let operands = self.values()?;
        parts.set(0, FieldValue::Operands(operands.clone()));
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        self.text.scan.expect("(")?;
        self.types_of(&operands)?;
        self.text.scan.expect(")")?;
        self.text.scan.expect("->")?;
        parts.results = self.text.result_types()?;
        Ok(())
    }

    /// `<accum_c>(%atom, %value) : (T, T)`: the field of an atom is an attribute of the atom's type.
    fn atom_field(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        self.text.scan.expect("<")?;
        let word = self.text.scan.word("the field of an atom")?;
        self.text.scan.expect(">")?;
        self.text.scan.expect("(")?;
        let operands = self.values()?;
        self.text.scan.expect(")")?;
        self.assign(spec, parts, &operands, None, start)?;
        self.attributes(spec, parts, start)?;
        self.text.scan.expect(":")?;
        self.text.scan.expect("(")?;
        self.types_of(&operands)?;
        self.text.scan.expect(")")?;
        let Some(&atom) = operands.first() else {
            return Ok(());
        };
        let ty = self.body.ty(atom).clone();
        let Some(fields) = tilewright_irs::mlir::atom_fields(&ty) else {
            let message = format!("`{ty}` has no fields");
            return self.wrong_op(start, Code::OperandType, message, "of this op");
        };
        parts.set(
            operands.len(),
            FieldValue::Property(Attribute::dialect(fields, word)),
        );
        parts.results = match self.text.scan.eat("->") {
            true => self.text.result_types()?,
            false => vec![ty],
        };
        Ok(())
    }

    /// `(%a, %b) [cta_2] : T, T`: ops of tensor memory say how many blocks use it.
    fn tensor_memory(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        let mut operands = Vec::new();
        if self.text.scan.eat("(") {
            operands = self.values()?;
            self.text.scan.expect(")")?;
        }
        self.assign(spec, parts, &operands, None, start)?;
        self.text.scan.expect("[")?;
        match self.text.scan.eat_word("cta_2") {
            true => parts.set(operands.len(), FieldValue::Property(Attribute::Unit)),
            false => self.text.expect_word("cta_1")?,
        }
        self.text.scan.expect("]")?;
        self.attributes(spec, parts, start)?;
        if operands.is_empty() {
            return Ok(());
        }
        self.text.scan.expect(":")?;
        self.types_of(&operands)
    }
}
