//! Printing of tuples, layouts, coordinates and tilers.

use std::fmt;
use std::num::NonZeroU64;

use super::coord::{Coord, Slot};
use super::expr::{Atom, Expr};
use super::int::{Dynamic, Int};
use super::layout::{Layout, Mode};
use super::symbol::{Name, Symbol, Width};
use super::tiler::Tiler;
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

    fn layout(&mut self, f: &mut fmt::Formatter<'_>, layout: &Layout) -> fmt::Result {
        self.tuple(f, layout.tree(), &mut |leaves, f, mode: &Mode| {
            leaves.int(f, &mode.shape)
        })?;
        f.write_str(":")?;
        self.tuple(f, layout.tree(), &mut |leaves, f, mode: &Mode| {
            leaves.int(f, &mode.stride)
        })
    }

    fn tiler(&mut self, f: &mut fmt::Formatter<'_>, tiler: &Tiler) -> fmt::Result {
        match tiler {
            Tiler::All => f.write_str("_"),
            Tiler::Layout(layout) => self.layout(f, layout),
            Tiler::Modes(modes) => {
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
        Leaves { next: 0 }.tuple(f, self, &mut |leaves, f, slot: &Slot| match slot {
            Slot::All => f.write_str("_"),
            Slot::At(int) => leaves.int(f, int),
        })
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
