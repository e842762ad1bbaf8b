//! Inline PTX, as instructions.
//!
//! The text is read, and each of its instructions becomes an op, so that no later language has text that it does not understand.
//! A register is a variable: it has the value of its last result, or, under a guard that does not hold, the one before. Operands of
//! the op are registers of the class that their constraints say: integers are extended with zeros, and a result of fewer bits is
//! the low ones. Branches are not supported.

mod carries;
mod roles;
mod text;

use rustc_hash::FxHashMap;
use tilewright_diagnostics::{Code, Diagnostic};
use tilewright_irs::core::{OpId, Origin, Translated, Value};
use tilewright_irs::cute_desugared::DesugaredType;
use tilewright_irs::cute_types::Kind;
use tilewright_irs::dialects::arith::{ArithOp, Signedness};
use tilewright_irs::dialects::cute::CuteOp;
use tilewright_irs::dialects::fragment::FragmentOp;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::isa::{
    self, Address, Class, Immediate, Instruction, Label, OpResult, Predicate, RawInstruction, RawOperand,
    ReadError, Register, Renaming, Results, Sources, Special, Symbol, TargetOp, Type, Visitor, Want,
};

use self::carries::{Carrying, Operation};
use self::text::{Operand, Statement, statements};
use super::instructions::{emit, number_of, of};
use super::pointers::address_type;
use super::state::{Carry, Cx, Desugar};
use super::types::types;
use crate::leaf_arithmetic::{constant, resized};

type Checked<T = ()> = Result<T, Diagnostic<Origin>>;

fn wrong<T>(cx: &Cx<'_>, message: impl Into<String>) -> Checked<T> {
    Err(Diagnostic::error(Code::UnsupportedOp, message).at(cx.origin(), ""))
}

/// A problem of a text that the program has written.
fn of_inline_ptx(problem: Diagnostic<Origin>) -> Diagnostic<Origin> {
    Diagnostic {
        message: format!("inline PTX: {}", problem.message),
        ..problem
    }
}

/// The number in a register of a class; `None` for registers of 128 bits.
const fn held(class: Class) -> Option<ScalarType> {
    match class {
        Class::Pred => Some(ScalarType::I1),
        Class::B16 => Some(ScalarType::I16),
        Class::B32 => Some(ScalarType::I32),
        Class::B64 => Some(ScalarType::I64),
        Class::F32 => Some(ScalarType::F32),
        Class::F64 => Some(ScalarType::F64),
        Class::B128 => None,
    }
}

/// An operand of the op, as its constraint says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constraint {
    /// In a register.
    In(Class),
    /// A constant.
    Constant,
    /// In the register of a result.
    Same(usize),
}

/// The constraints of the results and of the operands.
fn constraints(text: &str) -> Result<(Vec<Constraint>, Vec<Constraint>), String> {
    let (mut results, mut operands) = (Vec::new(), Vec::new());
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        // What is overwritten besides: instructions say that themselves.
        if part.starts_with('~') {
            continue;
        }
        let (list, letter) = match part.strip_prefix('=') {
            Some(letter) => (&mut results, letter.trim_start_matches('&')),
            None => (&mut operands, part),
        };
        list.push(match letter {
            "b" => Constraint::In(Class::Pred),
            "h" | "c" => Constraint::In(Class::B16),
            "r" => Constraint::In(Class::B32),
            "l" | "N" => Constraint::In(Class::B64),
            "f" => Constraint::In(Class::F32),
            "d" => Constraint::In(Class::F64),
            "n" | "i" => Constraint::Constant,
            number => match number.parse() {
                Ok(number) => Constraint::Same(number),
                Err(_) => return Err(format!("the constraint `{part}` is not known")),
            },
        });
    }
    Ok((results, operands))
}

/// What stands for an operand of the op.
#[derive(Clone, Copy, Debug)]
enum Place {
    Register(Register),
    Constant(i64),
}

