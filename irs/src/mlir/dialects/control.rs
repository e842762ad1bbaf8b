//! Structured control flow, returns, assertions, casts and inline assembly.

use super::PLAIN_TO;
use crate::core::{Flag, Region, Value};
use crate::mlir::attribute::Attribute;
use crate::mlir::declare::mlir_ops;
use crate::mlir::enums::{AsmDialect, AtomicOrdering, LlvmFastMath, TailCallKind};
use crate::mlir::property::PoisonAttribute;
use crate::mlir::types::Type;

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
    /// What has no meaning.
    pub enum UbOp: "ub" in Ub {
        /// A value that nothing may depend on.
        Poison "poison" { value: PoisonAttribute } -> 1 Written, Pure, Other, "(?value: <{value}>){@} : {R}";
    }
}

mlir_ops! {
    /// Ops of any dialect.
    pub enum BuiltinOp: "builtin" in Builtin {
        /// A value as one of another type system.
        Cast "unrealized_conversion_cast" { inputs: Vec<Value> } -> * Written, Pure, Other, PLAIN_TO;
    }
}

/// What an address computation promises, by the bits of `noWrapFlags`: that it stays within an object, and that it does not
/// overflow.
pub const GEP_FLAGS: [(&str, i64); 3] = [("inbounds", 3), ("nusw", 2), ("nuw", 4)];

mlir_ops! {
    /// The machine.
    pub enum LlvmOp: "llvm" in Llvm {
        /// Instructions as text.
        InlineAsm "inline_asm" {
            operands: Vec<Value>, asm_dialect: AsmDialect, asm_string: String, constraints: String, side_effects["has_side_effects"]: Flag,
            align_stack["is_align_stack"]: Flag, operand_attrs: Option<Attribute>, tail_call_kind: TailCallKind,
        } -> * Written, Anything, Other, "!";
        /// An operation of LLVM's that has no op of its own, by its name.
        CallIntrinsic "call_intrinsic" {
            args: Vec<Value>, bundles["op_bundle_operands"]: Vec<Value>, name["intrin"]: String, fastmath["fastmathFlags"]: LlvmFastMath,
            bundle_sizes["op_bundle_sizes"]: Vec<i32>,
        } -> * Written, Anything, Other, " {intrin}({args}){@} : ({T args}) -> {R}";
        /// The same bits as a value of another type.
        Bitcast "bitcast" { arg: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// What is at an address.
        Load "load" {
            addr: Value, alignment: Option<i64>, volatile["volatile_"]: Flag, nontemporal: Flag, invariant: Flag, invariant_group["invariantGroup"]: Flag,
            ordering: AtomicOrdering, syncscope: Option<String>,
        } -> 1 Written, Reads(Global, Shared, Local), Other,
            "(?volatile_: volatile) {addr}(?ordering: atomic(?syncscope: syncscope({syncscope})) {ordering})(?invariant: invariant){@} : {T addr} -> {R}";
        /// Puts a value to an address.
        Store "store" {
            value: Value, addr: Value, alignment: Option<i64>, volatile["volatile_"]: Flag, nontemporal: Flag, invariant_group["invariantGroup"]: Flag,
            ordering: AtomicOrdering, syncscope: Option<String>,
        } -> 0 Written, Writes(Global, Shared, Local), Other,
            "(?volatile_: volatile) {value}, {addr}(?ordering: atomic(?syncscope: syncscope({syncscope})) {ordering}){@} : {T value}, {T addr}";
        /// The elements at an address whose bits in the mask are set; of the others the last vector's, or anything.
        MaskedLoad "intr.masked.load" { data: Value, mask: Value, otherwise["pass_thru"]: Option<Value>, alignment: i32, nontemporal: Flag }
            -> 1 Written, Reads(Global, Shared, Local), Other, " {..}{@} : ({T ..}) -> {R}";
        /// Puts the elements to an address whose bits in the mask are set.
        MaskedStore "intr.masked.store" { value: Value, data: Value, mask: Value, alignment: i32 }
            -> 0 Written, Writes(Global, Shared, Local), Other, " {..}{@} : {T value}, {T mask} into {T data}";
        /// An address so many elements on: the constant number, or, where that is the least number, the next of the dynamic ones.
        GetElementPtr "getelementptr" {
            base: Value, dynamic["dynamicIndices"]: Vec<Value>, constant["rawConstantIndices"]: Vec<i32>, element["elem_type"]: Type,
            no_wrap["noWrapFlags"]: i32,
        } -> 1 Written, Pure, Other, "!";
        /// An address as a number.
        PtrToInt "ptrtoint" { arg: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// A number as an address.
        IntToPtr "inttoptr" { arg: Value } -> 1 Written, Pure, Other, PLAIN_TO;
        /// Orders accesses of the thread before and after it.
        Fence "fence" { ordering: AtomicOrdering, syncscope: Option<String> }
            -> 0 Written, Updates(Global, Shared, Barrier), Other, "(?syncscope: syncscope({syncscope})) {ordering}{@}";
        /// A part of a struct.
        ExtractValue "extractvalue" { container: Value, position: Vec<i64> } -> 1 Part, Pure, Other, " {container}[{position}]{@} : {T container}";
        /// A value that may be anything.
        Undef "mlir.undef" {} -> 1 Written, Pure, Other, "{@} : {R}";
        /// A value that nothing may depend on.
        Poison "mlir.poison" {} -> 1 Written, Pure, Other, "{@} : {R}";
    }
}
