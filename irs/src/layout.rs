//! Layouts as terms: `linear<register = [[1], [2]], lane = [[4]], shape = [8]>` and `cute<"(8,4):(5,1)">`.

use tilewright_layouts::cute::Composed;
use tilewright_layouts::{Dim, LinearLayout, SwizzleMode};

use crate::core::{Arg, Args, Family, Term, TermCodec, TermError, TermKind};

/// The in-dimensions of the layouts of tiles and of buffers, in textual order.
const IN_DIMS: [(&str, Dim); 7] = [
    ("register", Dim::Register),
    ("lane", Dim::Lane),
    ("warp", Dim::Warp),
    ("block", Dim::Block),
    ("offset", Dim::Offset),
    ("tmem_lane", Dim::TmemLane),
    ("tmem_column", Dim::TmemColumn),
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

/// The names of the swizzle modes, in the order of the driver's codes.
const SWIZZLES: [(SwizzleMode, &str); 7] = [
    (SwizzleMode::None, "none"),
    (SwizzleMode::B32, "32B"),
    (SwizzleMode::B64, "64B"),
    (SwizzleMode::B128, "128B"),
    (SwizzleMode::B128Atom32, "128B_atom_32B"),
    (SwizzleMode::B128Atom32Flip8, "128B_atom_32B_flip_8B"),
    (SwizzleMode::B128Atom64, "128B_atom_64B"),
];

/// A quoted name: `"128B"`.
impl TermCodec for SwizzleMode {
    const FAMILY: Family = Family::Layout;
    fn write(&self) -> Term {
        let word = SWIZZLES.iter().find(|(mode, _)| mode == self);
        TermKind::Str(word.map_or("none", |(_, word)| word).to_owned()).into()
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let text = String::read(term)?;
        let mode = SWIZZLES.iter().find(|(_, word)| *word == text);
        let words = SWIZZLES.map(|(_, word)| format!("\"{word}\""));
        mode.map(|(mode, _)| *mode)
            .ok_or_else(|| term.wrong(format!("one of {}", words.join(", "))))
    }
}

/// CuTe's own notation, quoted: `cute<"Sw<3,4,3> o 0 o (8,128):(128,1)">`.
impl TermCodec for Composed {
    fn write(&self) -> Term {
        Term::call("cute", vec![Term::from(TermKind::Str(self.to_string())).into()])
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("cute", [arg])) = term.as_call() else {
            return Err(term.wrong("`cute<\"…\">`"));
        };
        let TermKind::Str(text) = &arg.value.kind else {
            return Err(arg.value.wrong("a quoted CuTe layout"));
        };
        text.parse()
            .map_err(|error| arg.value.wrong(format!("a CuTe layout ({error})")))
    }
}

crate::attribute_field!(SwizzleMode);
