//! The lattice of the analysis: facts of one value, join and meet.

use tilewright_irs::core::ValueType;
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::tileaa::{Facts, MAX_DIVISOR, TileAaType};

/// The largest divisor that is written to a type: no access, box or tile needs more. The program's own assumptions
/// are kept in full.
pub(crate) const RECORDED_DIVISOR: u64 = 1 << 16;

/// The largest power of two that divides a number.
pub(crate) fn low_bit(value: i64) -> u64 {
    match value {
        0 => MAX_DIVISOR,
        _ => (1u64 << value.trailing_zeros()).min(MAX_DIVISOR),
    }
}

/// The facts along one axis; see [`Facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    pub(crate) div: u64,
    pub(crate) contig: u64,
    pub(crate) same: u64,
}

impl Axis {
    pub(crate) const UNKNOWN: Self = Self {
        div: 1,
        contig: 1,
        same: 1,
    };

    /// The divisor of the elements at multiples of `period`, a power of two: the first elements of runs, or elements
    /// inside of runs, which are `period` units further on.
    pub(crate) fn start_div(self, period: u64, unit: u64) -> u64 {
        if period >= self.contig {
            self.div
        } else {
            self.div.min(period.saturating_mul(unit))
        }
    }

    /// The same facts with shorter runs.
    pub(crate) fn with_contig(self, contig: u64, unit: u64) -> Self {
        Self {
            div: self.start_div(contig, unit),
            contig: contig.min(self.contig),
            same: self.same,
        }
    }

    /// The longest runs that start at a multiple of their own length, so that no power of two is inside of one.
    pub(crate) fn aligned_contig(self) -> u64 {
        self.contig.min(self.div)
    }
}

/// The properties of a value's type that facts depend on.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The extents; `[1]` for a scalar.
    pub(crate) extents: Vec<u64>,
    pub(crate) element: ElementType,
}

impl Kind {
    /// The kind of a type; `None` for memrefs and tokens.
    pub(crate) fn of(ty: &TileAaType) -> Option<Self> {
        let shape = ty.shape()?;
        let extents = if shape.is_empty() {
            vec![1]
        } else {
            shape.iter().map(|&n| u64::from(n)).collect()
        };
        Some(Self {
            extents,
            element: ty.element()?,
        })
    }

    /// The step of a contiguous run: one, or for pointers the bytes of an element. 0 if elements have no size in
    /// whole bytes; then nothing is contiguous.
    pub(crate) fn unit(&self) -> u64 {
        match self.element {
            ElementType::Scalar(_) => 1,
            ElementType::Ptr(pointee) => pointee.bytes().map_or(0, u64::from),
        }
    }

    /// The integer type, if elements are integers.
    pub(crate) fn int(&self) -> Option<ScalarType> {
        self.element.scalar().filter(|s| s.is_int())
    }

    /// The range of an element.
    pub(crate) fn range(&self) -> (i64, i64) {
        match self.int().map(ScalarType::bits) {
            Some(1) => (0, 1),
            Some(bits @ 2..64) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            _ => (i64::MIN, i64::MAX),
        }
    }
}

/// The facts of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// One entry for each axis.
    pub(crate) axes: Vec<Axis>,
    /// No element is smaller, read as signed (an i1 is 0 or 1).
    pub(crate) low: i64,
    /// No element is larger.
    pub(crate) high: i64,
}

impl Known {
    /// No facts.
    pub(crate) fn nothing(kind: &Kind) -> Self {
        let (low, high) = kind.range();
        Self {
            axes: vec![Axis::UNKNOWN; kind.extents.len()],
            low,
            high,
        }
    }

    /// Only runs of equal elements.
    pub(crate) fn with_same(kind: &Kind, same: impl IntoIterator<Item = u64>) -> Self {
        let mut known = Self::nothing(kind);
        for (axis, same) in known.axes.iter_mut().zip(same) {
            axis.same = same;
        }
        known
    }

    /// The facts of a type.
    pub(crate) fn from_type(kind: &Kind, facts: &Facts) -> Self {
        let mut known = Self::nothing(kind);
        let numbers = facts
            .divisibility
            .iter()
            .zip(&facts.contiguity)
            .zip(&facts.constancy);
        for (axis, ((&div, &contig), &same)) in known.axes.iter_mut().zip(numbers) {
            *axis = Axis { div, contig, same };
        }
        known.low = known.low.max(facts.min.unwrap_or(i64::MIN));
        known.high = known.high.min(facts.max.unwrap_or(i64::MAX));
        known.normal(kind)
    }

    /// The facts to add to a type.
    pub(crate) fn to_facts(&self, kind: &Kind) -> Facts {
        let (low, high) = kind.range();
        let column = |pick: fn(&Axis) -> u64| self.axes.iter().map(pick).collect();
        Facts {
            divisibility: column(|a| a.div),
            contiguity: column(|a| a.contig),
            constancy: column(|a| a.same),
            min: (self.low > low).then_some(self.low),
            max: (self.high < high).then_some(self.high),
        }
    }

    /// The common value of all elements, if constant.
    pub(crate) fn constant(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// A divisor of every element.
    pub(crate) fn every_div(&self, unit: u64) -> u64 {
        self.axes.iter().map(|a| a.start_div(1, unit)).max().unwrap_or(1)
    }

    /// The normal form: the strongest equivalent facts within the range of the type.
    pub(crate) fn normal(mut self, kind: &Kind) -> Self {
        let (low, high) = kind.range();
        self.low = self.low.max(low);
        self.high = self.high.min(high);
        if self.low > self.high {
            // Reached only if a program violates its own promises.
            (self.low, self.high) = (low, high);
        }
        let unit = kind.unit();
        let counts = match kind.element {
            ElementType::Scalar(scalar) => scalar.is_int() && scalar != ScalarType::I1,
            ElementType::Ptr(_) => unit > 0,
        };
        let divides = kind.int().is_some() || matches!(kind.element, ElementType::Ptr(_));
        let constant = self.constant().filter(|_| kind.int().is_some());
        for (axis, &extent) in self.axes.iter_mut().zip(&kind.extents) {
            axis.same = axis.same.min(extent);
            let longest = if counts && constant.is_none() { extent } else { 1 };
            if axis.contig > longest {
                *axis = axis.with_contig(longest, unit);
            }
            if !divides {
                axis.div = 1;
            }
            if let Some(constant) = constant {
                axis.same = extent;
                axis.div = low_bit(constant);
            }
            axis.div = axis.div.clamp(1, MAX_DIVISOR);
        }
        self
    }

    /// The join: facts of a value that is one of two.
    pub(crate) fn either(&self, other: &Self, unit: u64) -> Self {
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| {
            let contig = a.contig.min(b.contig);
            Axis {
                div: a.start_div(contig, unit).min(b.start_div(contig, unit)),
                contig,
                same: a.same.min(b.same),
            }
        });
        Self {
            axes: axes.collect(),
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// The meet: facts of a value for which both are true.
    pub(crate) fn both(&self, other: &Self, kind: &Kind) -> Self {
        let unit = kind.unit();
        let axes = self.axes.iter().zip(&other.axes).map(|(a, b)| {
            let contig = a.contig.max(b.contig);
            Axis {
                div: a.start_div(contig, unit).max(b.start_div(contig, unit)),
                contig,
                same: a.same.max(b.same),
            }
        });
        let (mut low, mut high) = (self.low.max(other.low), self.high.min(other.high));
        if low > high {
            (low, high) = (self.low, self.high);
        }
        Self {
            axes: axes.collect(),
            low,
            high,
        }
        .normal(kind)
    }
}
