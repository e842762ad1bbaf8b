//! Numbers in types: a type of `cute` whose dynamic leaves are numbers, and the numbers that a type leaves open.

use std::slice::Iter;

use tilewright_diagnostics::Code;
use tilewright_irs::cute_types::{CoordTensor, CuteType, DescriptorView, Kind, View, ViewLayout};
use tilewright_layouts::cute::{
    Bits, ComposedOf, CoordOf, CuteError, Fact, LastOf, LayoutOf, Leaf, Nested, Scaled, SlotOf, Stride,
    TilerOf, TypeLayout,
};

use super::value::{Field, Integer};
use crate::fault::{Fault, Outcome};

fn refused(error: &CuteError) -> Box<Fault> {
    Fault::new(Code::UndefinedResult, error.to_string())
}

/// The bits of a leaf.
pub(super) fn width(bits: Bits) -> u32 {
    match bits {
        Bits::B8 => 8,
        Bits::B16 => 16,
        Bits::B32 => 32,
        Bits::B64 => 64,
    }
}

/// The field of a leaf with this number.
///
/// # Errors
/// The number is not what the type says of it.
pub(super) fn field_of(fact: Fact, number: i128, ty: &dyn std::fmt::Display) -> Outcome<Option<Field>> {
    let (bits, divisor) = match fact {
        Fact::Static(value) if i128::from(value) == number => return Ok(None),
        Fact::Static(value) => {
            let message = format!("{number} is computed, where the type `{ty}` says {value}");
            return Err(Fault::new(Code::BrokenPromise, message));
        }
        Fact::Dynamic { width: bits, divisor } => (width(bits), divisor),
    };
    let field = Integer::new(bits, number);
    if field.signed() != number {
        let message = format!("{number} does not fit the {bits} bits of `{fact}` in `{ty}`");
        return Err(Fault::new(Code::UndefinedResult, message));
    }
    if number % i128::from(divisor.get()) != 0 {
        let message = format!("{number} is no multiple of {divisor}, as `{fact}` in `{ty}` says");
        return Err(Fault::new(Code::BrokenPromise, message));
    }
    Ok(Some(Field::Integer(field)))
}

/// The dynamic leaves of a type, in the order of the fields of its values.
pub(super) fn open_leaves(ty: &CuteType) -> Vec<Fact> {
    let mut open = Vec::new();
    match ty.kind() {
        Kind::IntTuple(of) | Kind::Shape(of) | Kind::CoordIterator(of) => open.extend(of.leaves().copied()),
        Kind::Coord(of) => open.extend(of.leaves().filter_map(|slot| match slot {
            SlotOf::At(leaf) => Some(*leaf),
            SlotOf::All => None,
        })),
        Kind::Stride(of) => open.extend(of.leaves().map(|stride| *stride.factor())),
        Kind::Tile(of) => of_tiler(of, &mut open),
        Kind::Layout(of) => of_layout(of, &mut open),
        Kind::Composed(of) => of_view(of, &mut open),
        Kind::View(view) => of_view(&view.layout, &mut open),
        Kind::DescriptorView(view) => of_view(&view.layout, &mut open),
        Kind::CoordTensor(tensor) => {
            open.extend(tensor.origin.leaves().copied());
            of_layout(&tensor.layout, &mut open);
        }
        Kind::Integer(integer) => open.push(Fact::dynamic(integer.width, integer.divisor)),
        Kind::Swizzle(_)
        | Kind::Pointer(_)
        | Kind::FastDivisor(_)
        | Kind::Sparse(_)
        | Kind::TiledCopy(_)
        | Kind::TiledMma(_)
        | Kind::Copy(_)
        | Kind::Mma(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => {}
    }
    open.retain(|leaf| !leaf.is_static());
    open
}

fn of_layout(of: &TypeLayout, open: &mut Vec<Fact>) {
    open.extend(of.shape().leaves());
    open.extend(of.stride().leaves().map(|stride| *stride.factor()));
}

fn of_tiler(of: &TilerOf<Fact>, open: &mut Vec<Fact>) {
    match of {
        TilerOf::All => {}
        TilerOf::Layout(layout) => of_layout(layout, open),
        TilerOf::Modes(modes) => modes.iter().for_each(|mode| of_tiler(mode, open)),
    }
}

fn of_view(of: &ViewLayout, open: &mut Vec<Fact>) {
    of_layout(of.layout(), open);
    if let ViewLayout::Composed(composed) = of {
        open.extend(composed.offset().leaves().copied());
        if let LastOf::Layout(last) = composed.last() {
            of_layout(last, open);
        }
    }
}

/// The fields of a value, one after the other.
struct Numbers<'a>(Iter<'a, Field>);

