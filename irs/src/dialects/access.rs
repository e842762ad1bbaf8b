//! Vector width and axis of memory accesses.

use crate::core::{Arg, Args, Family, Term, TermCodec, TermError};

/// The widest vectors of a memory op: `widest<4, inside = 8, along = 1, order = [1, 0]>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Widest {
    /// How many elements one instruction can move along the axis `along`: a power of two.
    pub vector: u32,
    /// The vector width for a tile whose elements are all in bounds, as those of most tiles are.
    pub inside: u32,
    /// The axis along which elements are contiguous in memory, if there is one that is longer than 1.
    pub along: Option<u8>,
    /// The tile's axes, ordered by how contiguous they are in memory, the most contiguous first.
    pub order: Vec<u32>,
}

impl TermCodec for Widest {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let mut args: Vec<Arg> = vec![Term::int(self.vector).into()];
        if self.inside != self.vector {
            args.push(Arg::named("inside", Term::int(self.inside)));
        }
        args.extend(self.along.map(|axis| Arg::named("along", Term::int(axis))));
        args.push(Arg::named("order", Term::ints(&self.order)));
        Term::call("widest", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("widest", args)) = term.as_call() else {
            return Err(term.wrong("`widest<elements, order = […]>`"));
        };
        let mut args = Args::new(term, args);
        let count = |term: &Term| match term.to_int::<u32>("a number of elements")? {
            n if n.is_power_of_two() && n <= 16 => Ok(n),
            _ => Err(term.wrong("a power of two, at most 16")),
        };
        let vector = count(args.next("a number of elements")?)?;
        let inside = args.named("inside").map(count).transpose()?.unwrap_or(vector);
        let along = args
            .named("along")
            .map(|axis| axis.to_int("an axis"))
            .transpose()?;
        let order_term = args.required("order")?;
        let order: Vec<u32> = order_term.to_ints("axes")?;
        args.finish()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let rank = u32::try_from(order.len()).unwrap_or(u32::MAX);
        if !sorted.into_iter().eq(0..rank) || along.is_some_and(|axis| u32::from(axis) >= rank) {
            return Err(order_term.wrong("each axis once"));
        }
        Ok(Self {
            vector,
            inside,
            along,
            order,
        })
    }
}
