//! Ops in the generic form: `"op"(%a, %b) <{…}> ({…}) {…} : (T, T) -> T`.

use tilewright_diagnostics::Code;
use tilewright_irs::mlir::scan::Read;
use tilewright_irs::mlir::{FieldValue, MlirOpSpec};

use super::body::{BodyReader, Parts};

impl BodyReader<'_, '_> {
    /// The op after its name.
    pub(super) fn generic(&mut self, spec: &'static MlirOpSpec, start: usize) -> Read<Parts> {
        let mut parts = Parts::of(spec);
        self.text.scan.expect("(")?;
        let operands = self.values()?;
        self.text.scan.expect(")")?;
        if self.text.scan.peek() == Some(b'[') {
            let message = "branches between blocks are not known here";
            return self.text.scan.wrong_since(
                self.text.scan.at(),
                Code::MisplacedOp,
                message,
                "a list of blocks",
            );
        }
        let mut segments = None;
        if self.text.scan.eat("<") {
            let properties = self.text.dictionary()?;
            self.text.scan.expect(">")?;
            segments = self.entries(spec, &mut parts, &properties, false, start)?;
        }
        self.regions(spec, &mut parts, start)?;
        if self.text.scan.peek() == Some(b'{') {
            let attributes = self.text.dictionary()?;
            let others = self.entries(spec, &mut parts, &attributes, true, start)?;
            segments = segments.or(others);
        }
        self.assign(spec, &mut parts, &operands, segments.as_deref(), start)?;
        self.text.scan.expect(":")?;
        self.text.scan.expect("(")?;
        self.types_of(&operands)?;
        if self.text.scan.peek() != Some(b')') {
            let message = format!(
                "`{}` has {} operands, and the text gives other types",
                spec.shown_in(self.text.dialect),
                operands.len()
            );
            return self.text.scan.wrong_since(
                self.text.scan.at(),
                Code::OperandCount,
                message,
                "another number of types",
            );
        }
        self.text.scan.expect(")")?;
        self.text.scan.expect("->")?;
        parts.results = self.text.result_types()?;
        Ok(parts)
    }

    /// `({…}, {…})`, if present.
    fn regions(&mut self, spec: &'static MlirOpSpec, parts: &mut Parts, start: usize) -> Read<()> {
        if !self.text.scan.eat("(") {
            return Ok(());
        }
        let mut fields = spec.regions();
        loop {
            self.text.scan.skip();
            let Some(field) = fields.next() else {
                let message = format!(
                    "`{}` has {} regions",
                    spec.shown_in(self.text.dialect),
                    spec.regions().count()
                );
                return self.wrong_op(start, Code::RegionCount, message, "more regions are given");
            };
            let region = self.region(Vec::new(), false)?;
            self.check_end(region);
            parts.set(field, FieldValue::Region(region));
            if !self.text.scan.eat(",") {
                return self.text.scan.expect(")");
            }
        }
    }
}