impl Numbers<'_> {
    fn fact(&mut self, fact: Fact) -> Outcome<Fact> {
        match fact {
            Fact::Static(_) => Ok(fact),
            Fact::Dynamic { .. } => {
                let integer = self.0.next().and_then(Field::integer);
                let number = integer.and_then(|integer| i64::try_from(integer.signed()).ok());
                let missing = || Fault::broken("a value with fewer numbers than its type leaves open");
                number.map(Fact::Static).ok_or_else(missing)
            }
        }
    }

    fn tuple(&mut self, of: &Nested<Fact>) -> Outcome<Nested<Fact>> {
        of.try_map(&mut |leaf| self.fact(*leaf))
    }

    fn coord(&mut self, of: &CoordOf<Fact>) -> Outcome<CoordOf<Fact>> {
        of.try_map(&mut |slot| match slot {
            SlotOf::All => Ok(SlotOf::All),
            SlotOf::At(leaf) => self.fact(*leaf).map(SlotOf::At),
        })
    }

    fn stride(&mut self, of: &Nested<Scaled<Fact>>) -> Outcome<Nested<Scaled<Fact>>> {
        of.try_map(&mut |stride| {
            let number = self.fact(*stride.factor())?;
            Ok(stride.map(|_| number))
        })
    }

    fn layout(&mut self, of: &TypeLayout) -> Outcome<TypeLayout> {
        let shape = self.tuple(&of.shape())?;
        let stride = self.stride(&of.stride())?;
        LayoutOf::new(shape, stride).map_err(|error| refused(&error))
    }

    fn tiler(&mut self, of: &TilerOf<Fact>) -> Outcome<TilerOf<Fact>> {
        Ok(match of {
            TilerOf::All => TilerOf::All,
            TilerOf::Layout(layout) => TilerOf::Layout(self.layout(layout)?),
            TilerOf::Modes(modes) => {
                let modes = modes.iter().map(|mode| self.tiler(mode));
                TilerOf::Modes(modes.collect::<Outcome<_>>()?)
            }
        })
    }

    fn view_layout(&mut self, of: &ViewLayout) -> Outcome<ViewLayout> {
        let composed = match of {
            ViewLayout::Plain(layout) => return self.layout(layout).map(ViewLayout::Plain),
            ViewLayout::Composed(composed) => composed,
        };
        let layout = self.layout(composed.layout())?;
        let offset = self.tuple(composed.offset())?;
        let last = match composed.last() {
            LastOf::Swizzle(swizzle) => LastOf::Swizzle(*swizzle),
            LastOf::Layout(last) => LastOf::Layout(self.layout(last)?),
        };
        let composed = ComposedOf::new(last, offset, layout).map_err(|error| refused(&error))?;
        Ok(ViewLayout::Composed(composed))
    }
}

/// The type with the numbers of a value in the places that it leaves open.
///
/// # Errors
/// The numbers make no such type.
pub(super) fn with_numbers(ty: &CuteType, fields: &[Field]) -> Outcome<CuteType> {
    let mut numbers = Numbers(fields.iter());
    Ok(CuteType::from(match ty.kind() {
        Kind::IntTuple(of) => Kind::IntTuple(numbers.tuple(of)?),
        Kind::Coord(of) => Kind::Coord(numbers.coord(of)?),
        Kind::Shape(of) => Kind::Shape(numbers.tuple(of)?),
        Kind::Stride(of) => Kind::Stride(numbers.stride(of)?),
        Kind::Tile(of) => Kind::Tile(numbers.tiler(of)?),
        Kind::Layout(of) => Kind::Layout(numbers.layout(of)?),
        Kind::Composed(of) => Kind::Composed(numbers.view_layout(of)?),
        Kind::CoordIterator(of) => Kind::CoordIterator(numbers.tuple(of)?),
        Kind::CoordTensor(of) => Kind::CoordTensor(CoordTensor {
            origin: numbers.tuple(&of.origin)?,
            layout: numbers.layout(&of.layout)?,
        }),
        Kind::View(of) => {
            // The address comes first.
            numbers.0.next();
            Kind::View(View {
                pointer: of.pointer.clone(),
                layout: numbers.view_layout(&of.layout)?,
            })
        }
        Kind::DescriptorView(of) => {
            numbers.0.next();
            Kind::DescriptorView(DescriptorView {
                descriptor: of.descriptor,
                layout: numbers.view_layout(&of.layout)?,
            })
        }
        Kind::Swizzle(_)
        | Kind::Pointer(_)
        | Kind::FastDivisor(_)
        | Kind::Sparse(_)
        | Kind::TiledCopy(_)
        | Kind::TiledMma(_)
        | Kind::Integer(_)
        | Kind::Copy(_)
        | Kind::Mma(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => return Ok(ty.clone()),
    }))
}

/// What a type leaves open and another one, of numbers, says.
struct Open<'a> {
    ty: &'a CuteType,
    found: &'a CuteType,
    fields: Vec<Field>,
}

