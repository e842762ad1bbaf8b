//! What the fields of an op, and records of attributes, are read from.

use std::collections::VecDeque;

use tilewright_diagnostics::{Code, Diagnostic};

use super::element::ElementType;
use super::entity::{Block, Region, Successor, Value};
use super::foreign::instead_of;
use super::spelling::nearest;
use super::term::{Mark, Name, NamedTerm, TermCodec, TermError};
use super::tree::{OpTree, OperandTree, RegionTree};

/// What the reader of one op or of one attribute record knows.
pub struct Reader<'a> {
    owner: &'a Name,
    operands: VecDeque<&'a OperandTree>,
    attrs: Vec<&'a NamedTerm>,
    regions: VecDeque<&'a (Name, RegionTree)>,
    /// The marks of the values that fields have taken as operands, in textual order.
    pub(super) taken: Vec<Mark>,
    /// Results that no field stands for yet.
    results: usize,
    pub(super) scope: &'a mut dyn Scope,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader of {}", self.owner.text)
    }
}

/// What a reader asks of the function around it.
pub(super) trait Scope {
    fn value(&mut self, name: &Name) -> Option<Value>;
    /// The names of the fields of an op of this name.
    fn fields(&self, op: &str) -> Vec<&'static str>;
    /// The element type of a value that is in scope; an undefined one is not reported.
    fn element(&self, name: &Name) -> Option<ElementType>;
    fn block(&mut self, name: &Name) -> Option<Block>;
    fn region(&mut self, tree: &RegionTree) -> Region;
    fn report(&mut self, problem: Diagnostic<Mark>);
}

impl<'a> Reader<'a> {
    /// That of an op.
    pub(super) fn of_op(tree: &'a OpTree, results: usize, scope: &'a mut dyn Scope) -> Self {
        Self {
            operands: tree.operands.iter().collect(),
            regions: tree.regions.iter().collect(),
            results,
            ..Self::of_attrs(&tree.name, &tree.attrs, scope)
        }
    }

    /// That of attributes without an op.
    pub(super) fn of_attrs(owner: &'a Name, attrs: &'a [NamedTerm], scope: &'a mut dyn Scope) -> Self {
        Self {
            owner,
            operands: VecDeque::new(),
            attrs: attrs.iter().collect(),
            regions: VecDeque::new(),
            taken: Vec::new(),
            results: 0,
            scope,
        }
    }

    /// Reports an error about the op's name.
    pub fn report(&mut self, code: Code, message: String, label: &str) {
        self.scope
            .report(Diagnostic::error(code, message).at(self.owner.mark, label));
    }

    fn report_term(&mut self, name: &str, error: TermError) {
        let message = format!(
            "attribute `{name}` of `{}` must be {}",
            self.owner.text, error.expected
        );
        self.scope.report(error.diagnostic(Code::AttributeKind, message));
    }

    /// How many results of the op no field stands for yet.
    pub fn results_left(&self) -> usize {
        self.results
    }

    /// Says that a field stands for so many results.
    pub fn take_results(&mut self, count: usize) {
        self.results = self.results.saturating_sub(count);
    }

    /// The value of an operand.
    fn operand(&mut self, name: &Name) -> Option<Value> {
        self.taken.push(name.mark);
        self.scope.value(name)
    }

    fn missing_operand(&mut self, field: &str) {
        let message = format!("`{}` has no operand `{field}`", self.owner.text);
        self.report(Code::OperandCount, message, "too few operands");
    }

