//! Reads the functions of a file: their entries in order, then their bodies, in parallel if there are many.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::core::{Flag, Func, in_pieces};
use tilewright_irs::cuda_tile::{
    AnyType, Attr, CudaTile, DebugId, EntryAttrs, External, FuncLocations, PartialFunc, Signature, TileType,
    Unknown, Version,
};

use super::FuncOffsets;
use super::attrs::{OtherConstants, Tables};
use super::body::{BYTES_PER_OP, BodyReader, ReadBody};
use super::cursor::{Cursor, Fault, Read, fault};
use super::debug::{Debug, Row};

/// The functions that could be read, and the errors of the others.
#[derive(Default)]
pub(super) struct Functions {
    pub(super) funcs: Vec<Func<CudaTile>>,
    pub(super) offsets: Vec<FuncOffsets>,
    pub(super) locations: Vec<FuncLocations>,
    /// The external functions, their locations, and their offsets in the file.
    pub(super) externals: Vec<External>,
    pub(super) places: Vec<Option<DebugId>>,
    pub(super) external_offsets: Vec<u32>,
    /// Whether there may be more functions than were found.
    pub(super) cut: bool,
    pub(super) problems: Vec<Problem>,
    /// The readable parts of functions with errors.
    pub(super) partial: Vec<Partial>,
    /// The bytes after the last function.
    pub(super) after: Vec<u8>,
}

/// The readable part of a function.
pub(super) struct Partial {
    pub(super) func: PartialFunc,
    pub(super) offsets: FuncOffsets,
    /// The locations of its ops; empty if those could not be read.
    pub(super) locations: FuncLocations,
}

/// A body that could not be read, or whose locations could not: the error, and the readable part.
struct Broken {
    problem: Problem,
    read: ReadBody,
    unknown: Unknown,
    locations: FuncLocations,
}

/// An error in a function.
pub(super) struct Problem {
    pub(super) fault: Box<Fault>,
    /// The location of the op.
    pub(super) place: Option<DebugId>,
}

impl From<Box<Fault>> for Problem {
    fn from(fault: Box<Fault>) -> Self {
        Self { fault, place: None }
    }
}

/// A body, and the locations of its ops.
type Found = (ReadBody, FuncLocations);

impl Functions {
    /// Reads the function section. Without debug information, there are no locations.
    pub(super) fn read<'a>(
        mut cursor: Cursor<'a>,
        tables: &mut Tables<'a>,
        debug: Option<&Debug<'a>>,
    ) -> Self {
        let (mut entries, mut externals) = (Vec::new(), Vec::new());
        let mut faults = Vec::new();
        let cut = entries_of(&mut cursor, tables, &mut entries, &mut externals).err();
        let is_cut = cut.is_some();
        faults.extend(cut.map(|fault| *fault));
        for entry in &mut entries {
            faults.append(&mut entry.faults);
        }
        let mut functions = Self {
            after: cursor.rest().to_vec(),
            cut: is_cut,
            ..Self::default()
        };
        for outside in externals {
            functions.add_external(outside, debug);
        }
        let found = if faults.is_empty() {
            side_by_side(&entries, tables, debug)
        } else {
            None
        };
        match found {
            Some(found) => {
                let (bodies, others): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                tables.other_constants.extend(others.into_iter().flatten());
                for (entry, found) in entries.into_iter().zip(bodies.into_iter().flatten()) {
                    functions.add(entry, found);
                }
            }
            // Sequentially, so that diagnostics do not depend on the machine.
            None => {
                for entry in entries {
                    if entry.params.is_none() {
                        continue;
                    }
                    match body(&entry, tables, debug) {
                        Ok(found) => functions.add(entry, found),
                        Err(broken) => functions.add_broken(entry, *broken),
                    }
                }
            }
        }
        let faults = faults.into_iter().map(|fault| Problem::from(Box::new(fault)));
        functions.problems.extend(faults);
        functions
    }

    fn add_external(&mut self, outside: Outside, debug: Option<&Debug<'_>>) {
        let Outside {
            external,
            location,
            at,
        } = outside;
        match place(debug, location, at) {
            Ok(place) => self.places.push(place),
            Err(fault) => self.problems.push(fault.into()),
        }
        self.external_offsets.push(u32::try_from(at).unwrap_or(u32::MAX));
        self.externals.push(external);
    }

    fn add_broken(&mut self, entry: Entry<'_>, broken: Broken) {
        self.problems.push(broken.problem);
        self.partial.push(Partial {
            func: PartialFunc {
                func: Func {
                    name: entry.name,
                    attrs: entry.attrs,
                    body: broken.read.body,
                },
                unknown: broken.unknown,
            },
            offsets: FuncOffsets {
                func: u32::try_from(entry.at).unwrap_or(u32::MAX),
                ops: broken.read.offsets,
            },
            locations: broken.locations,
        });
    }

    fn add(&mut self, entry: Entry<'_>, (read, locations): Found) {
        self.offsets.push(FuncOffsets {
            func: u32::try_from(entry.at).unwrap_or(u32::MAX),
            ops: read.offsets,
        });
        self.locations.push(locations);
        self.funcs.push(Func {
            name: entry.name,
            attrs: entry.attrs,
            body: read.body,
        });
    }
}