/// The registers of a text.
#[derive(Default)]
struct Registers {
    /// The declared names, the innermost block last.
    scopes: Vec<FxHashMap<String, Register>>,
    /// How many there are.
    count: u32,
    /// Their values.
    values: FxHashMap<Register, Value>,
}

impl Registers {
    fn new_one(&mut self, class: Class) -> Register {
        let index = self.count;
        self.count += 1;
        Register { class, index }
    }

    fn named(&self, name: &str) -> Option<Register> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name))
            .copied()
    }
}

/// Lowers `llvm.inline_asm`.
pub(super) fn lower(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    (text, constraints): (&str, &str),
    operands: &[Value],
) -> Translated {
    let constraints = match self::constraints(constraints) {
        Ok(constraints) => constraints,
        Err(message) => return wrong(cx, message).map_err(of_inline_ptx),
    };
    instructions(pass, cx, id, text, constraints, operands).map_err(of_inline_ptx)
}

/// What is to be done by `nvvm.inline_ptx`.
#[derive(Clone, Copy, Debug)]
pub(super) struct WithRoles<'a> {
    /// The text.
    pub(super) code: &'a str,
    /// The operands that are read.
    pub(super) read: &'a [Value],
    /// The operands that are read and written.
    pub(super) changed: &'a [Value],
    /// Whether the first instruction is executed.
    pub(super) predicate: Option<Value>,
}

/// Lowers `nvvm.inline_ptx`, in which constraints follow from types.
pub(super) fn lower_with_roles(pass: &Desugar, cx: &mut Cx<'_>, id: OpId, op: WithRoles<'_>) -> Translated {
    if !op.changed.is_empty() {
        // What they are afterwards has no name.
        let message = "an operand that is read and written is not supported: read one, and write a result";
        return wrong(cx, message).map_err(of_inline_ptx);
    }
    let results = cx.old(id).results().len();
    let mut text = match roles::numbered(op.code, results) {
        Ok(text) => text,
        Err(message) => return wrong(cx, message).map_err(of_inline_ptx),
    };
    let mut operands = op.read.to_vec();
    if let Some(predicate) = op.predicate {
        text = format!("@${} {text}", results + operands.len());
        operands.push(predicate);
    }
    let constraints = by_types(cx, id, &operands).map_err(of_inline_ptx)?;
    instructions(pass, cx, id, &text, constraints, &operands).map_err(of_inline_ptx)
}

/// Lowers an op to the one instruction of these words, `fma.rn.f32`, with its results and operands.
pub(super) fn lower_to(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    words: &str,
    operands: &[Value],
) -> Translated {
    let places: Vec<String> = (0..cx.old(id).results().len() + operands.len())
        .map(|number| format!("${number}"))
        .collect();
    let text = format!("{words} {};", places.join(", "));
    let constraints = by_types(cx, id, operands)?;
    instructions(pass, cx, id, &text, constraints, operands)
}

/// The constraints that follow from the types of the results and of operands.
fn by_types(cx: &Cx<'_>, id: OpId, operands: &[Value]) -> Checked<(Vec<Constraint>, Vec<Constraint>)> {
    let constraint = |ty: &DesugaredType| match class(ty) {
        Some(class) => Ok(Constraint::In(class)),
        None => wrong(cx, "a value that no register holds"),
    };
    let mut results = Vec::new();
    for result in cx.old(id).results() {
        for ty in types(cx.from.ty(result))? {
            results.push(constraint(&ty)?);
        }
    }
    let inputs = operands
        .iter()
        .map(|&operand| constraint(cx.ty(cx.one(operand))))
        .collect::<Checked<Vec<_>>>()?;
    Ok((results, inputs))
}

