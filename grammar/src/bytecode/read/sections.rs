//! The header, and the sections that follow it.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::cuda_tile::Version;
use tilewright_irs::cuda_tile::preview::Features;

use super::super::MAGIC;
use super::super::container::Section;
use super::cursor::{Cursor, Read, fault};

/// The sections of a file, with their contents not yet decoded.
#[derive(Debug)]
pub(super) struct Sections<'a> {
    pub(super) version: Version,
    /// Whether the header announces preview content.
    pub(super) preview: bool,
    found: [Option<Cursor<'a>>; Section::COUNT],
    /// The sections in the order of the file, with their stated alignments.
    pub(super) order: Vec<(Section, Option<usize>)>,
}

impl<'a> Sections<'a> {
    pub(super) fn read(bytes: &'a [u8], features: Features) -> Read<Self> {
        let mut cursor = Cursor::new(bytes, 0);
        let (version, preview) = header(&mut cursor, features)?;
        let mut found: [Option<Cursor<'a>>; Section::COUNT] = [None; Section::COUNT];
        let mut order = Vec::new();
        loop {
            let start = cursor.at();
            if cursor.is_empty() {
                return fault(start, Code::Truncated, "the file ends without an end marker");
            }
            let byte = cursor.u8("a section")?;
            let (id, aligned) = (byte & 0x7F, byte & 0x80 != 0);
            if id == 0 {
                if aligned {
                    return fault(start, Code::MisalignedSection, "the end marker has an alignment");
                }
                if !cursor.is_empty() {
                    let message = format!(
                        "the end section is not the last: it is followed by {}",
                        counted(cursor.remaining(), "byte")
                    );
                    return fault(cursor.at(), Code::BadSectionLength, message);
                }
                return Ok(Self {
                    version,
                    preview,
                    found,
                    order,
                });
            }
            let Some(section) = Section::from_id(id) else {
                return fault(start, Code::UnknownSection, format!("there is no section {id}"));
            };
            let (payload, alignment) = payload(&mut cursor, section, start, aligned)?;
            order.push((section, aligned.then_some(alignment)));
            let Some(place) = found.get_mut(usize::from(section.id()) - 1) else {
                continue;
            };
            if place.replace(payload).is_some() {
                let message = format!("a second {} section", section.name());
                return fault(start, Code::DuplicateSection, message);
            }
        }
    }

    pub(super) fn get(&self, section: Section) -> Option<Cursor<'a>> {
        self.found.get(usize::from(section.id()) - 1).copied().flatten()
    }

    pub(super) fn required(&self, section: Section) -> Read<Cursor<'a>> {
        match self.get(section) {
            Some(cursor) => Ok(cursor),
            None => fault(
                0,
                Code::MissingSection,
                format!("the file has no {} section", section.name()),
            ),
        }
    }
}

/// The version, and whether there is preview content.
fn header(cursor: &mut Cursor<'_>, features: Features) -> Read<(Version, bool)> {
    if !cursor.rest().starts_with(&MAGIC) {
        return fault(0, Code::BadMagic, "input does not correspond to Tile IR bytecode");
    }
    cursor.bytes(MAGIC.len(), "the magic number")?;
    let at = cursor.at();
    let (major, minor) = (cursor.u8("the version")?, cursor.u8("the version")?);
    let Some(version) = Version::from_numbers(major, minor) else {
        let message = format!("unsupported Tile IR bytecode version: {major}.{minor}");
        return fault(at, Code::UnsupportedVersion, message);
    };
    let at = cursor.at();
    let tag = u16::from(cursor.u8("the tag")?) | u16::from(cursor.u8("the tag")?) << 8;
    match tag {
        0 => Ok((version, false)),
        1 if version == Version::V13_5 && features.simt => Ok((version, true)),
        1 if version == Version::V13_5 => fault(
            at,
            Code::UnsupportedFeature,
            format!(
                "the file has preview content of version 13.5, which is read only when `--preview {}` asks for it",
                Features::SIMT
            ),
        ),
        _ => fault(
            at,
            Code::UnsupportedVersion,
            format!("unsupported Tile IR bytecode version: {version} with tag {tag:#06x}"),
        ),
    }
}

/// The contents of a section, and its stated alignment.
fn payload<'a>(
    cursor: &mut Cursor<'a>,
    section: Section,
    start: usize,
    aligned: bool,
) -> Read<(Cursor<'a>, usize)> {
    let at = cursor.at();
    let length = cursor.varint("a section's length")?;
    let mut alignment = 1;
    if aligned {
        let at = cursor.at();
        let value = cursor.varint("a section's alignment")?;
        alignment = match usize::try_from(value) {
            Ok(alignment) if alignment.is_power_of_two() => alignment,
            _ => {
                let message = format!("the {} section has the alignment {value}", section.name());
                return fault(
                    at,
                    Code::MisalignedSection,
                    format!("{message}, expected a power of two"),
                );
            }
        };
        cursor.align(alignment, 0, "padding")?;
    }
    if alignment < section.alignment() {
        let message = format!(
            "the {} section has the alignment {alignment}, expected a multiple of {}",
            section.name(),
            section.alignment()
        );
        return fault(start, Code::MisalignedSection, message);
    }
    let from = cursor.at();
    match usize::try_from(length) {
        Ok(count) if count <= cursor.remaining() => {
            Ok((Cursor::new(cursor.bytes(count, "a section")?, from), alignment))
        }
        _ => fault(
            at,
            Code::BadSectionLength,
            format!("section length {length} exceeds remaining bytecode data"),
        ),
    }
}
