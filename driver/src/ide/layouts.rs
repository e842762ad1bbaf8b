//! The layouts that a value has: of registers and of shared memory, as the compiler has chosen them, and those that types of
//! `cute` say.

use tilewright_diagnostics::counted;
use tilewright_irs::cute_types::{CopyAtom, CuteType, Kind, MmaAtom, TiledCopy, TiledMma, ViewLayout};
use tilewright_layouts::cute::{
    Composed, CopyEnd, CuteError, Fact, Layout, LayoutOf, MmaMatrix, Nested, Stride, Tiler, TilerOf,
    TypeLayout,
};
use tilewright_layouts::{LinearLayout, bridge};

use super::compiled::Held;

/// A layout of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueLayout {
    /// Which one it is, if the value has several: of a copy the source, of a product the matrix.
    pub role: &'static str,
    /// Its text.
    pub text: String,
    /// The layout.
    pub layout: Placed,
    /// The bits of an element, if the type says them.
    pub bits: Option<u32>,
}

/// A layout that can be drawn, or the reason why it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// From registers or offsets to elements.
    Linear(LinearLayout),
    /// From coordinates to indices.
    Cute(Composed),
    /// From coordinates to coordinates.
    Coordinates(TypeLayout),
    /// It has numbers that only a run knows.
    Open,
    /// Its indices are negative, or coordinates that are not static.
    NoNumbers,
}

/// The layouts of a value; none if it has none.
pub fn layouts(held: &Held) -> Vec<ValueLayout> {
    let linear = |layout: &LinearLayout, bits| ValueLayout {
        role: "",
        text: layout.to_string(),
        layout: Placed::Linear(layout.clone()),
        bits: Some(bits),
    };
    let tile = held
        .tile
        .iter()
        .map(|tile| linear(&tile.layout, tile.element.bits()));
    let shared = held
        .shared
        .iter()
        .map(|shared| linear(&shared.layout, shared.element.bits()));
    let own = held.cute.iter().flat_map(of_type);
    tile.chain(shared).chain(own).collect()
}

/// The layouts that a type of `cute` says.
pub fn of_type(ty: &CuteType) -> Vec<ValueLayout> {
    match ty.kind() {
        Kind::Layout(layout) => vec![plain("", layout)],
        Kind::Composed(layout) => vec![of_view(layout)],
        Kind::View(view) => vec![ValueLayout {
            bits: Some(view.pointer.element_bits()),
            ..of_view(&view.layout)
        }],
        Kind::CoordTensor(tensor) => vec![plain("", &tensor.layout)],
        Kind::DescriptorView(view) => vec![of_view(&view.layout)],
        Kind::TiledCopy(copy) => of_tiled_copy(copy).unwrap_or_default(),
        Kind::TiledMma(mma) => of_tiled_mma(mma).unwrap_or_default(),
        Kind::Copy(atom) => of_copy(atom).unwrap_or_default(),
        Kind::Mma(atom) => of_mma(atom).unwrap_or_default(),
        Kind::IntTuple(_)
        | Kind::Coord(_)
        | Kind::Shape(_)
        | Kind::Stride(_)
        | Kind::Tile(_)
        | Kind::Swizzle(_)
        | Kind::Pointer(_)
        | Kind::CoordIterator(_)
        | Kind::FastDivisor(_)
        | Kind::Sparse(_)
        | Kind::Integer(_)
        | Kind::Descriptor(_)
        | Kind::Opaque(_) => Vec::new(),
    }
}

/// The same type with its open numbers given, in the order of the text.
///
/// # Errors
/// Which number is wrong, or that there are too few or too many.
pub fn with_numbers(ty: &CuteType, numbers: &[i64]) -> Result<CuteType, String> {
    let open = ty.kind().dynamic_leaves();
    if open.len() != numbers.len() {
        let (open, given) = (open.len(), numbers.len());
        return Err(format!(
            "the type leaves {} open, not {given}",
            counted(open, "number")
        ));
    }
    for (at, (fact, &number)) in open.iter().zip(numbers).enumerate() {
        let bits = fact.width().count();
        let fits = bits >= 64 || number >> (bits - 1) == 0 || number >> (bits - 1) == -1;
        if !fits {
            return Err(format!("n{at} has {bits} bits, and {number} has more"));
        }
        if !number.unsigned_abs().is_multiple_of(fact.divisor()) {
            return Err(format!(
                "n{at} is a multiple of {}, and {number} is none",
                fact.divisor()
            ));
        }
    }
    let mut left = numbers.iter();
    let text = CuteType::from(ty.kind().map_leaves(&mut |fact: &Fact| match fact.value() {
        Some(_) => *fact,
        None => left.next().map_or(*fact, |&number| Fact::Static(number)),
    }));
    // The reader refuses extents that are not above 0.
    CuteType::parse(&text.to_string()).map_err(|error| error.message)
}