/// The class of the register that holds a value.
fn class(ty: &DesugaredType) -> Option<Class> {
    let of_bits = |bits| match bits {
        1 => Some(Class::Pred),
        8 | 16 => Some(Class::B16),
        32 => Some(Class::B32),
        64 => Some(Class::B64),
        _ => None,
    };
    match ty {
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F32)) => Some(Class::F32),
        DesugaredType::Scalar(ElementType::Scalar(ScalarType::F64)) => Some(Class::F64),
        DesugaredType::Scalar(ElementType::Scalar(scalar)) => of_bits(scalar.bits()),
        DesugaredType::Fragment(count, ElementType::Scalar(element)) => {
            let (_, whole, _) = packing(*count, *element)?;
            of_bits(whole.bits())
        }
        DesugaredType::Cute(ty) => match ty.kind() {
            Kind::Pointer(pointer) => match address_type(pointer) {
                ElementType::Scalar(scalar) => of_bits(scalar.bits()),
                ElementType::Ptr(_) => Some(Class::B64),
            },
            _ => None,
        },
        _ => None,
    }
}

/// Emits the instructions of a text.
fn instructions(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    id: OpId,
    text: &str,
    (results, inputs): (Vec<Constraint>, Vec<Constraint>),
    operands: &[Value],
) -> Translated {
    if inputs.len() != operands.len() {
        let message = format!("{} constraints for {} operands", inputs.len(), operands.len());
        return wrong(cx, message);
    }
    let mut registers = Registers::default();
    registers.scopes.push(FxHashMap::default());
    let mut places = Vec::new();
    for result in &results {
        match result {
            Constraint::In(class) => places.push(Place::Register(registers.new_one(*class))),
            Constraint::Constant | Constraint::Same(_) => {
                return wrong(cx, "a result is in a register of its own");
            }
        }
    }
    for (&input, &operand) in inputs.iter().zip(operands) {
        let place = match input {
            Constraint::In(class) => Place::Register(registers.new_one(class)),
            Constraint::Same(number) => match places.get(number).filter(|_| number < results.len()) {
                Some(place) => *place,
                None => return wrong(cx, format!("there is no result {number}")),
            },
            Constraint::Constant => match pass.constant(operand) {
                Some(number) => Place::Constant(number),
                None => return wrong(cx, "an operand has to be a constant, and is none"),
            },
        };
        if let Place::Register(register) = place {
            let value = into_register(cx, operand, register.class)?;
            registers.values.insert(register, value);
        }
        places.push(place);
    }
    let statements = match statements(text) {
        Ok(statements) => statements,
        Err(message) => return wrong(cx, message),
    };
    for statement in statements {
        match statement {
            Statement::Open => registers.scopes.push(FxHashMap::default()),
            Statement::Close => {
                if registers.scopes.len() < 2 {
                    return wrong(cx, "a brace is closed that is not open");
                }
                registers.scopes.pop();
            }
            Statement::Registers(ty, names) => {
                for name in names {
                    let register = registers.new_one(ty.class());
                    if let Some(scope) = registers.scopes.last_mut() {
                        scope.insert(name, register);
                    }
                }
            }
            Statement::Label(name) => {
                return wrong(cx, format!("branches are not supported, as to `{name}`"));
            }
            Statement::Instruction {
                guard,
                words,
                operands,
            } => instruction(pass, cx, &mut registers, &places, (guard, words, operands))?,
        }
    }
    if registers.scopes.len() != 1 {
        return wrong(cx, "a brace is not closed");
    }
    bind(cx, id, &registers, &places, results.len())
}

/// An operand of the op in a register: zeros above it if it is smaller.
fn into_register(cx: &mut Cx<'_>, operand: Value, class: Class) -> Checked<Value> {
    let Some(scalar) = held(class) else {
        return wrong(cx, "an operand of 128 bits");
    };
    let value = cx.one(operand);
    let value = match cx.ty(value).clone() {
        DesugaredType::Cute(ty) if matches!(ty.kind(), Kind::Pointer(_)) => number_of(cx, value)?,
        DesugaredType::Fragment(count, ElementType::Scalar(element)) => packed(cx, value, count, element)?,
        DesugaredType::Scalar(ElementType::Scalar(_)) => value,
        ty => return wrong(cx, format!("an operand of type `{ty:?}`")),
    };
    let DesugaredType::Scalar(ElementType::Scalar(own)) = *cx.ty(value) else {
        return wrong(cx, "an operand that is no number");
    };
    if own == scalar {
        return Ok(value);
    }
    let bits = integer(own.bits());
    let Some(bits) = bits.filter(|bits| bits.bits() <= scalar.bits()) else {
        return wrong(
            cx,
            format!("an operand of type `{own}` does not fit its register"),
        );
    };
    let source = as_bits(cx, value, bits);
    let wide = integer(scalar.bits()).unwrap_or(scalar);
    let source = match bits == wide {
        true => source,
        false => {
            let signedness = Signedness::Unsigned;
            cx.value(ArithOp::ExtI { source, signedness }, of(wide))
        }
    };
    Ok(as_bits(cx, source, scalar))
}

