//! `tcgen05.mma`: products into tensor memory.

use std::num::NonZeroU32;

use super::mma_parts::{Collectors, Elements, FragmentKind, Majors, MmaShape};
use crate::cute_types::element::Number;
use crate::cute_types::reader::{part, words};

words! {
    /// How the places of a sparse matrix's elements are said.
    pub enum SparseFormat {
        /// By thread.
        Tid = "tid",
    }
}

/// The kinds of products: dense, block-scaled, sparse, both; each for sm_100 and, with collectors, for sm_107.
macro_rules! products {
    ($($(#[$doc:meta])* $Name:ident, $(#[$later_doc:meta])* $Later:ident {
        $($(#[doc = $fdoc:literal])* $field:ident: $Type:ty),+
    } ($($before:tt)*) ($($after:tt)+))+) => {
        $(part! {
            $(#[$doc])*
            pub struct $Name {
                /// M, N and K.
                shape: MmaShape,
                /// The blocks that take part.
                blocks: NonZeroU32,
                /// How A and B lie.
                majors: Majors,
                /// Of A, B and C.
                elements: Elements,
                /// Where A and B are.
                fragments: FragmentKind,
                $($(#[doc = $fdoc])* $field: $Type),+
            }
            shape ", num_cta = " blocks ", ab_major = " majors ", elem_type = " elements $($before)*
            ", frag_kind = " fragments $($after)+
        }

        part! {
            $(#[$later_doc])*
            pub struct $Later {
                /// M, N and K.
                shape: MmaShape,
                /// The blocks that take part.
                blocks: NonZeroU32,
                /// How A and B lie.
                majors: Majors,
                /// Of A, B and C.
                elements: Elements,
                /// Where A and B are.
                fragments: FragmentKind,
                $($(#[doc = $fdoc])* $field: $Type,)+
                /// What is done with A and B that stay near the tensor cores.
                collectors: Collectors,
            }
            shape ", num_cta = " blocks ", ab_major = " majors ", elem_type = " elements $($before)*
            ", frag_kind = " fragments $($after)+
            ", ab_collector_op = " collectors
        })+
    };
}

products! {
    /// `tcgen05.mma`.
    Sm100Mma,
    /// `tcgen05.mma` of sm_107.
    Sm107Mma {
        /// C is divided by two to this power before the sum.
        scale_exponent: u32
    }
    () (", c_scale_exp = " scale_exponent)

    /// `tcgen05.mma.block_scale`.
    Sm100BlockScaledMma,
    /// `tcgen05.mma.block_scale` of sm_107.
    Sm107BlockScaledMma {
        /// The scales.
        scale: Number,
        /// The elements of one scale.
        block: NonZeroU32
    }
    (", sf_type = " scale) (", vec_size = " block)

    /// `tcgen05.mma.sp`.
    Sm100SparseMma,
    /// `tcgen05.mma.sp` of sm_107.
    Sm107SparseMma {
        /// The places of A's elements.
        places: Number,
        /// How they are said.
        format: SparseFormat,
        /// C is divided by two to this power before the sum.
        scale_exponent: u32
    }
    (", e_type = " places ", sparse_metadata_format = " format) (", c_scale_exp = " scale_exponent)

    /// `tcgen05.mma.sp.block_scale`.
    Sm100BlockScaledSparseMma,
    /// `tcgen05.mma.sp.block_scale` of sm_107.
    Sm107BlockScaledSparseMma {
        /// The scales.
        scale: Number,
        /// How the places of A's elements are said.
        format: SparseFormat,
        /// The elements of one scale.
        block: NonZeroU32
    }
    (", sf_type = " scale ", sparse_metadata_format = " format) (", vec_size = " block)
}