/// What is known of each open number of a type, with the names that [`named`] gives them.
pub fn open_numbers(ty: &CuteType) -> Vec<String> {
    let open = ty.kind().dynamic_leaves().into_iter().enumerate();
    open.map(|(at, fact)| {
        let divisor = match fact.divisor() {
            0 | 1 => String::new(),
            divisor => format!(", a multiple of {divisor}"),
        };
        format!("n{at}: {} bits{divisor}", fact.width().count())
    })
    .collect()
}

/// A layout's text with names for its open numbers: `(8,?{div=2}):(1,8)` becomes `(8,n0):(1,8)`.
pub fn named(text: &str) -> String {
    let mut parts = text.split('?');
    let mut named = parts.next().unwrap_or_default().to_owned();
    for (at, part) in parts.enumerate() {
        let after = part.strip_prefix('{').and_then(|facts| facts.split_once('}'));
        named += &format!("n{at}{}", after.map_or(part, |(_, after)| after));
    }
    named
}

fn plain(role: &'static str, layout: &TypeLayout) -> ValueLayout {
    let text = layout.to_string();
    let numbers = || text.parse::<Layout>().ok().map(Composed::from);
    let placed = match placed(layout.is_static(), numbers) {
        Placed::NoNumbers if spans_coordinates(layout) => Placed::Coordinates(layout.clone()),
        placed => placed,
    };
    ValueLayout {
        role,
        layout: placed,
        bits: None,
        text,
    }
}

/// Whether some strides are basis vectors.
fn spans_coordinates(layout: &TypeLayout) -> bool {
    let mut modes = layout.tree().leaves();
    modes.any(|mode| !mode.stride.path().is_empty())
}

fn of_view(layout: &ViewLayout) -> ValueLayout {
    match layout {
        ViewLayout::Plain(layout) => plain("", layout),
        ViewLayout::Composed(composed) => {
            let text = composed.to_string();
            // The text of types has another word for a swizzle.
            let numbers = || text.replacen("S<", "Sw<", 1).parse().ok();
            ValueLayout {
                role: "",
                layout: placed(composed.is_static(), numbers),
                bits: None,
                text,
            }
        }
    }
}

fn placed(is_static: bool, numbers: impl FnOnce() -> Option<Composed>) -> Placed {
    match is_static {
        true => numbers().map_or(Placed::NoNumbers, Placed::Cute),
        false => Placed::Open,
    }
}

/// A layout from (thread, value) to the elements of a tile, as one of registers if sizes are powers of two.
fn threads(role: &'static str, layout: &TypeLayout, tile: &[u64]) -> ValueLayout {
    let own = plain(role, layout);
    let tile: Option<Vec<u32>> = tile.iter().map(|&extent| u32::try_from(extent).ok()).collect();
    match (&own.layout, tile) {
        (Placed::Cute(layout), Some(tile)) => match bridge::threads_to_linear(layout, &tile) {
            Ok(linear) => ValueLayout {
                layout: Placed::Linear(linear),
                ..own
            },
            Err(_) => own,
        },
        _ => own,
    }
}

/// The extents of a tile.
fn extents(shape: &Nested<Fact>) -> Option<Vec<u64>> {
    let leaves: Vec<&Fact> = match shape {
        Nested::Leaf(extent) => vec![extent],
        Nested::Tuple(modes) => {
            let modes = modes.iter().map(|mode| match mode {
                Nested::Leaf(extent) => Some(extent),
                Nested::Tuple(_) => None,
            });
            modes.collect::<Option<_>>()?
        }
    };
    let extent = |fact: &Fact| fact.value().and_then(|extent| u64::try_from(extent).ok());
    leaves.into_iter().map(extent).collect()
}