/// The integer type of so many bits.
pub(super) const fn integer(bits: u32) -> Option<ScalarType> {
    match bits {
        1 => Some(ScalarType::I1),
        8 => Some(ScalarType::I8),
        16 => Some(ScalarType::I16),
        32 => Some(ScalarType::I32),
        64 => Some(ScalarType::I64),
        _ => None,
    }
}

/// A number as one of another type with the same bits.
pub(super) fn as_bits(cx: &mut Cx<'_>, source: Value, to: ScalarType) -> Value {
    match *cx.ty(source) == of(to) {
        true => source,
        false => cx.value(ArithOp::Bitcast { source }, of(to)),
    }
}

/// The PTX type of bits that are packed from so many of a type, and the number type of them.
fn packing(count: u32, element: ScalarType) -> Option<(Type, ScalarType, ScalarType)> {
    let part = integer(element.bits()).filter(|part| matches!(part, ScalarType::I16 | ScalarType::I32))?;
    match (part.bits(), count) {
        (16, 2) => Some((Type::B32, ScalarType::I32, part)),
        (16, 4) | (32, 2) => Some((Type::B64, ScalarType::I64, part)),
        _ => None,
    }
}

/// The elements of a vector side by side in one register.
pub(super) fn packed(cx: &mut Cx<'_>, source: Value, count: u32, element: ScalarType) -> Checked<Value> {
    let Some((ty, whole, part)) = packing(count, element) else {
        return wrong(cx, "an operand is a vector that is no register");
    };
    let mut parts = Vec::new();
    for index in 0..count {
        let one = cx.value(FragmentOp::Extract { source, index }, of(element));
        parts.push(as_bits(cx, one, part));
    }
    let a = Sources(parts);
    Ok(cx.value(Instruction::Pack { ty, d: OpResult, a }, of(whole)))
}

/// The elements that stand side by side in a register.
pub(super) fn unpacked(cx: &mut Cx<'_>, a: Value, count: u32, element: ScalarType) -> Checked<Value> {
    let Some((ty, whole, part)) = packing(count, element) else {
        return wrong(cx, "a result is a vector that is no register");
    };
    if *cx.ty(a) != of(whole) {
        return wrong(cx, "a result is a vector of another size than its register");
    }
    let d = Results(vec![OpResult; count as usize]);
    let types = vec![of(part); count as usize];
    let op = cx.build().op(Instruction::Unpack { ty, d, a }, types);
    let parts: Vec<Value> = cx.new_body().op(op).results().collect();
    let elements = parts.into_iter().map(|part| as_bits(cx, part, element)).collect();
    let ty = DesugaredType::Fragment(count, ElementType::Scalar(element));
    Ok(cx.value(FragmentOp::Make { elements }, ty))
}

