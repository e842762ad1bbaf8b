//! `ldmatrix` and `stmatrix`: warp-wide moves of matrices of 8 rows of 16 bytes between shared memory and registers.

use tilewright_diagnostics::counted;
use tilewright_layouts::bank::BankCost;
use tilewright_layouts::distributed::{MatrixCount, MatrixMove, MatrixPlan};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use super::{Allowed, CopyUse, Copying, Place, Refusal, needs};
use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::isa::rules::forms;
use crate::isa::{MatrixCount as IsaCount, Need, Trans};
use crate::machine::{Cost, Cycles, Machine};
use crate::tileas::buffer::{Buffer, Space};

/// Bits of a row of a matrix.
const ROW_BITS: u32 = 128;

macro_rules! matrix_atom {
    ($(#[$doc:meta])* $name:ident, $word:literal, $plain:ident, $trans:ident, $word_of:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            /// The number of matrices per instruction.
            pub count: MatrixCount,
            /// Whether each matrix is transposed.
            pub trans: bool,
        }

        impl $name {
            /// The instruction's form.
            pub const fn form(self) -> MatrixMove {
                match self.trans {
                    false => MatrixMove::$plain(self.count),
                    true => MatrixMove::$trans(self.count),
                }
            }

            /// The atom of a form of the instruction, if that is one of its forms.
            pub const fn of(form: MatrixMove) -> Option<Self> {
                match form {
                    MatrixMove::$plain(count) => Some(Self { count, trans: false }),
                    MatrixMove::$trans(count) => Some(Self { count, trans: true }),
                    _ => None,
                }
            }

            /// The instructions that move a tile with this layout from or to a buffer.
            ///
            /// # Errors
            /// The layout or the buffer is not one that the instruction moves (E0408), with the reason.
            pub fn plan(self, layout: &LinearLayout, buffer: &Buffer) -> Result<MatrixPlan, Refusal> {
                plan($word, self.form(), layout, buffer)
            }

            /// The requirements of the instruction.
            fn need(self) -> Option<Need> {
                forms::$word_of(IsaCount::of(self.count.get())?, Trans(self.trans))
            }

            fn cost_of(self, registers: Place<'_>, memory: Place<'_>, latency: Cycles) -> Cost {
                let layout = registers.registers().and_then(|(_, layout)| layout);
                let (Some(layout), Some(buffer)) = (layout, memory.buffer_in(Space::Shared)) else {
                    return Cost::NEVER;
                };
                self.plan(layout, buffer)
                    .map_or(Cost::NEVER, |plan| cost(&plan, self.conflicts(&plan, buffer), latency))
            }

            /// The bank conflicts of the plan's instructions, for one warp; `None` if the buffer's rows are not those
            /// of matrices.
            pub fn conflicts(self, plan: &MatrixPlan, buffer: &Buffer) -> Option<BankCost> {
                plan.bank_cost(buffer.element_bits() / 8).ok()
            }
        }

        impl TermCodec for $name {
            fn write(&self) -> Term {
                let mut args: Vec<Arg> = vec![Term::word(&format!("x{}", self.count.get())).into()];
                args.extend(self.trans.then(|| Arg::from(Term::word("trans"))));
                Term::call($word, args)
            }
            fn read(term: &Term) -> Result<Self, TermError> {
                let Some(($word, args)) = term.as_call() else {
                    return Err(term.wrong(concat!("`", $word, "<x4>`")));
                };
                let (count, trans) = read_form(term, args)?;
                Ok(Self { count, trans })
            }
        }
    };
}

matrix_atom! {
    /// Loads matrices: `ldmatrix<x4>`, `ldmatrix<x2, trans>`. (PTX ISA, `ldmatrix`.)
    LdMatrix, "ldmatrix", LoadM8N8, LoadM8N8Trans, ldmatrix
}
matrix_atom! {
    /// Stores matrices: `stmatrix<x4>`. (PTX ISA, `stmatrix`; sm_90 and later.)
    StMatrix, "stmatrix", StoreM8N8, StoreM8N8Trans, stmatrix
}

