//! The cost of an access by linear algebra.

use smallvec::SmallVec;

use super::{Access, BankCost, BankModel, check_vector};
use crate::dim::Dim;
use crate::error::LayoutError;
use crate::linear::LinearLayout;
use crate::span::Span;

impl BankModel {
    /// [`layout_cost`](super::layout_cost) on this machine.
    ///
    /// # Errors
    /// As there.
    pub fn layout_cost(
        self,
        access: Access,
        offsets: &LinearLayout,
        vector: u32,
        element_bytes: u32,
    ) -> Result<BankCost, LayoutError> {
        let element_bits = self.width_bits(element_bytes)?;
        if offsets.out_size(Dim::Offset).is_none() {
            return Err(LayoutError::MissingDim { dim: Dim::Offset });
        }
        let vector_bits = self.width_bits(vector.saturating_mul(element_bytes))? - element_bits;
        let dims: SmallVec<[Dim; 8]> = offsets.in_dims().map(|(dim, _)| dim).collect();
        let flat = offsets.sublayout(&dims, &[Dim::Offset]);
        let cost = self.one_access(access, flat.words(Dim::Lane), vector_bits, element_bits)?;
        check_vector(&flat, vector)?;
        // There are at least as many registers as vector elements.
        let accesses = flat.in_bits(Dim::Register) - vector_bits;
        Ok(cost.times(1 << accesses))
    }

    /// The cost of one access of `2^vector_bits` elements by lanes whose columns, in elements, are
    /// `lanes`; a missing column is zero.
    pub(crate) fn one_access(
        self,
        access: Access,
        lanes: &[u64],
        vector_bits: u32,
        element_bits: u32,
    ) -> Result<BankCost, LayoutError> {
        let lane = |bit: u32| lanes.get(bit as usize).copied().unwrap_or(0);
        let lanes = || (0..self.lane_bits).map(lane);
        if let Some(offset) = lanes().find(|offset| offset & ((1 << vector_bits) - 1) != 0) {
            return Err(LayoutError::Misaligned {
                address: u32::try_from(offset << element_bits).unwrap_or(u32::MAX),
                bytes: 1 << (vector_bits + element_bits),
            });
        }
        let width_bits = vector_bits + element_bits;
        let paired = lanes().take(2).any(|column| column == 0);
        let (lane_bits, phase_bits) = self.phases(access, width_bits, paired);
        let own = (0..width_bits.saturating_sub(self.word_bits)).map(|bit| 1 << bit);
        let words = || {
            let others = lanes().take(lane_bits as usize);
            own.clone()
                .chain(others.map(|offset| offset << element_bits >> self.word_bits))
        };
        let bank = (1 << self.bank_bits) - 1;
        let conflicts = Span::of(words()).rank() - Span::of(words().map(|word| word & bank)).rank();
        let minimum = 1 << phase_bits;
        Ok(BankCost {
            cycles: minimum << conflicts,
            minimum,
        })
    }
}