/// A register as a result of the op.
fn from_register(cx: &mut Cx<'_>, value: Value, ty: &DesugaredType) -> Checked<Value> {
    match ty {
        DesugaredType::Scalar(ElementType::Scalar(to)) => {
            let DesugaredType::Scalar(ElementType::Scalar(own)) = *cx.ty(value) else {
                return wrong(cx, "a register that is no number");
            };
            let (Some(from), Some(bits)) = (integer(own.bits()), integer(to.bits())) else {
                return wrong(cx, format!("a result of type `{to}`"));
            };
            if from.bits() < bits.bits() {
                return wrong(cx, format!("a result of type `{to}` does not fit its register"));
            }
            let source = match own == *to {
                true => return Ok(value),
                false => as_bits(cx, value, from),
            };
            let source = match from == bits {
                true => source,
                false => cx.value(ArithOp::TruncI { source }, of(bits)),
            };
            Ok(as_bits(cx, source, *to))
        }
        DesugaredType::Fragment(count, ElementType::Scalar(element)) => unpacked(cx, value, *count, *element),
        DesugaredType::Cute(cute) => match cute.kind() {
            Kind::Pointer(pointer) => {
                let source = match address_type(pointer) {
                    ElementType::Scalar(scalar) => resized(cx, value, scalar),
                    ElementType::Ptr(_) => value,
                };
                Ok(cx.value(CuteOp::IntToPtr { source }, ty.clone()))
            }
            _ => wrong(cx, format!("a result of type `{cute}`")),
        },
        ty => wrong(cx, format!("a result of type `{ty:?}`")),
    }
}

/// Binds the results of the op to the values of their registers.
fn bind(cx: &mut Cx<'_>, id: OpId, registers: &Registers, places: &[Place], count: usize) -> Translated {
    let results: Vec<Value> = cx.old(id).results().collect();
    let all = results.iter().map(|&result| types(cx.from.ty(result)));
    let all = all.collect::<Checked<Vec<_>>>()?;
    let needed: usize = all.iter().map(Vec::len).sum();
    if needed != count {
        return wrong(cx, format!("{count} results where {needed} are needed"));
    }
    let mut places = places.iter();
    for (result, types) in results.into_iter().zip(all) {
        let mut values = Vec::new();
        for (ty, place) in types.iter().zip(&mut places) {
            let value = match place {
                Place::Register(register) => registers.values.get(register).copied(),
                Place::Constant(_) => None,
            };
            let Some(value) = value else {
                return wrong(cx, "a result is not written");
            };
            values.push(from_register(cx, value, ty)?);
        }
        cx.bind(result, values);
    }
    Ok(())
}

/// Emits an instruction.
fn instruction(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    registers: &mut Registers,
    places: &[Place],
    (guard, words, operands): (Option<(Operand, bool)>, Vec<String>, Vec<Operand>),
) -> Checked {
    let name = words.join(".");
    let mut raw = Vec::new();
    for operand in &operands {
        match raw_operand(registers, places, operand) {
            Ok(operand) => raw.push(operand),
            Err(message) => return wrong(cx, format!("`{name}`: {message}")),
        }
    }
    let guard = match guard {
        None => None,
        Some((operand, negated)) => match raw_operand(registers, places, &operand) {
            Ok(operand) => Some((operand, negated)),
            Err(message) => return wrong(cx, format!("`{name}`: {message}")),
        },
    };
    if let Some(carrying) = Carrying::of(&words) {
        return match guard {
            None => carried(pass, cx, registers, &carrying, &raw),
            Some(_) => wrong(
                cx,
                format!("`{name}`: a guard of an instruction with a carry is not supported"),
            ),
        };
    }
    let raw = RawInstruction { words, operands: raw };
    emit_raw(pass, cx, registers, &raw, guard)
}

