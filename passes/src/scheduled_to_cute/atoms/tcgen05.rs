//! `tcgen05`: not lowered.

use tilewright_irs::tileas::atoms::Tcgen05;

use super::LowerAtom;

impl LowerAtom for Tcgen05 {}