fn entries_of<'a>(
    cursor: &mut Cursor<'a>,
    tables: &mut Tables<'a>,
    entries: &mut Vec<Entry<'a>>,
    externals: &mut Vec<Outside>,
) -> Read<()> {
    // An entry takes at least four bytes: name, signature, flags, location.
    for _ in 0..cursor.count(4, "the number of functions")? {
        let head = Head::read(cursor, tables)?;
        if head.flags & KERNEL == 0 {
            externals.push(head.outside(entries.len(), cursor, tables)?);
        } else {
            entries.push(head.kernel(cursor, tables)?);
        }
    }
    Ok(())
}

/// The location of an external function.
fn place(debug: Option<&Debug<'_>>, location: u64, at: usize) -> Read<Option<DebugId>> {
    let Some(debug) = debug else { return Ok(None) };
    match debug.row(location, at)? {
        Some(row) => row.get(0),
        None => Ok(None),
    }
}

/// The bodies of a piece of the functions, and their constants in a non-canonical encoding.
type Piece = (Vec<Found>, OtherConstants);

/// Reads all bodies in parallel; `None` if one of them has an error, or if a piece exceeds its share of the memory
/// budget.
fn side_by_side<'a>(
    entries: &[Entry<'a>],
    tables: &Tables<'a>,
    debug: Option<&Debug<'a>>,
) -> Option<Vec<Piece>> {
    let bytes = |entries: &[Entry<'_>]| entries.iter().map(|entry| entry.body.remaining()).sum();
    let all: usize = bytes(entries);
    let pieces = in_pieces(entries, all / BYTES_PER_OP, |_, piece| {
        let mut tables = tables.for_piece(bytes(piece), all);
        let found = piece.iter().map(|entry| body(entry, &mut tables, debug).ok());
        let found = found.collect::<Option<Vec<_>>>()?;
        Some((found, tables.other_constants))
    });
    pieces.into_iter().collect()
}

/// A body with its locations. An error in it is reported at its op's location.
fn body<'a>(
    entry: &Entry<'a>,
    tables: &mut Tables<'a>,
    debug: Option<&Debug<'a>>,
) -> Result<Found, Box<Broken>> {
    let row = debug.map_or(Ok(None), |debug| debug.row(entry.location, entry.at));
    let place = |n: usize| {
        let row: Option<Row<'_>> = row.as_ref().ok().copied().flatten();
        row.and_then(|row| row.get(n).ok().flatten())
    };
    let params = entry.params.as_deref().unwrap_or_default();
    let read = BodyReader::new(tables, entry.body).read(params).map_err(|cut| {
        let problem = Problem {
            fault: cut.fault,
            place: place(cut.ops).or_else(|| place(0)),
        };
        let locations = FuncLocations {
            func: place(0),
            ops: (1..=cut.read.offsets.len()).map(place).collect(),
        };
        Box::new(Broken {
            problem,
            read: cut.read,
            unknown: cut.unknown,
            locations,
        })
    })?;
    let row = match row {
        Ok(row) => row,
        Err(fault) => return Err(Box::new(Broken::without_places(fault, read))),
    };
    let locations = match debug.map(|debug| debug.locations(row, &entry.name, read.offsets.len())) {
        Some(Ok(locations)) => locations,
        Some(Err(fault)) => return Err(Box::new(Broken::without_places(fault, read))),
        None => FuncLocations::default(),
    };
    Ok((read, locations))
}

impl Broken {
    /// A body whose locations could not be read.
    fn without_places(fault: Box<Fault>, read: ReadBody) -> Self {
        Self {
            problem: fault.into(),
            read,
            unknown: Unknown::default(),
            locations: FuncLocations::default(),
        }
    }
}

/// The entry of a function.
struct Entry<'a> {
    at: usize,
    name: String,
    attrs: EntryAttrs,
    /// The types of the parameters, if known.
    params: Option<Vec<TileType>>,
    location: u64,
    body: Cursor<'a>,
    /// Errors that do not prevent reading the rest.
    faults: Vec<Fault>,
}

/// An external function, with the number of its debug row.
struct Outside {
    external: External,
    location: u64,
    at: usize,
}

/// The flag of a kernel.
const KERNEL: u8 = 0b10;

/// The common head of all functions' entries.
struct Head {
    at: usize,
    name: String,
    /// The signature, if it is one.
    signature: Option<Signature>,
    signature_at: usize,
    flags: u8,
    location: u64,
    /// Errors that do not prevent reading the rest.
    faults: Vec<Fault>,
}