fn read_form(term: &Term, args: &[Arg]) -> Result<(MatrixCount, bool), TermError> {
    let mut args = Args::new(term, args);
    let count = args.next("`x1`, `x2` or `x4`")?;
    let count = match &count.kind {
        TermKind::Word(word) => MatrixCount::ALL
            .into_iter()
            .find(|count| *word == format!("x{}", count.get())),
        _ => None,
    }
    .ok_or_else(|| count.wrong("`x1`, `x2` or `x4`"))?;
    let trans = args.has("trans")?;
    args.finish()?;
    Ok((count, trans))
}

/// The plan of the instructions that move a tile from or to a buffer.
fn plan(atom: &str, form: MatrixMove, layout: &LinearLayout, buffer: &Buffer) -> Result<MatrixPlan, Refusal> {
    let refuse = |reason: String| Refusal::layout(format!("`{atom}` does not move this tile: {reason}"));
    let (offsets, begin) = buffer
        .offsets_of(layout)
        .map_err(|error| refuse(error.to_string()))?
        .ok_or_else(|| refuse("the buffer's layout is not linear".to_owned()))?;
    let row = ROW_BITS / buffer.element_bits().max(1);
    if !begin.is_multiple_of(row.max(1)) {
        return Err(refuse(format!(
            "the slice begins at element {begin} of the buffer, inside a row of {row}"
        )));
    }
    let width = ElementWidth::of_bits(buffer.element_bits())
        .ok_or_else(|| refuse(format!("elements of {}", counted(buffer.element_bits(), "bit"))))?;
    let stores = matches!(form, MatrixMove::StoreM8N8(_) | MatrixMove::StoreM8N8Trans(_));
    if stores && buffer.element_bits() > 16 {
        return Err(refuse(format!(
            "stored elements have at most 16 bits, not {}",
            buffer.element_bits()
        )));
    }
    // All lanes execute the instruction, so that none of them can leave a copy out. (PTX ISA, `stmatrix`: `.aligned`.)
    if stores
        && layout
            .bases(Dim::Lane)
            .any(|basis| basis.iter().all(|&step| step == 0))
    {
        return Err(refuse("several lanes hold the same elements".to_owned()));
    }
    MatrixPlan::new(form, &offsets, width).map_err(|reason| refuse(reason.to_string()))
}

fn check(atom: &str, form: MatrixMove, registers: Place<'_>, memory: Place<'_>) -> Option<Allowed> {
    let (_, layout) = registers.registers()?;
    let buffer = memory.buffer_in(Space::Shared)?;
    Some(match layout {
        Some(layout) => plan(atom, form, layout, buffer).map(|_| ()),
        None => Err(Refusal::layout(format!(
            "`{atom}` moves tiles, not single elements"
        ))),
    })
}

/// The cost of the instructions of a plan for one warp.
fn cost(plan: &MatrixPlan, banks: Option<BankCost>, latency: Cycles) -> Cost {
    Cost {
        busy: banks.map_or(Cycles::NEVER, |banks| Cycles(banks.cycles)),
        instructions: u64::from(plan.instructions()),
        latency,
    }
}

impl Copying for LdMatrix {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        needs("ldmatrix", copy.target, self.need())?;
        check("ldmatrix", self.form(), copy.to, copy.from)
            .unwrap_or_else(|| Err(copy.wrong_way("ldmatrix", "from shared memory to registers")))
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let latency = Machine::of(copy.target).costs.load_matrices.latency;
        self.cost_of(copy.to, copy.from, latency)
    }

    fn bank_cost(&self, registers: Option<&LinearLayout>, buffer: &Buffer) -> Option<BankCost> {
        self.conflicts(&self.plan(registers?, buffer).ok()?, buffer)
    }
}

impl Copying for StMatrix {
    fn check(&self, copy: &CopyUse<'_>) -> Allowed {
        needs("stmatrix", copy.target, self.need())?;
        check("stmatrix", self.form(), copy.from, copy.to)
            .unwrap_or_else(|| Err(copy.wrong_way("stmatrix", "from registers to shared memory")))
    }

    fn cost(&self, copy: &CopyUse<'_>) -> Cost {
        let latency = Cycles(0);
        self.cost_of(copy.from, copy.to, latency)
    }

    fn bank_cost(&self, registers: Option<&LinearLayout>, buffer: &Buffer) -> Option<BankCost> {
        self.conflicts(&self.plan(registers?, buffer).ok()?, buffer)
    }
}