impl Open<'_> {
    fn other(&self) -> Box<Fault> {
        let message = format!("the result is `{}`, which is no `{}`", self.found, self.ty);
        Fault::new(Code::UndefinedResult, message)
    }

    fn fact(&mut self, open: Fact, found: Fact) -> Outcome<()> {
        let number = found.value().ok_or_else(|| self.other())?;
        self.fields.extend(field_of(open, i128::from(number), self.ty)?);
        Ok(())
    }

    fn tuple(&mut self, open: &Nested<Fact>, found: &Nested<Fact>) -> Outcome<()> {
        if !open.congruent(found) {
            return Err(self.other());
        }
        let mut pairs = open.leaves().zip(found.leaves());
        pairs.try_for_each(|(open, found)| self.fact(*open, *found))
    }

    fn coord(&mut self, open: &CoordOf<Fact>, found: &CoordOf<Fact>) -> Outcome<()> {
        if !open.congruent(found) {
            return Err(self.other());
        }
        let mut pairs = open.leaves().zip(found.leaves());
        pairs.try_for_each(|pair| match pair {
            (SlotOf::At(open), SlotOf::At(found)) => self.fact(*open, *found),
            (SlotOf::All, SlotOf::All) => Ok(()),
            _ => Err(self.other()),
        })
    }

    fn stride(&mut self, open: &Nested<Scaled<Fact>>, found: &Nested<Scaled<Fact>>) -> Outcome<()> {
        if !open.congruent(found) {
            return Err(self.other());
        }
        let mut pairs = open.leaves().zip(found.leaves());
        pairs.try_for_each(|(open, found)| {
            let is_zero = found.factor().value() == Some(0);
            let same = open.path() == found.path() && open.below() == found.below();
            match same || is_zero {
                true => self.fact(*open.factor(), *found.factor()),
                false => Err(self.other()),
            }
        })
    }

    fn layout(&mut self, open: &TypeLayout, found: &TypeLayout) -> Outcome<()> {
        self.tuple(&open.shape(), &found.shape())?;
        self.stride(&open.stride(), &found.stride())
    }

    fn tiler(&mut self, open: &TilerOf<Fact>, found: &TilerOf<Fact>) -> Outcome<()> {
        match (open, found) {
            (TilerOf::All, TilerOf::All) => Ok(()),
            (TilerOf::Layout(open), TilerOf::Layout(found)) => self.layout(open, found),
            (TilerOf::Modes(open), TilerOf::Modes(found)) if open.len() == found.len() => {
                let mut pairs = open.iter().zip(found);
                pairs.try_for_each(|(open, found)| self.tiler(open, found))
            }
            _ => Err(self.other()),
        }
    }

    fn view_layout(&mut self, open: &ViewLayout, found: &ViewLayout) -> Outcome<()> {
        let (open, found) = match (open, found) {
            (ViewLayout::Plain(open), ViewLayout::Plain(found)) => return self.layout(open, found),
            (ViewLayout::Composed(open), ViewLayout::Composed(found)) => (open, found),
            _ => return Err(self.other()),
        };
        self.layout(open.layout(), found.layout())?;
        self.tuple(open.offset(), found.offset())?;
        match (open.last(), found.last()) {
            (LastOf::Swizzle(open), LastOf::Swizzle(found)) if open == found => Ok(()),
            (LastOf::Layout(open), LastOf::Layout(found)) => self.layout(open, found),
            _ => Err(self.other()),
        }
    }
}

/// The numbers that a type leaves open, as they are in the same type with numbers. An address is none of them.
///
/// # Errors
/// The other type is not the same, or a number is not what the type says of it.
pub(super) fn numbers_of(ty: &CuteType, found: &CuteType) -> Outcome<Vec<Field>> {
    let mut open = Open {
        ty,
        found,
        fields: Vec::new(),
    };
    match (ty.kind(), found.kind()) {
        (Kind::IntTuple(a), Kind::IntTuple(b))
        | (Kind::Shape(a), Kind::Shape(b))
        | (Kind::CoordIterator(a), Kind::CoordIterator(b)) => open.tuple(a, b)?,
        (Kind::Coord(a), Kind::Coord(b)) => open.coord(a, b)?,
        (Kind::Stride(a), Kind::Stride(b)) => open.stride(a, b)?,
        (Kind::Tile(a), Kind::Tile(b)) => open.tiler(a, b)?,
        (Kind::Layout(a), Kind::Layout(b)) => open.layout(a, b)?,
        (Kind::Composed(a), Kind::Composed(b)) => open.view_layout(a, b)?,
        (Kind::CoordTensor(a), Kind::CoordTensor(b)) => {
            open.tuple(&a.origin, &b.origin)?;
            open.layout(&a.layout, &b.layout)?;
        }
        (Kind::View(a), Kind::View(b)) => open.view_layout(&a.layout, &b.layout)?,
        (Kind::DescriptorView(a), Kind::DescriptorView(b)) => open.view_layout(&a.layout, &b.layout)?,
        // Of a pointer, numbers say more of its alignment.
        (Kind::Pointer(_), Kind::Pointer(_)) => {}
        (own, other) if own == other => {}
        _ => return Err(open.other()),
    }
    Ok(open.fields)
}
