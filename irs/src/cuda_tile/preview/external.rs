//! Functions that are implemented outside of the module.

use tilewright_diagnostics::Code;

use super::expr::Expr;
use super::known::Known;
use super::types::ParamKind;
use crate::cuda_tile::attrs::Dict;
use crate::cuda_tile::enums::PreviewSynchronization;
use crate::cuda_tile::types::AnyType;

/// A parameter that is known when a call is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstParam {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub kind: ParamKind,
}

/// Shared memory that an implementation asks for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scratch {
    /// The bytes.
    pub size: Expr,
    /// Their alignment, in bytes.
    pub alignment: Expr,
}

impl Scratch {
    /// Checks the request for itself.
    ///
    /// # Errors
    /// The code and the message.
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

/// `preview$func`: declares a function that is implemented outside of the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternFunc {
    /// Its symbol.
    pub name: String,
    /// The parameters that are known when a call is compiled.
    pub const_params: Vec<ConstParam>,
    /// The types of the parameters: tiles.
    pub inputs: Vec<AnyType>,
    /// The types of the results: tiles. The parameters that the function writes are the first of them.
    pub results: Vec<AnyType>,
    /// A dictionary for each parameter, which says what the function does with it.
    pub arg_attrs: Vec<Dict>,
}

/// `preview$extern_impl`: describes an implementation of such a function, in machine code of a library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExternImpl {
    /// Its symbol.
    pub name: String,
    /// The symbol of the function.
    pub implements: String,
    /// The parameters that are known when a call is compiled.
    pub const_params: Option<Vec<ConstParam>>,
    /// What they are for the function.
    pub const_args: Option<Vec<Expr>>,
    /// The types of the parameters: fragments.
    pub inputs: Vec<AnyType>,
    /// The types of the results, of which there are none.
    pub results: Vec<AnyType>,
    /// A dictionary for each parameter, which says what the implementation does with it.
    pub arg_attrs: Option<Vec<Dict>>,
    /// A dictionary for each result.
    pub res_attrs: Option<Vec<Dict>>,
    /// The shared memory that it asks for.
    pub scratch_smem: Option<Scratch>,
    /// What no implementation may have.
    pub config: Option<Dict>,
    /// The architectures that it is for.
    pub arch: Option<Vec<String>>,
    /// What a front end wants to know of it.
    pub frontend_abi: Option<Dict>,
    /// Which threads it synchronises.
    pub synchronization: Option<PreviewSynchronization>,
    /// Of several implementations, the one with the highest score is taken.
    pub provider_score: Option<i64>,
}

/// What of a module stands outside of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExternalKind {
    /// A function.
    Func(ExternFunc),
    /// An implementation of one.
    Impl(Box<ExternImpl>),
}

/// A function that is implemented outside of the module, or an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct External {
    /// How many of the module's kernels stand before it.
    pub before: usize,
    /// What it is.
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

    /// The name of the op that it is.
    pub const fn op(&self) -> &'static str {
        match self.kind {
            ExternalKind::Func(_) => "preview$func",
            ExternalKind::Impl(_) => "preview$extern_impl",
        }
    }
}