/// Emits an instruction with its names resolved.
fn emit_raw(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    registers: &mut Registers,
    raw: &RawInstruction,
    guard: Option<(RawOperand, bool)>,
) -> Checked {
    let name = raw.words.join(".");
    let read = match Instruction::<Register>::read(raw) {
        Ok(read) => read,
        Err(problem) => return wrong(cx, format!("`{name}`: {}", unread(raw, &problem))),
    };
    // What is written, in the order of the results.
    let mut written = Written::default();
    read.visit(&mut written);
    if written.leaves || matches!(read, Instruction::Ret { .. } | Instruction::Exit {}) {
        return wrong(
            cx,
            format!("`{name}`: branches, calls and exits are not supported"),
        );
    }
    let guard = match guard {
        None => None,
        Some((operand, negated)) => match operand {
            RawOperand::Register(register) if register.class == Class::Pred => {
                let predicate = Predicate { register, negated };
                let mut names = Names::new(cx, registers);
                let value = names.predicate(&predicate);
                names.finish()?;
                Some(value)
            }
            _ => return wrong(cx, format!("`{name}`: a guard is a predicate")),
        },
    };
    let mut names = Names::new(cx, registers);
    let instruction = read.rename(&mut names);
    names.finish()?;
    let mut results = Vec::new();
    for &(register, want) in &written.registers {
        let scalar = held(register.class).filter(|_| want.admits(register.class));
        let other = || {
            swapped(register.class)
                .filter(|class| want.admits(*class))
                .and_then(held)
        };
        match scalar.or_else(other) {
            Some(scalar) => results.push((register, scalar)),
            None => {
                let message = format!(
                    "`{name}`: a result is {want}, and its register `{}`",
                    register.class.declared()
                );
                return wrong(cx, message);
            }
        }
    }
    let mut otherwise = Vec::new();
    if guard.is_some() {
        for &(register, scalar) in &results {
            otherwise.push(match registers.values.get(&register) {
                Some(before) => as_bits(cx, *before, scalar),
                // A register without a value may have any.
                None => zero(cx, scalar),
            });
        }
    }
    let op = TargetOp {
        instruction,
        guard,
        otherwise,
    };
    let made = emit(cx, pass.target, op, results.iter().map(|(_, scalar)| of(*scalar)))?;
    for ((register, _), value) in results.into_iter().zip(made) {
        let value = held(register.class).map_or(value, |scalar| as_bits(cx, value, scalar));
        registers.values.insert(register, value);
    }
    Ok(())
}

/// Emits an instruction that reads or writes the condition code.
fn carried(
    pass: &Desugar,
    cx: &mut Cx<'_>,
    registers: &mut Registers,
    carrying: &Carrying,
    operands: &[RawOperand],
) -> Checked {
    let Some(scalar) = carrying.scalar() else {
        return wrong(
            cx,
            "an instruction with a carry computes with integers of 32 or 64 bits",
        );
    };
    let Some((RawOperand::Register(result), inputs)) = operands.split_first() else {
        return wrong(cx, "an instruction with a carry has a register for its result");
    };
    let mut values = Vec::new();
    for input in inputs {
        values.push(match input {
            RawOperand::Register(register) => match registers.values.get(register) {
                Some(value) => as_bits(cx, *value, scalar),
                None => return wrong(cx, "a register is read before it is written"),
            },
            RawOperand::Immediate(Immediate::Int(number)) => constant(cx, scalar, *number),
            _ => return wrong(cx, "an instruction with a carry reads registers and integers"),
        });
    }
    if held(result.class) != Some(scalar) || values.iter().any(|value| *cx.ty(*value) != of(scalar)) {
        return wrong(
            cx,
            format!(
                "an instruction with a carry has operands of {} bits",
                scalar.bits()
            ),
        );
    }
    let pair = match (carrying.operation, values.as_slice()) {
        (Operation::Add | Operation::Subtract, &[lhs, rhs]) => [lhs, rhs],
        (Operation::MultiplyAdd, &[lhs, rhs, acc]) => {
            let product = registers.new_one(result.class);
            let factors = [lhs, rhs].map(|value| {
                let factor = registers.new_one(result.class);
                registers.values.insert(factor, value);
                RawOperand::Register(factor)
            });
            let words = std::iter::once("mul".to_owned()).chain(carrying.words.iter().cloned());
            let operands = std::iter::once(RawOperand::Register(product)).chain(factors);
            let multiplication = RawInstruction {
                words: words.collect(),
                operands: operands.collect(),
            };
            emit_raw(pass, cx, registers, &multiplication, None)?;
            match registers.values.get(&product) {
                Some(product) => [*product, acc],
                None => return wrong(cx, "a product without a value"),
            }
        }
        _ => return wrong(cx, "an instruction with a carry has another number of operands"),
    };
    let carry = match (carrying.reads, pass.carry.get()) {
        (false, _) => None,
        (true, Some(carry)) if carry.block == cx.current() => Some(carry.value),
        (true, _) => return wrong(cx, "no instruction before this one, in its block, writes a carry"),
    };
    let subtracts = carrying.operation == Operation::Subtract;
    let [value, out] = carries::sum(cx, subtracts, pair, carry, scalar);
    registers.values.insert(*result, value);
    if carrying.writes {
        let block = cx.current();
        pass.carry.set(Some(Carry { block, value: out }));
    }
    Ok(())
}

