//! Rules beyond those that all languages share: operand types, attribute values, and op-specific rules, one file for
//! each group of ops.

pub(super) mod assume;
pub(super) mod cast;
mod check;
pub(super) mod control;
mod debug;
mod external;
pub(super) mod float;
pub(super) mod fold;
mod hints;
pub(super) mod int;
pub(super) mod matrix;
pub(super) mod memory;
mod module;
mod module_problem;
pub(super) mod preview;
pub(super) mod printing;
pub(super) mod shape;
mod shared;
mod unknown;
pub(super) mod view;
mod warnings;

pub use check::Check;
pub use debug::verify_debug;
pub use hints::check_hints;
pub use module::{verify_module, verify_rest};
pub use module_problem::ModuleProblem;
pub(super) use shared::{
    approx_and_full_need_f32, approx_needs_f32, compare, flush_needs_f32, no_multicast, ordering_and_scope,
    same_shapes, same_types,
};
pub use unknown::{PartialFunc, Unknown};
pub use warnings::warnings;

use rustc_hash::FxHashSet;
use tilewright_diagnostics::{Code, counted};

use super::declare::{DefaultValue, TileFieldSpec};
use super::fields::{AttrKind, AttrRef, FieldKind, FieldRef};
use super::module::CudaTile;
use super::type_rules::check_type;
use super::types::TileType;
use crate::core::{
    Body, Func, OpId, Operation, Origin, Part, Problems, Region, ResultCount, Value, alternatives,
};

/// Checks a function after the common rules. Every terminator but `return` reports itself that it cannot end a
/// kernel.
pub(super) fn verify_func(func: &Func<CudaTile>, problems: &mut Problems) {
    walk(func, None, problems);
}

/// Checks a function, parts of which may be unknown.
fn walk(func: &Func<CudaTile>, unknown: Option<&Unknown>, problems: &mut Problems) {
    let mut walker = Walker {
        body: &func.body,
        around: Vec::new(),
        bad_types: FxHashSet::default(),
        unknown,
        problems,
    };
    let any_signature = unknown.is_some_and(|unknown| unknown.signature);
    let params = if any_signature { &[] } else { func.body.params() };
    for (i, &param) in params.iter().enumerate() {
        if unknown.is_some_and(|unknown| unknown.values.contains(&param)) {
            continue;
        }
        let ty = func.body.ty(param);
        if !ty.as_tile().is_some_and(|tile| tile.shape.is_empty()) {
            let message = format!(
                "parameter {i} of `{}` is `{ty}`, expected a scalar (a tile of rank 0)",
                func.name
            );
            let part = Part::argument(i);
            walker
                .problems
                .error_at(Origin::FUNCTION, part, Code::OperandType, message);
        }
    }
    walker.region(func.body.root());
}

struct Walker<'a> {
    body: &'a Body<CudaTile>,
    around: Vec<OpId>,
    /// The invalid types. Each is reported at its first use; errors about values of such a type would only repeat it.
    bad_types: FxHashSet<&'a TileType>,
    unknown: Option<&'a Unknown>,
    problems: &'a mut Problems,
}

impl Walker<'_> {
    fn region(&mut self, region: Region) {
        for &block in &self.body.region(region).blocks {
            for (i, &arg) in self.body.block(block).args.iter().enumerate() {
                let origin = self
                    .around
                    .last()
                    .map_or(Origin::FUNCTION, |&op| self.body.op(op).origin);
                let what = || format!("block argument {i}");
                self.own_rules(origin, Part::argument(i), what, arg);
            }
            for &id in &self.body.block(block).ops {
                self.op(id);
            }
        }
    }

    /// Checks the type of a value.
    fn own_rules(&mut self, origin: Origin, part: Part, what: impl Fn() -> String, value: Value) -> bool {
        let ty = self.body.ty(value);
        let Err((code, message)) = check_type(ty) else {
            return true;
        };
        if self.bad_types.insert(ty) {
            let message = format!("{}: {message}", what());
            self.problems.error_at(origin, part, code, message);
        }
        false
    }

    fn op(&mut self, id: OpId) {
        if self.unknown.is_some_and(|unknown| unknown.ops.contains(&id)) {
            return self.regions(id);
        }
        let op = self.body.op(id);
        let spec = op.kind.tile_spec();
        let before = self.problems.list.len();
        let mut sound = true;
        for (i, value) in op.results().enumerate() {
            let what = || format!("'cuda_tile.{}' op result #{i}", spec.name);
            sound &= self.own_rules(op.origin, Part::result(i), what, value);
        }
        if !self.bad_types.is_empty() {
            op.kind
                .operands(&mut |value| sound &= !self.bad_types.contains(self.body.ty(value)));
        }
        // A wrong number of results has been reported by the common rules.
        sound &= match spec.result_count {
            ResultCount::Any => true,
            ResultCount::Exactly(n) => n == op.results().len(),
        };
        let fields = op.kind.fields();
        let mut check = Check {
            body: self.body,
            op,
            spec,
            fields: &fields,
            around: &self.around,
            unknown: self.unknown,
            problems: self.problems,
        };
        if sound {
            declared(&mut check);
            // An error about an operand often applies to the result too: report it once.
            if check.silent_since(before) {
                results(&mut check);
            }
        }
        // The op's own rules may rely on the rules of its declaration.
        if sound && check.silent_since(before) && check.may_apply_rules() {
            for rule in spec.checks {
                rule(&mut check);
            }
        }
        self.regions(id);
    }

    fn regions(&mut self, id: OpId) {
        let mut regions = Vec::new();
        self.body.op(id).kind.regions(&mut |region| regions.push(region));
        if regions.is_empty() {
            return;
        }
        self.around.push(id);
        for region in regions {
            self.region(region);
        }
        self.around.pop();
    }
}

