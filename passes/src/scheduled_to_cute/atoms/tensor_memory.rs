//! `tcgen05_ld`, `tcgen05_st`, `tcgen05_cp`: not lowered.

use tilewright_irs::tileas::atoms::{TensorCp, TensorLd, TensorSt};

use super::LowerAtom;

impl LowerAtom for TensorLd {}
impl LowerAtom for TensorSt {}
impl LowerAtom for TensorCp {}