const ENDS: [(CopyEnd, &str); 2] = [(CopyEnd::Source, "source"), (CopyEnd::Destination, "destination")];

/// The layouts of both ends of a copy; one of them if they are equal.
fn both(ends: Vec<ValueLayout>) -> Vec<ValueLayout> {
    match ends.as_slice() {
        [source, destination] if source.text == destination.text => vec![ValueLayout {
            role: "source and destination",
            ..source.clone()
        }],
        _ => ends,
    }
}

fn of_tiled_copy(copy: &TiledCopy) -> Option<Vec<ValueLayout>> {
    let tile = extents(&copy.tiler.sizes().ok()?)?;
    let layouts = copy.layouts::<Fact>().and_then(Result::ok);
    let Some(layouts) = layouts else {
        return Some(vec![threads("", &copy.layout, &tile)]);
    };
    let ends = ENDS.iter().map(|&(end, role)| {
        let layout = layouts.thread_values(end).ok()?;
        Some(threads(role, &layout, &tile))
    });
    ends.collect::<Option<_>>().map(both)
}

fn of_copy(atom: &CopyAtom) -> Option<Vec<ValueLayout>> {
    let atom = atom.layouts()?.ok()?;
    let size = |layout: &TypeLayout| layout.cosize().ok()?.value();
    let ends = ENDS.iter().map(|&(end, role)| {
        let layout = atom.end(end);
        Some(threads(role, layout, &[u64::try_from(size(layout)?).ok()?]))
    });
    ends.collect::<Option<_>>().map(both)
}

const MATRICES: [(MmaMatrix, &str); 3] = [(MmaMatrix::A, "A"), (MmaMatrix::B, "B"), (MmaMatrix::C, "C")];

fn of_mma(atom: &MmaAtom) -> Option<Vec<ValueLayout>> {
    let atom = atom.layouts()?.ok()?;
    let matrices = MATRICES.iter();
    let of = |&(matrix, role): &(MmaMatrix, &'static str)| {
        threads(role, atom.matrix(matrix), &atom.extents(matrix))
    };
    Some(matrices.map(of).collect())
}

fn of_tiled_mma(mma: &TiledMma) -> Option<Vec<ValueLayout>> {
    let product = numbers_of(mma)?.ok()?;
    let tile = product.tile().ok()?;
    let matrices = MATRICES.iter().map(|&(matrix, role)| {
        let layout: TypeLayout = product.thread_values(matrix).ok()?.to_string().parse().ok()?;
        let extents = matrix.modes().map(|mode| tile.get(mode).copied().unwrap_or(1));
        Some(threads(role, &layout, &extents))
    });
    matrices.collect()
}

/// A product with numbers for leaves; `None` if some are open.
fn numbers_of(mma: &TiledMma) -> Option<Result<tilewright_layouts::cute::TiledMma, CuteError>> {
    let atom = mma.atom.layouts()?.ok()?;
    let matrix = |matrix| numbers(atom.matrix(matrix));
    let matrices = [
        matrix(MmaMatrix::A)?,
        matrix(MmaMatrix::B)?,
        matrix(MmaMatrix::C)?,
    ];
    let atom =
        tilewright_layouts::cute::MmaAtom::new(atom.shape(), numbers(atom.threads())?, matrices).ok()?;
    let mut permutation = match &mma.permutation {
        Some(TilerOf::Modes(modes)) => modes.iter().map(tiler).collect::<Option<Vec<_>>>()?,
        Some(TilerOf::All | TilerOf::Layout(_)) | None => Vec::new(),
    };
    permutation.resize(3, Tiler::All);
    let permutation = <[Tiler; 3]>::try_from(permutation).ok()?;
    Some(tilewright_layouts::cute::TiledMma::permuted(
        atom,
        numbers(&mma.layout)?,
        permutation,
    ))
}

fn numbers(layout: &LayoutOf<Fact>) -> Option<Layout> {
    layout.to_string().parse().ok()
}

fn tiler(of: &TilerOf<Fact>) -> Option<Tiler> {
    Some(match of {
        TilerOf::All => Tiler::All,
        TilerOf::Layout(layout) => Tiler::Layout(numbers(layout)?),
        TilerOf::Modes(modes) => Tiler::Modes(modes.iter().map(tiler).collect::<Option<_>>()?),
    })
}
