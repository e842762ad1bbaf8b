//! What bodies have of the preview content of 13.5.

use crate::core::Value;
use crate::cuda_tile::attrs::{Attr, Symbol};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::preview::Expr;
use crate::cuda_tile::verify;

tile_ops! {
    /// What bodies have of the preview content of 13.5.
    pub enum PreviewOp in Preview {
        /// Calls a function that is implemented outside of the module.
        Call "preview$call" = 0x4002 since V13_5, Anything {
            operands: Vec<Value>,
            /// The function.
            callee: Symbol,
            /// What its constant parameters are.
            const_args: Vec<Expr>,
            /// A dictionary for each argument.
            arg_attrs: Option<Vec<Attr>>,
            /// A dictionary for each result.
            res_attrs: Option<Vec<Attr>>,
        } -> * [results: Any],
        checks [verify::preview::call],
        "@";
    }
}
