//! Which copies may use a tensor map of the host.

use tilewright_diagnostics::Code;
use tilewright_layouts::SwizzleMode;
use tilewright_layouts::legality::{BoxMode, DataType, Interleave, L2Promotion, OobFill, TensorMap};

use super::boxes::data_type;
use super::{Allowed, Refusal};
use crate::element::ScalarType;
use crate::tileas::map_parameter::MapParameter;

/// The strides of an array whose strides are not known, in bytes: all that tensor maps may have are multiples of it.
const STRIDE: u64 = 16;

impl MapParameter {
    /// The driver's type of its elements. Copies by a map of `tf32` round.
    fn data_type(&self) -> Result<DataType, Refusal> {
        match self.element {
            ScalarType::TF32 => Ok(DataType::TF32),
            element => data_type(element),
        }
    }

    /// Checks that the driver makes such a map.
    pub(crate) fn check(&self) -> Allowed {
        let rank = self.extents.len();
        let map = TensorMap {
            data_type: self.data_type()?,
            global_address: 0,
            global_dim: vec![1; rank],
            global_strides: vec![STRIDE; rank.saturating_sub(1)],
            element_strides: vec![1; rank],
            interleave: Interleave::None,
            swizzle: self.swizzle,
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zero,
            mode: BoxMode::Tiled {
                box_dim: self.extents.clone(),
            },
        };
        map.check()
            .map_err(|violations| Refusal::limit("tensor_map", violations))
    }

    /// Checks that copies by a map may use this one.
    pub(crate) fn check_use(&self, wanted: &TensorMap) -> Allowed {
        let box_dim = match &wanted.mode {
            BoxMode::Tiled { box_dim } => box_dim.as_slice(),
            BoxMode::Im2col { .. } | BoxMode::Im2colWide { .. } => &[],
        };
        let own = self.data_type()?;
        if own == wanted.data_type && self.extents == box_dim && self.swizzle == wanted.swizzle {
            return Ok(());
        }
        let describe = |data_type: &str, extents: &[u32], swizzle: SwizzleMode| {
            format!(
                "{data_type} in boxes of {extents:?} with swizzle {}",
                swizzle.driver_name()
            )
        };
        let message = format!(
            "the parameter is a tensor map of {}; the copy needs one of {}",
            describe(own.name(), &self.extents, self.swizzle),
            describe(wanted.data_type.name(), box_dim, wanted.swizzle)
        );
        Err(Refusal::new(Code::TypeMismatch, message))
    }
}