impl Head {
    fn read<'a>(cursor: &mut Cursor<'a>, tables: &mut Tables<'a>) -> Read<Self> {
        let at = cursor.at();
        let name = tables.string(cursor)?;
        let mut faults: Vec<Fault> = Vec::new();
        let mut note = |fault: Read<()>| faults.extend(fault.err().map(|fault| *fault));
        if name.is_empty() {
            note(fault(at, Code::AttributeValue, "a function has no name"));
        }
        let signature_at = cursor.at();
        let mut signature = None;
        if let AnyType::Func(found) = tables.any_type(cursor)? {
            signature = Some(found);
        } else {
            let message = format!("the signature of `@{name}` is no function type");
            note(fault(signature_at, Code::MalformedType, message));
        }
        let flags_at = cursor.at();
        let flags = cursor.u8("a function's flags")?;
        check_flags(flags, flags_at, &name, tables)?;
        Ok(Self {
            at,
            name,
            signature,
            signature_at,
            flags,
            location: cursor.varint("a function's location")?,
            faults,
        })
    }

    /// An external function; `before` kernels precede it.
    fn outside<'a>(
        mut self,
        before: usize,
        cursor: &mut Cursor<'a>,
        tables: &mut Tables<'a>,
    ) -> Read<Outside> {
        if let Some(first) = self.faults.drain(..).next() {
            return Err(Box::new(first));
        }
        let signature = self.signature.unwrap_or_default();
        let kind = if self.flags & 0b100 == 0 {
            tables.extern_func(self.name, signature, cursor)?
        } else {
            tables.extern_impl(&self.name, &signature, cursor)?
        };
        Ok(Outside {
            external: External { before, kind },
            location: self.location,
            at: self.at,
        })
    }

    fn kernel<'a>(self, cursor: &mut Cursor<'a>, tables: &mut Tables<'a>) -> Read<Entry<'a>> {
        let Self {
            at,
            name,
            signature,
            signature_at,
            flags,
            location,
            mut faults,
        } = self;
        let mut note = |fault: Read<()>| faults.extend(fault.err().map(|fault| *fault));
        let mut params = None;
        if let Some(signature) = signature {
            if !signature.results.is_empty() {
                let message = format!(
                    "the kernel `@{name}` has {}, expected none",
                    counted(signature.results.len(), "result")
                );
                note(fault(signature_at, Code::OperandType, message));
            }
            match values(signature.inputs) {
                Ok(types) => params = Some(types),
                Err(other) => {
                    let message = format!("a parameter of `@{name}` is `{other}`, which no value has");
                    note(fault(signature_at, Code::MalformedType, message));
                }
            }
        }
        let newest = tables.version >= Version::V13_5;
        let mut attrs = EntryAttrs {
            private: Flag(flags & 1 != 0),
            ..EntryAttrs::default()
        };
        if newest || flags & 0b100 != 0 {
            let at = cursor.at();
            match tables.attr(cursor)? {
                // From 13.5 on hints are always present, and may be empty.
                Attr::Hints(hints) if newest && hints.0.is_empty() => {}
                Attr::Hints(hints) => attrs.optimization_hints = Some(hints),
                _ => note(fault(
                    at,
                    Code::AttributeKind,
                    format!("the hints of `@{name}` are of another kind"),
                )),
            }
        }
        if newest {
            let at = cursor.at();
            match tables.attr(cursor)? {
                Attr::Array(list) if list.is_empty() => {}
                Attr::Array(list) => attrs.arg_attrs = Some(list),
                _ => {
                    let message = format!("the argument attributes of `@{name}` are of another kind");
                    note(fault(at, Code::AttributeKind, message));
                }
            }
        }
        let length = cursor.count(1, "the length of a function's body")?;
        let from = cursor.at();
        let body = Cursor::new(cursor.bytes(length, "a function's body")?, from);
        Ok(Entry {
            at,
            name,
            attrs,
            params,
            location,
            body,
            faults,
        })
    }
}

/// The types of values; or the first one that is not a type of values.
fn values(types: Vec<AnyType>) -> Result<Vec<TileType>, AnyType> {
    let value = |ty| match ty {
        AnyType::Value(ty) => Ok(ty),
        other @ (AnyType::Scalar(_) | AnyType::Ptr(_) | AnyType::Func(_) | AnyType::Preview(_)) => Err(other),
    };
    types.into_iter().map(value).collect()
}

fn check_flags(flags: u8, at: usize, name: &str, tables: &Tables<'_>) -> Read<()> {
    let newest = tables.version >= Version::V13_5;
    if flags & KERNEL == 0 && !tables.types.preview {
        let message = format!(
            "`@{name}` is not a kernel: functions that are implemented outside are preview content, which the file's header \
             does not say that it has"
        );
        return fault(at, Code::UnsupportedFeature, message);
    }
    let known = match (flags & KERNEL != 0, newest) {
        (true, true) => 0b11,
        (true, false) => 0b111,
        (false, _) => 0b101,
    };
    if flags & !known != 0 {
        let message = format!("`@{name}` has the flags {flags:#x}, of which some are unknown");
        return fault(at, Code::UnknownFlags, message);
    }
    if flags & (KERNEL | 1) == 0 {
        let message = format!("`@{name}` is public and no kernel, expected a private function");
        return fault(at, Code::AttributeValue, message);
    }
    Ok(())
}
