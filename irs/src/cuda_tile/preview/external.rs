//! External functions: declared in the module, and implemented outside of it.

use tilewright_diagnostics::Code;

use super::expr::Expr;
use super::known::Known;
use super::types::ParamKind;
use crate::cuda_tile::attrs::Dict;
use crate::cuda_tile::enums::PreviewSynchronization;
use crate::cuda_tile::types::AnyType;

/// A constant parameter: its argument is known when a call is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstParam {
    /// Its name.
    pub name: String,
    /// The kind of its arguments.
    pub kind: ParamKind,
}

/// Scratch memory, in shared memory, that an implementation requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scratch {
    /// Its size in bytes.
    pub size: Expr,
    /// Its alignment in bytes.
    pub alignment: Expr,
}

impl Scratch {
    /// Checks the size and the alignment, as far as they are known.
    ///
    /// # Errors
    /// The code and the message of the error.
    pub fn check(&self) -> Result<(), (Code, String)> {
        for (what, expr) in [("size", &self.size), ("alignment", &self.alignment)] {
            if let Err(message) = expr.check_integer() {
                return Err((
                    Code::AttributeKind,
                    format!("the {what} of scratch memory: {message}"),
                ));
            }
        }
        if let Known::Number(size @ ..0) = self.size.certain() {
            let message = format!("the size of scratch memory is {size}, expected 0 or more bytes");
            return Err((Code::AttributeValue, message));
        }
        match self.alignment.certain() {
            Known::Number(number) if !u64::try_from(number).is_ok_and(u64::is_power_of_two) => {
                let message = format!("the alignment of scratch memory is {number}, expected a power of two");
                Err((Code::AttributeValue, message))
            }
            Known::Number(_) | Known::Open | Known::TooLarge => Ok(()),
        }
    }
}

/// `preview$func`: declares an external function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternFunc {
    /// Its symbol.
    pub name: String,
    /// The constant parameters.
    pub const_params: Vec<ConstParam>,
    /// The types of the parameters: tiles.
    pub inputs: Vec<AnyType>,
    /// The types of the results: tiles. The first ones are those of the parameters that the function writes.
    pub results: Vec<AnyType>,
    /// A dictionary for each parameter, which says how the function accesses it.
    pub arg_attrs: Vec<Dict>,
}

/// `preview$extern_impl`: describes an implementation of an external function, in machine code of a library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternImpl {
    /// Its symbol.
    pub name: String,
    /// The symbol of the function that it implements.
    pub implements: String,
    /// Its own constant parameters.
    pub const_params: Option<Vec<ConstParam>>,
    /// The arguments for the function's constant parameters, as expressions over its own.
    pub const_args: Option<Vec<Expr>>,
    /// The types of the parameters: fragments.
    pub inputs: Vec<AnyType>,
    /// The types of the results, which must be empty.
    pub results: Vec<AnyType>,
    /// A dictionary for each parameter, which says how the implementation accesses it.
    pub arg_attrs: Option<Vec<Dict>>,
    /// A dictionary for each result.
    pub res_attrs: Option<Vec<Dict>>,
    /// The shared memory that it requests.
    pub scratch_smem: Option<Scratch>,
    /// An attribute of the format that the verifier refuses.
    pub config: Option<Dict>,
    /// The architectures that it is for.
    pub arch: Option<Vec<String>>,
    /// Information for the front end.
    pub frontend_abi: Option<Dict>,
    /// Which threads it synchronises.
    pub synchronization: Option<PreviewSynchronization>,
    /// Its priority: of several implementations, the one with the highest score is chosen.
    pub provider_score: Option<i64>,
}

/// The kinds of external items in a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExternalKind {
    /// A function.
    Func(ExternFunc),
    /// An implementation of one.
    Impl(Box<ExternImpl>),
}

/// An external function, or an implementation of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct External {
    /// The number of the module's kernels before it in the text.
    pub before: usize,
    /// The item itself.
    pub kind: ExternalKind,
}

impl External {
    /// Its symbol.
    pub fn name(&self) -> &str {
        match &self.kind {
            ExternalKind::Func(func) => &func.name,
            ExternalKind::Impl(implementation) => &implementation.name,
        }
    }

    /// The name of its op.
    pub const fn op(&self) -> &'static str {
        match self.kind {
            ExternalKind::Func(_) => "preview$func",
            ExternalKind::Impl(_) => "preview$extern_impl",
        }
    }
}
