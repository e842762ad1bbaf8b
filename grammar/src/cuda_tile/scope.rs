//! Value names: resolution, definition, and type checks.

use std::borrow::Cow;

use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_irs::core::{Block, NameUse, Origin, Part, Value};
use tilewright_irs::cuda_tile::TileType;

use super::alternatives::Alternative;
use super::body::{Argument, BodyReader};
use super::cursor::{Cursor, Parse};

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Takes a `%name`; an undefined one is reported and becomes an unknown value.
    pub(crate) fn value(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Value> {
        let Some(name) = cursor.peek().strip_prefix('%') else {
            return cursor.wrong(Alternative::Value);
        };
        let at = cursor.span();
        match self.values.get(name) {
            Some(&(value, defined)) => {
                cursor.take();
                self.names.push(NameUse { at, defined, value });
                Ok(value)
            }
            None => {
                cursor.take();
                Ok(self.undefined_value(name, at))
            }
        }
    }

    /// Whether a name is in scope.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    pub(super) fn define(&mut self, name: Cow<'input, str>, value: Value, at: Span) {
        self.names.push(NameUse {
            at,
            defined: at,
            value,
        });
        if !self.undefined.is_empty() && self.undefined.remove(&*name) {
            self.values.insert(name, (value, at));
            return;
        }
        if let Some((_, first)) = self.values.get(&name) {
            let problem = Diagnostic::error(Code::Redefinition, format!("`%{name}` is defined twice"))
                .at(at, "defined again here")
                .also(*first, "first defined here");
            self.report(Some(Box::new(problem)));
            // Further uses of the name are ambiguous.
            let value = self.unknown_value();
            self.values.insert(name, (value, at));
            return;
        }
        self.name(name, value, at);
    }

    /// Names a value, with a distinct name.
    pub(crate) fn name(&mut self, name: Cow<'input, str>, value: Value, at: Span) {
        self.values.insert(name.clone(), (value, at));
        self.defined.entry(value).or_insert_with(|| (name.clone(), at));
        self.log.push(name);
    }

    /// Checks the type that the text gives for a value, or that its op needs. The value is at `at`, and its operand is
    /// `field`, if it has a name.
    pub(crate) fn of_type(
        &self,
        value: Value,
        field: &str,
        at: Span,
        said: &TileType,
        said_at: Option<Span>,
    ) -> Parse<()> {
        let actual = self.body.ty(value);
        if actual == said || self.is_unknown(value) {
            return Ok(());
        }
        let operand = if field.is_empty() {
            String::new()
        } else {
            format!(" (operand `{field}`)")
        };
        let name = self.defined.get(&value);
        let called = name.map(|(name, _)| format!("`%{name}`")).unwrap_or_default();
        let message = format!("{called}{operand} has the type `{actual}`, not `{said}`");
        let mut problem = Diagnostic::error(Code::TypeMismatch, message).at(at, format!("not a `{said}`"));
        if let Some(said_at) = said_at {
            problem = problem.also(said_at, "given another type here");
        }
        if let Some((_, place)) = name {
            problem = problem.also(*place, format!("{called} is defined here"));
        }
        Err(Some(Box::new(problem)))
    }

    /// Appends arguments to a block.
    pub(crate) fn arguments(&mut self, block: Block, owner: Origin, args: Vec<Argument<'input>>) {
        for (i, Argument { name, at, ty }) in (0u32..).zip(args) {
            self.parts.push((owner, Part::Argument(i), at));
            let known = ty.is_some();
            let value = self.body.add_arg(block, ty.unwrap_or(TileType::Token));
            if !known {
                self.unknown.values.insert(value);
            }
            self.define(Cow::Borrowed(name), value, at);
        }
    }
}