/// A zero.
fn zero(cx: &mut Cx<'_>, scalar: ScalarType) -> Value {
    let bits = integer(scalar.bits()).unwrap_or(scalar);
    let zero = constant(cx, bits, 0);
    as_bits(cx, zero, scalar)
}

/// Floats for integers of the same size, and the other way round: PTX takes registers of bits for both.
const fn swapped(class: Class) -> Option<Class> {
    match class {
        Class::B32 => Some(Class::F32),
        Class::F32 => Some(Class::B32),
        Class::B64 => Some(Class::F64),
        Class::F64 => Some(Class::B64),
        Class::Pred | Class::B16 | Class::B128 => None,
    }
}

/// Why an instruction was not read.
fn unread(raw: &RawInstruction, problem: &ReadError) -> String {
    match problem {
        ReadError::UnknownMnemonic => "no such instruction is known".to_owned(),
        ReadError::Modifier(at) => match raw.words.get(*at) {
            Some(word) => format!("the modifier `.{word}` does not belong there"),
            None => "a modifier is missing".to_owned(),
        },
        ReadError::Operand(at, expected) if *at < raw.operands.len() => {
            format!("operand {at} is {expected}")
        }
        ReadError::Operand(_, expected) => format!("an operand is missing, {expected}"),
        ReadError::NoSuchForm => "PTX has no such form".to_owned(),
    }
}

/// An operand with its names resolved.
fn raw_operand(registers: &Registers, places: &[Place], operand: &Operand) -> Result<RawOperand, String> {
    let all = |operands: &[Operand]| {
        operands
            .iter()
            .map(|operand| raw_operand(registers, places, operand))
            .collect::<Result<Vec<_>, _>>()
    };
    let register = |operand: &Operand| match raw_operand(registers, places, operand)? {
        RawOperand::Register(register) => Ok(register),
        _ => Err("a register is needed".to_owned()),
    };
    Ok(match operand {
        Operand::Placeholder(number) => match places.get(*number) {
            Some(Place::Register(register)) => RawOperand::Register(*register),
            Some(Place::Constant(number)) => RawOperand::Immediate(Immediate::Int(*number)),
            None => return Err(format!("there is no operand `${number}`")),
        },
        Operand::Name(name) => match registers.named(name) {
            Some(register) => RawOperand::Register(register),
            None if name == "WARP_SZ" => RawOperand::Immediate(Immediate::Int(32)),
            None => return Err(format!("`{name}` is not declared")),
        },
        Operand::Special(name) => match Special::from_word(name) {
            Some(special) => RawOperand::Special(special),
            None => match registers.named(name) {
                Some(register) => RawOperand::Register(register),
                None => return Err(format!("the special register `{name}` is not known")),
            },
        },
        Operand::Integer(value) => RawOperand::Immediate(Immediate::Int(*value)),
        Operand::Single(bits) => RawOperand::Immediate(Immediate::F32(*bits)),
        Operand::Double(bits) => RawOperand::Immediate(Immediate::F64(*bits)),
        Operand::Address(base, offset) => RawOperand::Address(Address::from((register(base)?, *offset))),
        Operand::List(items) => RawOperand::Vector(all(items)?),
        Operand::Pair(first, second) => RawOperand::Pair(register(first)?, register(second)?),
        Operand::Not(inner) => RawOperand::Negated(register(inner)?),
        Operand::Sink => RawOperand::Sink,
    })
}

