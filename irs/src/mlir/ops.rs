//! The ops of MLIR text, by dialects, and their declarations by name.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::attribute::Attribute;
use super::declare::MlirOpSpec;
use super::dialects::{
    ArithOp, BuiltinOp, CfOp, CudaOp, CuteNvgpuOp, CuteOp, FuncOp, LlvmOp, MathOp, NvvmOp, OpenOp, ScfOp,
    UbOp, VectorOp,
};
use super::property::FieldView;
use crate::cute_types::Dialect;

/// The fields of an op, in the order of its declaration.
pub type Views<'a> = SmallVec<[FieldView<'a>; 6]>;

/// Declares the sum of the dialects.
macro_rules! mlir_op {
    ($($(#[doc = $doc:literal])* $variant:ident($dialect:ty)),+ $(,)?) => {
        crate::language_ops! {
            /// An op of MLIR text.
            pub enum MlirOp { $($(#[doc = $doc])* $variant($dialect)),+ }
        }

        impl MlirOp {
            /// Every declaration.
            pub fn mlir_specs() -> impl Iterator<Item = &'static MlirOpSpec> {
                [$(<$dialect>::MLIR_SPECS),+].into_iter().flatten()
            }

            /// The op's declaration.
            pub fn mlir_spec(&self) -> &'static MlirOpSpec {
                match self { $(Self::$variant(op) => op.mlir_spec()),+ }
            }

            /// The op's fields.
            pub fn views(&self) -> Views<'_> {
                match self { $(Self::$variant(op) => op.views()),+ }
            }

            /// The op's properties that are not absent, with the names of their fields.
            pub fn properties(&self) -> Vec<(&'static str, Attribute)> {
                match self { $(Self::$variant(op) => op.properties()),+ }
            }
        }
    };
}
mlir_op! {
    /// Arithmetic on integers and floats.
    Arith(ArithOp),
    /// Ops of any dialect.
    Builtin(BuiltinOp),
    /// Branches and assertions.
    Cf(CfOp),
    /// Launches.
    Cuda(CudaOp),
    /// Layout algebra and tensors.
    Cute(CuteOp),
    /// Atoms and instructions of NVIDIA's GPUs, as `cute` has them.
    CuteNvgpu(CuteNvgpuOp),
    /// Functions of the host.
    Func(FuncOp),
    /// The machine.
    Llvm(LlvmOp),
    /// Elementary functions.
    Math(MathOp),
    /// Instructions of NVIDIA's GPUs.
    Nvvm(NvvmOp),
    /// Layout algebra that only the open dialect has.
    Open(OpenOp),
    /// Structured control flow.
    Scf(ScfOp),
    /// What has no meaning.
    Ub(UbOp),
    /// Vectors.
    Vector(VectorOp),
}

impl MlirOp {
    /// The declaration of the op of this name in a dialect.
    pub fn by_mlir_name(name: &str, dialect: Dialect) -> Option<&'static MlirOpSpec> {
        type Table = FxHashMap<(Dialect, &'static str), &'static MlirOpSpec>;
        static TABLE: OnceLock<Table> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let both =
                Self::mlir_specs().flat_map(|spec| Dialect::ALL.iter().map(move |dialect| (*dialect, spec)));
            both.filter_map(|(dialect, spec)| Some(((dialect, spec.name_in(dialect)?), spec)))
                .collect()
        });
        table.get(&(dialect, name)).copied()
    }
}
