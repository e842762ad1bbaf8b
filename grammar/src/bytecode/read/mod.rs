//! From bytes to a module.

mod attrs;
mod body;
mod cursor;
mod debug;
mod sections;
mod tables;
mod types;

use tilewright_diagnostics::{Code, Diagnostic, FileId, Location};
use tilewright_irs::core::{Flag, Func};
use tilewright_irs::cuda_tile::{
    AnyType, Attr, CudaTile, DebugId, DebugInfo, EntryAttrs, FuncLocations, Global, TileModule, TileType,
    Version,
};

use super::arrangement::Arrangement;
use super::container::Section;
use attrs::Tables;
use body::BodyReader;
use cursor::{Cursor, Fault, Read, fault};
use debug::{Debug, Row};
use sections::Sections;
use tables::{Budget, Constants, Strings};
use types::Types;

/// What a file of bytecode holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytecode {
    /// The module.
    pub module: TileModule,
    /// Where the module's ops stem from; empty for a file without debug information.
    pub debug: DebugInfo,
    /// Where the module's functions stand in the file, one entry for each.
    pub offsets: Vec<FuncOffsets>,
    /// How the file is arranged.
    pub arrangement: Arrangement,
}

/// Where a function stands in its file, in bytes from the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncOffsets {
    /// The function's entry.
    pub func: u32,
    /// Each op, by its origin.
    pub ops: Vec<u32>,
}

/// Reads a file of bytecode, of any version from 13.1 to 13.5.
///
/// What is read is not verified yet: that is [`tilewright_irs::cuda_tile::verify_module`]'s.
///
/// # Errors
/// Whatever is wrong with the file; each function's first error is among them. An error within a function that has
/// debug information is placed at the source line of its op, others at their byte.
pub fn read(bytes: &[u8], file: FileId) -> Result<Bytecode, Vec<Diagnostic<Location>>> {
    let mut reader = FileReader {
        file,
        problems: Vec::new(),
    };
    match reader.read(bytes) {
        Ok(found) if reader.problems.is_empty() => Ok(found),
        Ok(_) => Err(reader.problems),
        Err(fault) => {
            reader.report(*fault, None);
            Err(reader.problems)
        }
    }
}

struct FileReader {
    file: FileId,
    problems: Vec<Diagnostic<Location>>,
}

/// The place of a problem in the user's program.
struct Place<'d> {
    debug: &'d DebugInfo,
    id: DebugId,
}

impl FileReader {
    fn report(&mut self, fault: Fault, place: Option<Place<'_>>) {
        let Fault {
            offset,
            code,
            message,
        } = fault;
        let at = Location::Offset {
            file: self.file,
            offset: offset as u64,
        };
        let mut problem = Diagnostic::error(code, message).at(at, format!("at byte {offset} of the file"));
        let chain = place.map(|place| place.debug.chain(place.id)).unwrap_or_default();
        let mut calls = chain
            .into_iter()
            .map(|place| Location::source(place.file, place.line, place.column));
        if let Some(place) = calls.next() {
            problem = problem.at(place, "while reading this op");
        }
        for call in calls {
            problem = problem.also(call, "called here");
        }
        self.problems.push(problem);
    }

