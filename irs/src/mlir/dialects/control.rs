//! Structured control flow, returns, assertions, casts and inline assembly.

use super::PLAIN_TO;
use crate::core::{Flag, Region, Value};
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{AsmDialect, TailCallKind};

mlir_ops! {
    /// Structured control flow.
    pub enum ScfOp: "scf" in Scf {
        /// A loop over a range; values are carried from one iteration to the next.
        For "for" { lower["lowerBound"]: Value, upper["upperBound"]: Value, step: Value, inits["initArgs"]: Vec<Value>, unsigned["unsignedCmp"]: Flag, body: Region }
            -> * Written, Loop, Other, "!";
        /// One of two regions; the second may be empty.
        If "if" { condition: Value, then: Region, r#else["else"]: Region } -> * Written, Regions, Other, "!";
        /// A loop whose first region decides whether the second is executed.
        While "while" { inits: Vec<Value>, before: Region, after: Region } -> * Written, Loop + Writes(Control), Other, "!";
        /// Ends the first region of a loop: whether the second follows, and its arguments.
        Condition "condition" { condition: Value, args: Vec<Value> } -> 0 Written, Terminator, Other, "({condition}){@}(?args: {args} : {T args})";
        /// Ends a region with its results.
        Yield "yield" { results: Vec<Value> } -> 0 Written, Terminator, Other, "{@}(?results: {results} : {T results})";
    }
}

mlir_ops! {
    /// Functions of the host.
    pub enum FuncOp: "func" in Func {
        /// Ends a function.
        Return "return" { operands: Vec<Value> } -> 0 Written, Terminator, Other, "{@}(?operands: {operands} : {T operands})";
    }
}

mlir_ops! {
    /// Branches and assertions.
    pub enum CfOp: "cf" in Cf {
        /// Stops the program unless the condition holds.
        Assert "assert" { arg: Value, msg: String } -> 0 Written, Updates(Output, Control), Other, " {arg}, {msg}{@}";
    }
}

mlir_ops! {
    /// Ops of any dialect.
    pub enum BuiltinOp: "builtin" in Builtin {
        /// A value as one of another type system.
        Cast "unrealized_conversion_cast" { inputs: Vec<Value> } -> * Written, Pure, Other, PLAIN_TO;
    }
}

mlir_ops! {
    /// The machine.
    pub enum LlvmOp: "llvm" in Llvm {
        /// Instructions as text.
        InlineAsm "inline_asm" {
            operands: Vec<Value>, asm_dialect: AsmDialect, asm_string: String, constraints: String, side_effects["has_side_effects"]: Flag,
            align_stack["is_align_stack"]: Flag, operand_attrs: Option<Attribute>, tail_call_kind: TailCallKind,
        } -> * Written, Anything, Other, "!";
    }
}
