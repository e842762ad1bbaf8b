//! Printing of tuples, layouts, coordinates and tilers.

use std::fmt;
use std::num::NonZeroU64;

use super::basis::Scaled;
use super::coord::{Coord, CoordOf, SlotOf};
use super::expr::{Atom, Expr};
use super::fact::{Bits, Fact};
use super::int::{Dynamic, Int};
use super::layout::{Layout, LayoutOf, ModeOf};
use super::leaf::Leaf;
use super::symbol::{Name, Symbol, Width};
use super::tiler::{Tiler, TilerOf};
use super::tuple::{IntTuple, Nested};

/// Writes leaves and numbers the dynamic integers without a name.
struct Leaves {
    next: u32,
}

impl Leaves {
    fn int(&mut self, f: &mut fmt::Formatter<'_>, int: &Int) -> fmt::Result {
        match int {
            Int::Static(value) => write!(f, "{value}"),
            Int::Dynamic(dynamic) => match dynamic.as_symbol() {
                Some(symbol) => self.symbol(f, symbol),
                None => {
                    f.write_str("?{")?;
                    write_expr(f, &dynamic.0)?;
                    f.write_str("}")
                }
            },
        }
    }

    fn symbol(&mut self, f: &mut fmt::Formatter<'_>, symbol: &Symbol) -> fmt::Result {
        let bare = *symbol.name() == Name::Number(self.next);
        let attributes = symbol.has_attributes();
        if bare {
            self.next = self.next.saturating_add(1);
        }
        f.write_str("?")?;
        if bare && !attributes {
            return Ok(());
        }
        f.write_str("{")?;
        if !bare {
            write_name(f, symbol.name())?;
        }
        if !bare && attributes {
            f.write_str(" ")?;
        }
        write_attributes(f, symbol)?;
        f.write_str("}")
    }

    fn tuple<T>(
        &mut self,
        f: &mut fmt::Formatter<'_>,
        tuple: &Nested<T>,
        leaf: &mut impl FnMut(&mut Self, &mut fmt::Formatter<'_>, &T) -> fmt::Result,
    ) -> fmt::Result {
        match tuple {
            Nested::Leaf(value) => leaf(self, f, value),
            Nested::Tuple(modes) => {
                f.write_str("(")?;
                for (index, mode) in modes.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    self.tuple(f, mode, leaf)?;
                }
                f.write_str(")")
            }
        }
    }

    fn coord<L: Printed>(&mut self, f: &mut fmt::Formatter<'_>, coord: &CoordOf<L>) -> fmt::Result {
        self.tuple(f, coord, &mut |leaves, f, slot: &SlotOf<L>| match slot {
            SlotOf::All => f.write_str("_"),
            SlotOf::At(leaf) => L::leaf(leaves, f, leaf),
        })
    }

    fn layout<L: Printed>(&mut self, f: &mut fmt::Formatter<'_>, layout: &LayoutOf<L>) -> fmt::Result {
        self.tuple(f, layout.tree(), &mut |leaves, f, mode: &ModeOf<L>| {
            L::leaf(leaves, f, &mode.shape)
        })?;
        f.write_str(":")?;
        self.tuple(f, layout.tree(), &mut |leaves, f, mode: &ModeOf<L>| {
            L::stride(leaves, f, &mode.stride)
        })
    }

    fn tiler<L: Printed>(&mut self, f: &mut fmt::Formatter<'_>, tiler: &TilerOf<L>) -> fmt::Result {
        match tiler {
            TilerOf::All => f.write_str("_"),
            TilerOf::Layout(layout) => self.layout(f, layout),
            TilerOf::Modes(modes) => {
                f.write_str("[")?;
                for (index, mode) in modes.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ";" })?;
                    self.tiler(f, mode)?;
                }
                f.write_str("]")
            }
        }
    }
}