/// What an instruction writes.
#[derive(Default)]
struct Written {
    /// The registers, with what they must be.
    registers: Vec<(Register, Want)>,
    /// Whether it branches or calls.
    leaves: bool,
}

impl Visitor<Register> for Written {
    fn write(&mut self, register: &Register, want: Want) {
        self.registers.push((*register, want));
    }
    fn update(&mut self, register: &Register, want: Want) {
        self.registers.push((*register, want));
    }
    fn label(&mut self, _: &Label) {
        self.leaves = true;
    }
    fn parameter(&mut self, _: &Symbol) {
        self.leaves = true;
    }
}

/// Replaces registers by their values.
struct Names<'n, 'a> {
    cx: &'n mut Cx<'a>,
    registers: &'n Registers,
    problem: Option<String>,
}

impl<'n, 'a> Names<'n, 'a> {
    fn new(cx: &'n mut Cx<'a>, registers: &'n Registers) -> Self {
        Self {
            cx,
            registers,
            problem: None,
        }
    }

    fn finish(self) -> Checked {
        match self.problem {
            None => Ok(()),
            Some(problem) => wrong(self.cx, problem),
        }
    }

    /// The value of a register, as an operand wants it.
    fn value(&mut self, register: Register, want: Want) -> Value {
        let held = held(register.class).unwrap_or(ScalarType::I32);
        let value = match self.registers.values.get(&register) {
            Some(value) => *value,
            None => {
                self.problem
                    .get_or_insert_with(|| "a register is read before it is written".to_owned());
                return zero(self.cx, held);
            }
        };
        if matches!(want, Want::Name) || want.admits(register.class) {
            return value;
        }
        match swapped(register.class)
            .filter(|class| want.admits(*class))
            .and_then(self::held)
        {
            Some(scalar) => as_bits(self.cx, value, scalar),
            None => {
                let declared = register.class.declared();
                self.problem
                    .get_or_insert_with(|| format!("an operand is {want}, and its register `.{declared}`"));
                value
            }
        }
    }
}

impl Renaming<Register, Value> for Names<'_, '_> {
    fn write(&mut self, _: &Register) -> OpResult {
        OpResult
    }
    fn read(&mut self, old: &Register, want: Want) -> Value {
        self.value(*old, want)
    }
    fn update(&mut self, old: &Register, want: Want) -> Value {
        self.value(*old, want)
    }
    fn operand(&mut self, old: &isa::Value, want: Want) -> Value {
        let immediate = match old {
            isa::Value::Register(register) => return self.value(*register, want),
            isa::Value::Immediate(immediate) => *immediate,
        };
        let ty = match want {
            Want::Exactly(ty) | Want::AtLeast(ty) | Want::Register(ty) => ty,
            Want::Constant { .. } | Want::Range { .. } => Type::B32,
            Want::Address(_) | Want::Name => Type::B64,
        };
        if !want.admits_constant(immediate) {
            self.problem
                .get_or_insert_with(|| format!("an operand is {want}, and no such constant"));
        }
        let scalar = held(ty.class()).unwrap_or(ScalarType::I64);
        let bits = match immediate {
            Immediate::Int(value) => value,
            Immediate::F32(bits) => i64::from(bits),
            Immediate::F64(bits) => bits.cast_signed(),
        };
        constant(self.cx, scalar, bits)
    }
    fn predicate(&mut self, old: &Predicate) -> Value {
        let value = self.value(old.register, Want::Exactly(Type::Pred));
        if !old.negated {
            return value;
        }
        let rhs = constant(self.cx, ScalarType::I1, 1);
        self.cx
            .value(ArithOp::XorI { lhs: value, rhs }, of(ScalarType::I1))
    }
    fn label(&mut self, _: &Label) -> std::convert::Infallible {
        unreachable!("branches are refused before")
    }
    fn parameter(&mut self, _: &Symbol) -> std::convert::Infallible {
        unreachable!("calls are refused before")
    }
}