    /// The next operand, a value.
    pub fn value(&mut self, field: &str) -> Option<Value> {
        match self.operands.pop_front() {
            Some(OperandTree::Value(name)) => self.operand(name),
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!("operand `{field}` of `{}` must be one value", self.owner.text);
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected one `%value`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The next operand, a list.
    pub fn values(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.operands.pop_front() {
            Some(OperandTree::List(names, _)) => {
                let values: Vec<_> = names.iter().map(|name| self.operand(name)).collect();
                values.into_iter().collect()
            }
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!(
                    "operand `{field}` of `{}` must be a list in brackets",
                    self.owner.text
                );
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected `[…]`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The operand written `field %value`, if it is there. The outer `None` is an error.
    pub fn optional_value(&mut self, field: &str) -> Option<Option<Value>> {
        match self.operands.front() {
            Some(OperandTree::Named(label, name)) if label.text == field => {
                self.operands.pop_front();
                self.operand(name).map(Some)
            }
            _ => Some(None),
        }
    }

    /// The next operand, if it is a list; else none. The outer `None` is an error.
    pub fn optional_values(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.operands.front() {
            Some(OperandTree::List(..)) => self.values(field),
            _ => Some(Vec::new()),
        }
    }

    /// The next operand, a branch target.
    pub fn successor(&mut self, field: &str) -> Option<Successor> {
        match self.operands.pop_front() {
            Some(OperandTree::Successor(name, args)) => {
                let block = self.scope.block(name);
                let args: Vec<_> = args.iter().map(|name| self.operand(name)).collect();
                let args: Option<Vec<_>> = args.into_iter().collect();
                Some(Successor {
                    block: block?,
                    args: args?,
                })
            }
            Some(other) => {
                let mark = operand_mark(other);
                let message = format!("operand `{field}` of `{}` must be a block", self.owner.text);
                self.scope
                    .report(Diagnostic::error(Code::OperandCount, message).at(mark, "expected `^block(…)`"));
                None
            }
            None => {
                self.missing_operand(field);
                None
            }
        }
    }

    /// The region labelled `field`.
    pub fn region(&mut self, field: &str) -> Option<Region> {
        match self.regions.pop_front() {
            Some((label, tree)) if label.text == field => Some(self.scope.region(tree)),
            Some((label, _)) => {
                let message = format!("`{}` has a region `{field}` here", self.owner.text);
                self.scope.report(
                    Diagnostic::error(Code::RegionCount, message)
                        .at(label.mark, format!("expected `{field} {{`")),
                );
                None
            }
            None => {
                let message = format!("`{}` has no region `{field}`", self.owner.text);
                self.report(Code::RegionCount, message, "too few regions");
                None
            }
        }
    }

    fn take_attr(&mut self, field: &str) -> Option<&'a NamedTerm> {
        let at = self.attrs.iter().position(|attr| attr.name.text == field)?;
        Some(self.attrs.remove(at))
    }

    /// The attribute `field`, if it is there. The outer `None` is an error.
    pub fn optional_attr<T: TermCodec>(&mut self, field: &str) -> Option<Option<T>> {
        let Some(attr) = self.take_attr(field) else {
            return Some(None);
        };
        let Some(term) = &attr.value else {
            self.report_term(
                field,
                TermError {
                    mark: attr.name.mark,
                    expected: "given a value".to_owned(),
                    meant: None,
                },
            );
            return None;
        };
        match T::read(term) {
            Ok(value) => Some(Some(value)),
            Err(error) => {
                self.report_term(field, error);
                None
            }
        }
    }

    /// The attribute `field`, which must be there.
    pub fn attr<T: TermCodec>(&mut self, field: &str) -> Option<T> {
        match self.optional_attr(field)? {
            Some(value) => Some(value),
            None if self.misspelt(field) => None,
            None => {
                let message = format!("`{}` needs the attribute `{field}`", self.owner.text);
                self.report(Code::MissingAttribute, message, "an attribute is missing");
                None
            }
        }
    }

    /// Whether the flag `field` is set. `None` is an error.
    pub fn flag(&mut self, field: &str) -> Option<bool> {
        match self.take_attr(field) {
            None => Some(false),
            Some(NamedTerm { value: None, .. }) => Some(true),
            Some(NamedTerm { name, .. }) => {
                self.report_term(
                    field,
                    TermError {
                        mark: name.mark,
                        expected: "a flag without a value".to_owned(),
                        meant: None,
                    },
                );
                None
            }
        }
    }

    /// Reports an attribute that no field has, and the field that is probably meant.
    fn unknown_attribute(&mut self, name: &Name, meant: Option<&str>) {
        let message = format!("`{}` has no attribute `{}`", self.owner.text, name.text);
        let mut problem = Diagnostic::error(Code::UnknownAttribute, message).at(name.mark, "not known here");
        problem.help.extend(instead_of(&name.text).map(str::to_owned));
        self.scope.report(match meant {
            Some(field) => problem.meant(name.mark, field),
            None => problem,
        });
    }

    /// Reports the attribute that is probably this one, misspelt, if there is one.
    fn misspelt(&mut self, field: &str) -> bool {
        let names = self.scope.fields(&self.owner.text);
        let is_meant = |attr: &&NamedTerm| {
            let name = attr.name.text.as_str();
            !names.contains(&name) && nearest(name, std::iter::once(field)).is_some()
        };
        let Some(at) = self.attrs.iter().position(is_meant) else {
            return false;
        };
        let attr = self.attrs.remove(at);
        self.unknown_attribute(&attr.name, Some(field));
        true
    }

    /// Reports whatever no field has taken.
    pub(super) fn finish(mut self) {
        if let Some(operand) = self.operands.pop_front() {
            let message = format!("`{}` takes fewer operands", self.owner.text);
            self.scope.report(
                Diagnostic::error(Code::OperandCount, message)
                    .at(operand_mark(operand), "no operand belongs here"),
            );
        }
        for attr in std::mem::take(&mut self.attrs) {
            let names = self.scope.fields(&self.owner.text);
            self.unknown_attribute(&attr.name, nearest(&attr.name.text, names.into_iter()));
        }
        if let Some((label, _)) = self.regions.pop_front() {
            let message = format!("`{}` has no region `{}`", self.owner.text, label.text);
            self.scope
                .report(Diagnostic::error(Code::RegionCount, message).at(label.mark, "not known here"));
        }
    }
}

fn operand_mark(operand: &OperandTree) -> Mark {
    match operand {
        OperandTree::Value(name) | OperandTree::Named(name, _) | OperandTree::Successor(name, _) => name.mark,
        OperandTree::List(_, mark) => *mark,
    }
}