/// A leaf that is printed within its tuple.
trait Printed: Leaf {
    fn leaf(leaves: &mut Leaves, f: &mut fmt::Formatter<'_>, leaf: &Self) -> fmt::Result;
    fn stride(leaves: &mut Leaves, f: &mut fmt::Formatter<'_>, stride: &Self::Stride) -> fmt::Result;
}

impl Printed for Int {
    fn leaf(leaves: &mut Leaves, f: &mut fmt::Formatter<'_>, leaf: &Self) -> fmt::Result {
        leaves.int(f, leaf)
    }
    fn stride(leaves: &mut Leaves, f: &mut fmt::Formatter<'_>, stride: &Self) -> fmt::Result {
        leaves.int(f, stride)
    }
}

impl Printed for Fact {
    fn leaf(_: &mut Leaves, f: &mut fmt::Formatter<'_>, leaf: &Self) -> fmt::Result {
        write!(f, "{leaf}")
    }
    fn stride(_: &mut Leaves, f: &mut fmt::Formatter<'_>, stride: &Scaled<Fact>) -> fmt::Result {
        write!(f, "{stride}")
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &Name) -> fmt::Result {
    match name {
        Name::Number(number) => write!(f, "%{number}"),
        Name::Named(name) => f.write_str(name),
    }
}

fn write_attributes(f: &mut fmt::Formatter<'_>, symbol: &Symbol) -> fmt::Result {
    let wide = match symbol.width() {
        Width::I32 => "",
        Width::I64 => "i64",
    };
    f.write_str(wide)?;
    if symbol.divisor() != NonZeroU64::MIN {
        let space = if wide.is_empty() { "" } else { " " };
        write!(f, "{space}div={}", symbol.divisor())?;
    }
    Ok(())
}

fn write_expr(f: &mut fmt::Formatter<'_>, expr: &Expr) -> fmt::Result {
    // The constant sorts first and is written last.
    let constant = expr.terms.iter().filter(|(atoms, _)| atoms.is_empty());
    let terms = expr.terms.iter().filter(|(atoms, _)| !atoms.is_empty());
    for (index, (atoms, ratio)) in terms.chain(constant).enumerate() {
        match (ratio.numerator < 0, index) {
            (true, _) => f.write_str("-")?,
            (false, 0) => (),
            (false, _) => f.write_str("+")?,
        }
        let coefficient = ratio.numerator.unsigned_abs();
        let mut star = "";
        if coefficient != 1 || atoms.is_empty() {
            write!(f, "{coefficient}")?;
            star = "*";
        }
        for atom in atoms {
            f.write_str(star)?;
            star = "*";
            match atom {
                Atom::Symbol(symbol) => {
                    write_name(f, symbol.name())?;
                    if symbol.has_attributes() {
                        f.write_str("{")?;
                        write_attributes(f, symbol)?;
                        f.write_str("}")?;
                    }
                }
                Atom::CeilDiv(above, below) => {
                    f.write_str("ceil_div(")?;
                    write_expr(f, above)?;
                    f.write_str(",")?;
                    write_expr(f, below)?;
                    f.write_str(")")?;
                }
            }
        }
        if ratio.denominator != 1 {
            write!(f, "/{}", ratio.denominator)?;
        }
    }
    Ok(())
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.int(f, self)
    }
}

impl fmt::Display for Dynamic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.int(f, &Int::Dynamic(self.clone()))
    }
}

impl fmt::Display for IntTuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.tuple(f, self, &mut |leaves, f, int: &Int| leaves.int(f, int))
    }
}

impl fmt::Display for Coord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.coord(f, self)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.layout(f, self)
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.tiler(f, self)
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, divisor) = match self {
            Self::Static(value) => return write!(f, "{value}"),
            Self::Dynamic { width, divisor } => (width, divisor),
        };
        let width = match width {
            Bits::B8 => "i8",
            Bits::B16 => "i16",
            Bits::B32 => "",
            Bits::B64 => "i64",
        };
        match (width, divisor.get()) {
            ("", 1) => f.write_str("?"),
            ("", divisor) => write!(f, "?{{div={divisor}}}"),
            (width, 1) => write!(f, "?{{{width}}}"),
            (width, divisor) => write!(f, "?{{{width} div={divisor}}}"),
        }
    }
}

impl fmt::Display for Nested<Fact> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.tuple(f, self, &mut |_, f, leaf: &Fact| write!(f, "{leaf}"))
    }
}

impl fmt::Display for Nested<Scaled<Fact>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.tuple(f, self, &mut |_, f, stride: &Scaled<Fact>| write!(f, "{stride}"))
    }
}

impl fmt::Display for CoordOf<Fact> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.coord(f, self)
    }
}

impl fmt::Display for LayoutOf<Fact> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.layout(f, self)
    }
}

impl fmt::Display for TilerOf<Fact> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Leaves { next: 0 }.tiler(f, self)
    }
}