    fn read(&mut self, bytes: &[u8]) -> Read<Bytecode> {
        if u32::try_from(bytes.len()).is_err() {
            return fault(0, Code::InputTooLarge, "the file is larger than 4 GiB");
        }
        let sections = Sections::read(bytes)?;
        let functions = sections.required(Section::Function)?;
        let mut tables = Tables {
            version: sections.version,
            strings: Strings::read(sections.required(Section::String)?)?,
            types: Types::read(sections.get(Section::Type), sections.version)?,
            constants: Constants::read(sections.get(Section::Constant))?,
            budget: Budget::for_file(bytes.len()),
            shared: None,
        };
        let mut module = TileModule::new(sections.version);
        if let Some(mut cursor) = sections.get(Section::Producer) {
            module.producer = Some(tables.string(&mut cursor)?);
        }
        if let Some(cursor) = sections.get(Section::Global) {
            module.globals = globals(cursor, &mut tables)?;
        }
        let mut debug = Debug::default();
        if let Some(cursor) = sections.get(Section::Debug) {
            match Debug::read(cursor, &mut tables) {
                Ok(found) => debug = found,
                Err(fault) => self.report(*fault, None),
            }
        }
        let broken_debug = !self.problems.is_empty();
        let mut offsets = Vec::new();
        let mut locations = Vec::new();
        let mut cursor = functions;
        // An entry takes at least four bytes: name, signature, flags, location.
        for _ in 0..cursor.count(4, "the number of functions")? {
            let entry = Entry::read(&mut cursor, &mut tables)?;
            let row = if broken_debug {
                None
            } else {
                debug.row(entry.location, entry.at).unwrap_or_else(|fault| {
                    self.report(*fault, None);
                    None
                })
            };
            self.function(
                entry,
                row,
                &mut tables,
                &debug,
                &mut module,
                &mut offsets,
                &mut locations,
            );
        }
        let mut info = debug.info;
        if locations
            .iter()
            .any(|list: &FuncLocations| list.func.is_some() || !list.ops.is_empty())
            || !info.attrs.is_empty()
        {
            info.funcs = locations;
        }
        Ok(Bytecode {
            module,
            debug: info,
            offsets,
            arrangement: Arrangement {
                version: sections.version,
                sections: sections.order,
                strings: tables.strings.table.items(),
                types: tables.types.table.items(),
                constants: tables.constants.table.items(),
            },
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn function<'a>(
        &mut self,
        entry: Entry<'a>,
        row: Option<Row<'a>>,
        tables: &mut Tables<'a>,
        debug: &Debug<'a>,
        module: &mut TileModule,
        offsets: &mut Vec<FuncOffsets>,
        locations: &mut Vec<FuncLocations>,
    ) {
        let Entry {
            at,
            name,
            attrs,
            params,
            body,
            ..
        } = entry;
        let read = match BodyReader::new(tables, body).read(params) {
            Ok(read) => read,
            Err((fault, ops)) => {
                let place = |n: usize| row.and_then(|row| row.get(n).ok().flatten());
                let place = place(ops).or_else(|| place(0));
                let place = place.map(|id| Place {
                    debug: &debug.info,
                    id,
                });
                self.report(*fault, place);
                return;
            }
        };
        match debug.locations(row, &name, read.offsets.len()) {
            Ok(list) => locations.push(list),
            Err(fault) => self.report(*fault, None),
        }
        offsets.push(FuncOffsets {
            func: u32::try_from(at).unwrap_or(u32::MAX),
            ops: read.offsets,
        });
        module.funcs.push(Func::<CudaTile> {
            name,
            attrs,
            body: read.body,
        });
    }
}

/// The entry of a function.
struct Entry<'a> {
    at: usize,
    name: String,
    attrs: EntryAttrs,
    params: Vec<TileType>,
    location: u64,
    body: Cursor<'a>,
}

impl<'a> Entry<'a> {
    fn read(cursor: &mut Cursor<'a>, tables: &mut Tables<'a>) -> Read<Self> {
        let at = cursor.at();
        let name = tables.string(cursor)?;
        if name.is_empty() {
            return fault(at, Code::AttributeValue, "a function has no name");
        }
        let signature_at = cursor.at();
        let AnyType::Func(signature) = tables.any_type(cursor)? else {
            return fault(
                signature_at,
                Code::MalformedType,
                format!("the signature of `@{name}` is no function type"),
            );
        };
        if !signature.results.is_empty() {
            let message = format!(
                "the kernel `@{name}` has {} results, expected none",
                signature.results.len()
            );
            return fault(signature_at, Code::OperandType, message);
        }
        let flags_at = cursor.at();
        let flags = cursor.u8("a function's flags")?;
        let newest = tables.version >= Version::V13_5;
        let known = if newest { 0b11 } else { 0b111 };
        if flags & 0b10 == 0 {
            let message = format!("`@{name}` is not a kernel: external functions are not supported yet");
            return fault(flags_at, Code::UnsupportedFeature, message);
        }
        if flags & !known != 0 {
            let message = format!("`@{name}` has the flags {flags:#x}, of which some are unknown");
            return fault(flags_at, Code::UnknownFlags, message);
        }
        let location = cursor.varint("a function's location")?;
        let mut attrs = EntryAttrs {
            private: Flag(flags & 1 != 0),
            ..EntryAttrs::default()
        };
        if newest || flags & 0b100 != 0 {
            let at = cursor.at();
            match tables.attr(cursor)? {
                // From 13.5 on there always are hints, and no hints are empty ones.
                Attr::Hints(hints) if newest && hints.0.is_empty() => {}
                Attr::Hints(hints) => attrs.optimization_hints = Some(hints),
                _ => {
                    return fault(
                        at,
                        Code::AttributeKind,
                        format!("the hints of `@{name}` are of another kind"),
                    );
                }
            }
        }
        if newest {
            let at = cursor.at();
            match tables.attr(cursor)? {
                Attr::Array(list) if list.is_empty() => {}
                Attr::Array(list) => attrs.arg_attrs = Some(list),
                _ => {
                    let message = format!("the argument attributes of `@{name}` are of another kind");
                    return fault(at, Code::AttributeKind, message);
                }
            }
        }
        let length = cursor.count(1, "the length of a function's body")?;
        let from = cursor.at();
        let body = Cursor::new(cursor.bytes(length, "a function's body")?, from);
        Ok(Self {
            at,
            name,
            attrs,
            params: signature.inputs,
            location,
            body,
        })
    }
}

fn globals<'a>(mut cursor: Cursor<'a>, tables: &mut Tables<'a>) -> Read<Vec<Global>> {
    let count = cursor.count(4, "the number of globals")?;
    let mut list = Vec::new();
    for _ in 0..count {
        let name = tables.string(&mut cursor)?;
        let at = cursor.at();
        let TileType::Tile(ty) = tables.value_type(&mut cursor)? else {
            return fault(at, Code::OperandType, format!("the global `@{name}` is no tile"));
        };
        let value = tables.dense(&mut cursor, &ty)?;
        let alignment = cursor.varint("an alignment")?;
        let mut global = Global {
            name,
            ty,
            value,
            alignment,
            private: false,
            constant: false,
        };
        if tables.version >= Version::V13_3 {
            let at = cursor.at();
            global.private = match cursor.varint("a visibility")? {
                0 => false,
                1 => true,
                other => {
                    return fault(
                        at,
                        Code::BadEnumValue,
                        format!("visibility {other} stands for nothing"),
                    );
                }
            };
            global.constant = cursor.varint("a constant flag")? != 0;
        }
        list.push(global);
    }
    Ok(list)
}
