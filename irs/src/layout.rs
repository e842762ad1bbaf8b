//! Layouts as terms: `linear<register = [[1], [2]], lane = [[4]], shape = [8]>`.

use tilewright_layouts::{Dim, LinearLayout};

use crate::core::{Arg, Args, Term, TermCodec, TermError};

/// The in-dimensions of a tile's layout, in textual order.
const IN_DIMS: [(&str, Dim); 4] = [
    ("register", Dim::Register),
    ("lane", Dim::Lane),
    ("warp", Dim::Warp),
    ("block", Dim::Block),
];

impl TermCodec for LinearLayout {
    fn write(&self) -> Term {
        let mut args = Vec::new();
        for (name, dim) in IN_DIMS {
            if self.in_bits(dim) > 0 {
                let bases = self.bases(dim).map(|basis| Term::ints(&basis));
                args.push(Arg::named(name, Term::list(bases)));
            }
        }
        args.push(Arg::named("shape", Term::ints(&self.shape())));
        Term::call("linear", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("linear", args)) = term.as_call() else {
            return Err(term.wrong("`linear<…>`"));
        };
        let mut args = Args::new(term, args);
        let mut ins = Vec::new();
        for (name, dim) in IN_DIMS {
            if let Some(list) = args.named(name) {
                let bases = list.items("a list of bases")?;
                let bases: Result<Vec<Vec<u64>>, _> = bases
                    .iter()
                    .map(|basis| basis.to_ints("a basis: one number an axis"))
                    .collect();
                ins.push((dim, bases?));
            }
        }
        let shape: Vec<u64> = args.required("shape")?.to_ints("the tile's extents")?;
        args.finish()?;
        Self::from_parts(&ins, &shape).map_err(|error| term.wrong(format!("a layout ({error})")))
    }
}
