//! The dialects of MLIR text, one file each; every op is declared once.

mod arith;
mod control;
mod cuda;
mod cute;
mod cute_nvgpu;
mod math;
mod nvvm;
mod open;
mod vector;

pub use arith::ArithOp;
pub use control::{BuiltinOp, CfOp, FuncOp, GEP_FLAGS, LlvmOp, ScfOp, UbOp};
pub use cuda::CudaOp;
pub use cute::CuteOp;
pub use cute_nvgpu::CuteNvgpuOp;
pub use math::MathOp;
pub use nvvm::NvvmOp;
pub use open::OpenOp;
pub use vector::VectorOp;

/// `(%a, %b) : (T, T) -> T`
const CALL: &str = "({..}){@} : ({T ..}) -> {R}";
/// `(%a, %b) : (T, T)`
const ACTION: &str = "({..}){@} : ({T ..})";
/// `(%a) : T to T`
const TO: &str = "({..}){@} : {T ..} to {R}";
/// `(%a, %b) : T, T -> T`
const ARROW: &str = "({..}){@} : {T ..} -> {R}";
/// `(%a, %b) : T`, the type of the result.
const OF_RESULT: &str = "({..}){@} : {R}";
/// `(%a, %b) : T, T`, the types of the operands.
const OF_OPERANDS: &str = "({..}){@} : {T ..}";
/// `%a, %b : T`, the type of the result.
const PLAIN: &str = " {..}{@} : {R}";
/// `%a : T to T`
const PLAIN_TO: &str = " {..}{@} : {T ..} to {R}";
/// `%a, %b : T, T`, the types of the operands.
const PLAIN_OPERANDS: &str = " {..}{@} : {T ..}";
/// `%a, %b : T, T -> T`
const PLAIN_ARROW: &str = " {..}{@} : {T ..} -> {R}";
/// The generic form only.
const GENERIC: &str = "";
