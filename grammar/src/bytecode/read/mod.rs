//! Reads bytecode to a module.

mod attrs;
mod body;
mod cursor;
mod debug;
mod debug_attrs;
mod entry;
mod external;
mod fields;
mod functions;
mod preview;
mod rest;
mod sections;
mod tables;
mod types;

use tilewright_diagnostics::{Code, Diagnostic, FileId, Location};
use tilewright_irs::cuda_tile::preview::Features;
use tilewright_irs::cuda_tile::{DebugId, DebugInfo, Global, TileModule, TileType, Version};

use super::arrangement::Arrangement;
use super::container::Section;
use attrs::Tables;
use cursor::{Cursor, Fault, Read, fault};
use debug::Debug;
use functions::Functions;
use sections::Sections;
use tables::{Budget, Constants, Strings};
use types::Types;

/// The contents of a bytecode file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytecode {
    /// The module.
    pub module: TileModule,
    /// The locations of the module's ops; empty for a file without debug information.
    pub debug: DebugInfo,
    /// The offsets of the module's functions in the file, one entry for each.
    pub offsets: Vec<FuncOffsets>,
    /// The offsets of the module's external functions, in bytes from the start of the file.
    pub externals: Vec<u32>,
    /// The arrangement of the file.
    pub arrangement: Arrangement,
}

/// The offsets of a function in its file, in bytes from the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncOffsets {
    /// The function's entry.
    pub func: u32,
    /// Each op, by its origin.
    pub ops: Vec<u32>,
}

/// Reads a file of bytecode, of any version from 13.1 to 13.5.
///
/// Preview content is refused. The module is not verified; see [`tilewright_irs::cuda_tile::verify_module`].
///
/// # Errors
/// All errors of the file, in its order: for each function the reader's first error, and the verifier's errors about
/// what could be read. An error within a function that has debug information is reported at the source line of its
/// op, others at their byte offset.
pub fn read(bytes: &[u8], file: FileId) -> Result<Bytecode, Vec<Diagnostic<Location>>> {
    read_with(bytes, file, Features::NONE)
}

/// Reads a file that may have the preview content of these features.
///
/// # Errors
/// Those of [`read`].
pub fn read_with(
    bytes: &[u8],
    file: FileId,
    features: Features,
) -> Result<Bytecode, Vec<Diagnostic<Location>>> {
    let mut reader = FileReader {
        file,
        features,
        problems: Vec::new(),
    };
    match reader.read(bytes) {
        Ok(found) if reader.problems.is_empty() => return Ok(found),
        Ok(_) => {}
        Err(fault) => reader.report(*fault, None),
    }
    reader.problems.sort_by_key(|(offset, _)| *offset);
    Err(reader.problems.into_iter().map(|(_, problem)| problem).collect())
}

struct FileReader {
    file: FileId,
    features: Features,
    /// The errors, with their byte offsets.
    problems: Vec<(usize, Diagnostic<Location>)>,
}

/// The location of an error in the user's program.
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
            .map(|frame| Location::source(frame.place.file, frame.place.line, frame.place.column));
        if let Some(place) = calls.next() {
            problem = problem.at(place, "while reading this op");
        }
        for call in calls {
            problem = problem.also(call, "called here");
        }
        self.problems.push((offset, problem));
    }

    fn read(&mut self, bytes: &[u8]) -> Read<Bytecode> {
        if u32::try_from(bytes.len()).is_err() {
            return fault(0, Code::InputTooLarge, "the file is larger than 4 GiB");
        }
        let sections = Sections::read(bytes, self.features)?;
        let functions = sections.required(Section::Function)?;
        let strings = Strings::read(sections.required(Section::String)?)?;
        let types = sections.get(Section::Type);
        let mut tables = Tables {
            version: sections.version,
            strings,
            types: Types::read(types, sections.version, strings, sections.preview)?,
            constants: Constants::read(sections.get(Section::Constant))?,
            budget: Budget::for_file(bytes.len()),
            shared: None,
            other_constants: Vec::new(),
        };
        let mut module = TileModule::new(sections.version);
        let mut broken_globals = false;
        if let Some(mut cursor) = sections.get(Section::Producer) {
            module.producer = Some(tables.string(&mut cursor)?);
        }
        if let Some(cursor) = sections.get(Section::Global) {
            match globals(cursor, &mut tables) {
                Ok(globals) => module.globals = globals,
                Err(fault) => {
                    self.report(*fault, None);
                    broken_globals = true;
                }
            }
        }
        let mut debug = Debug::default();
        let mut broken_debug = false;
        if let Some(cursor) = sections.get(Section::Debug) {
            match Debug::read(cursor, &mut tables) {
                Ok(found) => debug = found,
                Err(fault) => {
                    self.report(*fault, None);
                    broken_debug = true;
                }
            }
        }
        // Errors in debug information have been reported; the functions are read without it.
        let mut functions = Functions::read(functions, &mut tables, (!broken_debug).then_some(&debug));
        for problem in std::mem::take(&mut functions.problems) {
            let place = problem.place.map(|id| Place {
                debug: &debug.info,
                id,
            });
            self.report(*problem.fault, place);
        }
        if !self.problems.is_empty() {
            self.verify(&mut functions, &module.globals, &debug.info, broken_globals);
        }
        module.funcs = functions.funcs;
        module.externals = functions.externals;
        let locations = functions.locations;
        let mut info = debug.info;
        if locations
            .iter()
            .any(|list| list.func.is_some() || !list.ops.is_empty())
            || !info.attrs.is_empty()
        {
            info.funcs = locations;
        }
        if functions.places.iter().any(Option::is_some) || !info.attrs.is_empty() {
            info.externals = functions.places;
        }
        Ok(Bytecode {
            module,
            debug: info,
            offsets: functions.offsets,
            externals: functions.external_offsets,
            arrangement: Arrangement {
                version: sections.version,
                preview: sections.preview,
                sections: sections.order,
                strings: tables.strings.table.items(),
                types: tables.types.table.items(),
                constants: tables.constants.table.items(),
                other_constants: tables.other_constants,
                after_functions: functions.after,
            },
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