/// The types of the results.
fn results(check: &mut Check<'_>) {
    let open = check.spec.result_count == ResultCount::Any;
    let mut refused = Vec::new();
    for (i, value) in check.op.results().enumerate() {
        let Some(ty) = check.known(value) else { continue };
        if let Some(result) = check.spec.results.get(if open { 0 } else { i })
            && !result.constraint.admits(ty)
        {
            // A text gives all of them one type.
            if refused.contains(&(result.constraint, ty)) {
                continue;
            }
            refused.push((result.constraint, ty));
            let message = format!(
                "result #{i} (`{}`) must be {}, but got `{ty}`",
                result.name,
                result.constraint.describe()
            );
            check.error_at(Part::result(i), Code::OperandType, message);
        }
    }
}

/// Checks the rules of the declaration: operand types, enumeration cases, lengths of lists.
fn declared(check: &mut Check<'_>) {
    let mut number = 0u32;
    let before = check.problems.list.len();
    let mut admit = |check: &mut Check<'_>, spec: &TileFieldSpec, part: Part, value: Value| {
        if let Some(ty) = check.known(value)
            && !spec.constraint.admits(ty)
        {
            let message = format!(
                "operand #{number} (`{}`) must be {}, but got `{ty}`",
                spec.name,
                spec.constraint.describe()
            );
            // Operands that are all of the kind of another op are one mistake.
            let sibling = check.spec.sibling(spec.name, ty);
            if sibling.is_none() || check.silent_since(before) {
                check.error_at(part, Code::OperandType, message);
                if let Some(sibling) = sibling {
                    check.meant(sibling.name);
                }
            }
        }
        number = number.saturating_add(1);
    };
    let fields = check.spec.fields.iter().zip(check.fields);
    for (at, (spec, &field)) in fields.enumerate() {
        let part = Part::field(at);
        match field {
            FieldRef::Operand(value) | FieldRef::OptionalOperand(Some(value)) => {
                admit(check, spec, part, value);
            }
            FieldRef::Operands(values) => {
                for (entry, &value) in values.iter().enumerate() {
                    admit(check, spec, part.entry(entry), value);
                }
            }
            FieldRef::Attr(Some(AttrRef::Enum(code))) => case(check, spec, part, code),
            FieldRef::Attr(Some(AttrRef::Bools(flags))) => one_for_each(check, spec, part, flags),
            FieldRef::OptionalOperand(None) | FieldRef::Region(_) | FieldRef::Flag(_) | FieldRef::Attr(_) => {
            }
        }
    }
}

/// Checks that the op allows the enumeration case.
fn case(check: &mut Check<'_>, spec: &TileFieldSpec, part: Part, code: u8) {
    if spec.allowed.is_empty() || spec.allowed.contains(&code) {
        return;
    }
    let (FieldKind::Attr(AttrKind::Enum(cases)) | FieldKind::OptionalAttr(AttrKind::Enum(cases))) = spec.kind
    else {
        return;
    };
    let word = |code: u8| cases.by_code(code.into()).map_or("?", |case| case.word);
    let allowed: Vec<_> = spec.allowed.iter().map(|&code| word(code)).collect();
    let message = format!(
        "attribute `{}` is {}, expected {}",
        spec.name,
        word(code),
        alternatives(&allowed)
    );
    check.error_at(part, Code::AttributeValue, message);
}

/// Checks that a list of Booleans has one entry for each operand of its list.
fn one_for_each(check: &mut Check<'_>, spec: &TileFieldSpec, part: Part, flags: &[bool]) {
    let Some(DefaultValue::AllFalse(of)) = spec.default else {
        return;
    };
    let Some(FieldRef::Operands(values)) = check.field(of) else {
        return;
    };
    if values.len() != flags.len() {
        let message = format!(
            "attribute `{}` has {}, but the op has {} `{of}`",
            spec.name,
            counted(flags.len(), "entry"),
            counted(values.len(), "operand")
        );
        check.error_at(part, Code::AttributeValue, message);
    }
}
