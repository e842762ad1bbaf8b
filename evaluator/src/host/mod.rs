//! Host functions of modules of `cute`: what they launch.
//!
//! A host function is evaluated op by op, at the launch, with the arguments of that launch: their extents, strides and numbers
//! are known, their addresses are not. It computes grids and divisors, makes views, atoms and tensor maps, and launches
//! kernels; the result is the list of these launches, each with the bytes of its kernel's parameters.
//!
//! Memory is not touched: loads, stores and allocations are refused.

mod algebra;
mod divisor;
mod floats;
mod frame;
mod integers;
mod launch;
mod leaves;
mod packing;
mod print;
mod run;
mod tensor_map;
mod value;

use std::fmt::Display;

use tilewright_diagnostics::{Code, Diagnostic, counted};
use tilewright_irs::core::{Func, Operation, Origin};
use tilewright_irs::cute_types::Kind;
use tilewright_irs::mlir::{Mlir, MlirModule, Type};

use crate::fault::{Fault, Outcome};
use frame::{Frame, Op};
use run::Flow;
use value::{Address, Field, Integer, Runtime};

/// An address in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedAddress {
    /// Where the eight bytes of the address are, in bytes.
    pub at: usize,
    /// The argument of the host function, by number.
    pub argument: usize,
    /// The distance from the argument's address, in bytes.
    pub offset: i64,
}

/// An argument as a kernel takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// Its bytes, little-endian. Those of addresses are zero.
    pub bytes: Vec<u8>,
    /// Its alignment, in bytes.
    pub align: usize,
    /// The addresses in it.
    pub addresses: Vec<PackedAddress>,
}

/// The limit of dynamic shared memory that a kernel is given before it is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostShared {
    /// The device's.
    OfDevice,
    /// So many bytes.
    Bytes(u32),
}

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLaunch {
    /// The op that launches.
    pub origin: Origin,
    /// The name of the kernel.
    pub kernel: String,
    /// The blocks along x, y and z.
    pub grid: [u32; 3],
    /// The threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The blocks of a cluster along x, y and z, if the launch says them.
    pub cluster: Option<[u32; 3]>,
    /// The bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// Whether all blocks run at the same time.
    pub cooperative: bool,
    /// Whether it may begin before the grid before it has ended.
    pub programmatic: bool,
    /// Whether a cluster may have more blocks than every device allows.
    pub non_portable_cluster: bool,
    /// The limit of dynamic shared memory that the kernel asks for.
    pub most_shared: Option<MostShared>,
    /// The arguments that have bytes, in order.
    pub arguments: Vec<Packed>,
}

/// A number that a type of a parameter leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i64),
    /// A float, by its bits in its format.
    Float(u64),
}

/// An argument of a host function.
#[derive(Clone, Debug, PartialEq)]
pub enum HostArgument {
    /// A view: an address of the caller's, the dynamic leaves of the shape, then those of the stride. A pointer has no leaves;
    /// tuples and numbers are leaves alone.
    Value {
        /// Whether an address comes first.
        address: bool,
        /// What else the type leaves open, in order.
        numbers: Vec<Number>,
    },
    /// The stream.
    Stream,
}

/// What a host function has done.
#[derive(Debug)]
pub struct Evaluated {
    /// What it printed.
    pub printed: String,
    /// What it returned: of each value the numbers that its type leaves open, in order. `None` is no number of up to 64 bits.
    pub returned: Vec<Option<Number>>,
    /// Its launches, in order, or why it was stopped.
    pub launches: Result<Vec<HostLaunch>, Diagnostic<Origin>>,
}

/// Evaluates a function of the host of the module, in at most so many steps; a step is an op, or an iteration of a loop.
///
/// The launches are an error at an op that cannot be evaluated, that has no result for its operands, or that makes something
/// which is not as its type says; and if the steps are used up.
pub fn evaluate_host(
    module: &MlirModule,
    function: &Func<Mlir>,
    arguments: &[HostArgument],
    steps: u64,
) -> Evaluated {
    let mut frame = Frame::new(module, function, steps);
    let run = run(&mut frame, function, arguments);
    let (returned, launches) = match run {
        Ok(returned) => (returned, Ok(std::mem::take(&mut frame.launches))),
        Err(fault) => {
            let note = format!("in host function `{}`", function.name);
            (Vec::new(), Err(fault.note(note).into_diagnostic()))
        }
    };
    Evaluated {
        printed: std::mem::take(&mut frame.printed),
        returned: returned
            .iter()
            .flat_map(Runtime::fields)
            .map(Field::number)
            .collect(),
        launches,
    }
}

/// Runs a function, and gives what it returns.
fn run(frame: &mut Frame<'_>, function: &Func<Mlir>, arguments: &[HostArgument]) -> Outcome<Vec<Runtime>> {
    let params = function.body.params();
    if params.len() != arguments.len() {
        let message = format!(
            "the function has {}, and is given {}",
            counted(params.len(), "parameter"),
            counted(arguments.len(), "argument")
        );
        return Err(Fault::new(Code::ArgumentCount, message));
    }
    let mut values = Vec::with_capacity(arguments.len());
    for (at, (&param, argument)) in params.iter().zip(arguments).enumerate() {
        values.push(received(frame.ty(param), at, argument)?);
    }
    let entry = function.body.entry();
    let entry = entry.ok_or_else(|| Fault::broken("a function without a body"))?;
    match frame.run(entry, values)? {
        Flow::Return(values) => Ok(values),
        Flow::Yield(_) => Ok(Vec::new()),
        Flow::Condition(..) => Err(Fault::broken("a jump out of a function")),
    }
}

/// The value of a parameter.
fn received(ty: &Type, at: usize, argument: &HostArgument) -> Outcome<Runtime> {
    let wrong = |why: &dyn Display| {
        let message = format!("argument {at} does not fit `{ty}`: {why}");
        Fault::new(Code::BadArgument, message)
    };
    let (has_address, numbers) = match (argument, ty) {
        (HostArgument::Stream, Type::Stream) => return Ok(Runtime::Stream),
        (HostArgument::Stream, _) => return Err(wrong(&"it is a stream")),
        (HostArgument::Value { address, numbers }, _) => (*address, numbers),
    };
    let begins = Field::Address(Address {
        base: Some(at),
        offset: 0,
    });
    let mut fields: Vec<Field> = has_address.then_some(begins).into_iter().collect();
    let (wants_address, open) = match ty {
        Type::Cute(ty) => {
            let is_in_memory = matches!(ty.kind(), Kind::View(_) | Kind::Pointer(_));
            (is_in_memory, leaves::open_leaves(ty))
        }
        Type::Integer(_, width) => match (numbers.as_slice(), has_address) {
            ([Number::Integer(number)], false) => {
                return Ok(Integer::new(*width, i128::from(*number)).into());
            }
            _ => return Err(wrong(&"it is no integer")),
        },
        _ => match (numbers.as_slice(), has_address, frame::format_of(ty)) {
            ([Number::Float(bits)], false, Some(format)) => return Ok(Field::Float(format, *bits).into()),
            _ => return Err(wrong(&"it is no such number")),
        },
    };
    if wants_address != has_address {
        return Err(wrong(&"only a view and a pointer have an address"));
    }
    if open.len() != numbers.len() {
        let (open, given) = (counted(open.len(), "number"), numbers.len());
        return Err(wrong(&format_args!(
            "it leaves {open} open, and {given} are given"
        )));
    }
    for (fact, number) in open.into_iter().zip(numbers) {
        let Number::Integer(number) = number else {
            return Err(wrong(&"a float is given"));
        };
        let field = leaves::field_of(fact, i128::from(*number), ty).map_err(|fault| wrong(&fault.message))?;
        fields.extend(field);
    }
    Ok(Runtime::Fields(fields))
}

/// An op that the interpreter does not know.
fn unknown(op: &Op) -> Box<Fault> {
    let message = format!(
        "`{}` cannot be evaluated in a function of the host",
        op.kind.name()
    );
    Fault::new(Code::HostUnsupported, message)
}

/// A form of an op that the interpreter does not know.
fn unsupported(what: impl Display) -> Box<Fault> {
    Fault::new(
        Code::HostUnsupported,
        format!("a function of the host cannot have {what}"),
    )
}
