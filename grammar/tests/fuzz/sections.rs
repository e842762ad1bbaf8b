//! Mutates bytecode by structure: splits files into sections, changes indices, and reassembles them with correct
//! lengths, so that most mutants are still read.

use std::ops::Range;

use tilewright_diagnostics::FileId;
use tilewright_grammar::bytecode::MAGIC;

use super::mutate::Random;
use crate::preview;

const FUNCTIONS: u8 = 2;
const DEBUG: u8 = 3;
const CONSTANTS: u8 = 4;

/// The magic number and the version.
const HEADER: usize = MAGIC.len() + 4;

/// The padding of sections.
const PADDING: u8 = 0xCB;

/// Edge-case numbers in encoded form.
const EDGES: &[&[u8]] = &[
    &[0],
    &[1],
    &[2],
    &[0x7f],
    &[0x80, 0x01],
    &[0xff, 0x01],
    &[0xff, 0xff, 0x03],
    &[0x80, 0x80, 0x80, 0x80, 0x08],
    &[0xff, 0xff, 0xff, 0xff, 0x0f],
    &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
];

struct Section {
    id: u8,
    alignment: Option<usize>,
    /// The offset in the file.
    at: usize,
    bytes: Vec<u8>,
}

/// A file split into sections.
struct File {
    header: Vec<u8>,
    sections: Vec<Section>,
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0usize;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn push_varint(out: &mut Vec<u8>, value: usize) {
    let mut rest = value;
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn pad(out: &mut Vec<u8>, alignment: usize) {
    out.resize(out.len().next_multiple_of(alignment), PADDING);
}

impl File {
    fn split(bytes: &[u8]) -> Option<Self> {
        let header = bytes.get(..HEADER)?.to_vec();
        let mut sections = Vec::new();
        let mut at = HEADER;
        loop {
            let byte = *bytes.get(at)?;
            at += 1;
            if byte == 0 {
                return Some(Self { header, sections });
            }
            let length = varint(bytes, &mut at)?;
            let mut alignment = None;
            if byte & 0x80 != 0 {
                let stated = varint(bytes, &mut at)?;
                at = at.checked_next_multiple_of(stated)?;
                alignment = Some(stated);
            }
            let end = at.checked_add(length)?;
            sections.push(Section {
                id: byte & 0x7f,
                alignment,
                at,
                bytes: bytes.get(at..end)?.to_vec(),
            });
            at = end;
        }
    }

    fn join(&self) -> Vec<u8> {
        let mut out = self.header.clone();
        for section in &self.sections {
            out.push(section.id | if section.alignment.is_some() { 0x80 } else { 0 });
            push_varint(&mut out, section.bytes.len());
            if let Some(alignment) = section.alignment {
                push_varint(&mut out, alignment);
                pad(&mut out, alignment);
            }
            out.extend(&section.bytes);
        }
        out.push(0);
        out
    }
}

/// The items of a table of strings, types or constants.
fn items(section: &Section) -> Option<Vec<Vec<u8>>> {
    let width = width(section.id);
    let mut at = 0;
    let count = varint(&section.bytes, &mut at)?;
    at = at.next_multiple_of(width);
    let offsets = section
        .bytes
        .get(at..at.checked_add(count.checked_mul(width)?)?)?;
    let data = section.bytes.get(at + offsets.len()..)?;
    let offsets = offsets
        .chunks(width)
        .map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize);
    let starts: Vec<usize> = offsets.collect();
    let ends = starts.iter().copied().skip(1).chain([data.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| data.get(start..end).map(<[u8]>::to_vec))
        .collect()
}

fn width(id: u8) -> usize {
    if id == CONSTANTS { 8 } else { 4 }
}

fn table(items: &[Vec<u8>], width: usize) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(&mut out, items.len());
    pad(&mut out, width);
    let mut offset = 0u64;
    for item in items {
        out.extend(&offset.to_le_bytes()[..width]);
        offset += item.len() as u64;
    }
    out.extend(items.iter().flatten());
    out
}

/// The bodies of a readable file: the bytes of each op, up to the first op within it.
fn bodies(bytes: &[u8], functions: &Section) -> Vec<Vec<Range<usize>>> {
    let Ok(read) = preview::read(bytes, FileId(0)) else {
        return Vec::new();
    };
    let end = functions.at + functions.bytes.len();
    let ends = read.offsets.iter().skip(1).map(|next| next.func as usize);
    let bodies = read.offsets.iter().zip(ends.chain([end]));
    let body = bodies.map(|(func, end)| {
        let starts = func.ops.iter().map(|&at| at as usize);
        let ends = starts.clone().skip(1).chain([end]);
        starts
            .zip(ends)
            .map(|(start, end)| start - functions.at..end - functions.at)
            .collect()
    });
    body.collect()
}

impl Random {
    /// Mutates a few ops and table entries of a file, or its bytes if it cannot be split.
    pub(crate) fn file(&mut self, bytes: &[u8], other: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..self.few() {
            let Some(mut file) = File::split(&bytes) else {
                return self.bytes(&bytes, other);
            };
            let at = self.below(file.sections.len());
            match (self.below(24), File::split(other)) {
                (0, _) if at < file.sections.len() => drop(file.sections.remove(at)),
                (1, _) if at < file.sections.len() => {
                    let to = self.below(file.sections.len());
                    file.sections.swap(at, to);
                }
                (2, _) if at < file.sections.len() => {
                    file.sections[at].alignment = self.pick(&[None, Some(1), Some(4), Some(8), Some(64)]);
                }
                (3, Some(other)) if !other.sections.is_empty() => {
                    let from = self.below(other.sections.len());
                    let section = other.sections.into_iter().nth(from);
                    let place = section.and_then(|new| {
                        let place = file.sections.iter_mut().find(|old| old.id == new.id)?;
                        Some((place, new))
                    });
                    if let Some((place, new)) = place {
                        *place = new;
                    }
                }
                (4, _) => file.header[HEADER - 3] = self.pick(&[1, 2, 3, 4, 5, 6]),
                (5..=15, _) => {
                    if let Some(changed) = self.ops(&bytes, &file, other) {
                        bytes = changed;
                    }
                    continue;
                }
                _ if at < file.sections.len() => self.section(&mut file.sections[at], other),
                _ => {}
            }
            bytes = file.join();
        }
        bytes
    }

    /// Mutates a few bytes, mostly to valid numbers.
    fn numbers(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let Some(&byte) = bytes.get(at) else { return };
        match self.below(6) {
            0 => bytes[at] = byte.wrapping_add(1),
            1 => bytes[at] = byte.wrapping_sub(1),
            2 => bytes[at] = self.below(24) as u8,
            3 => drop(bytes.splice(at..=at, self.pick(EDGES).iter().copied())),
            4 => bytes[at] ^= 1 << self.below(8),
            _ => {
                let from = self.below(bytes.len());
                bytes[at] = bytes[from];
            }
        }
    }

    /// Mutates, removes, moves or replaces an entry of a table; bytes in other sections.
    fn section(&mut self, section: &mut Section, other: &[u8]) {
        let entries = match section.id {
            FUNCTIONS | DEBUG => None,
            _ => items(section),
        };
        let Some(mut entries) = entries.filter(|entries| !entries.is_empty()) else {
            return self.numbers(&mut section.bytes);
        };
        let at = self.below(entries.len());
        match self.below(6) {
            0 => {
                let to = self.below(entries.len());
                entries.swap(at, to);
            }
            1 => entries[at] = entries[self.below(entries.len())].clone(),
            2 => {
                let theirs = File::split(other)
                    .and_then(|file| items(file.sections.iter().find(|theirs| theirs.id == section.id)?))
                    .unwrap_or_default();
                if let Some(item) = theirs.into_iter().nth(self.below(8)) {
                    entries[at] = item;
                }
            }
            3 => entries.truncate(at),
            _ => self.numbers(&mut entries[at]),
        }
        section.bytes = table(&entries, width(section.id));
    }

    /// Mutates, duplicates, removes or replaces an op, and adjusts the length of its body.
    fn ops(&mut self, bytes: &[u8], file: &File, other: &[u8]) -> Option<Vec<u8>> {
        let functions = file.sections.iter().find(|section| section.id == FUNCTIONS)?;
        let bodies = bodies(bytes, functions);
        let body = bodies.get(self.below(bodies.len()))?;
        let op = body.get(self.below(body.len()))?.clone();
        let mut new = functions.bytes.get(op.clone())?.to_vec();
        match self.below(8) {
            0 => new.clear(),
            1 => new.extend(functions.bytes.get(op.clone())?),
            2 => {
                let from = body.get(self.below(body.len()))?.clone();
                new = functions.bytes.get(from)?.to_vec();
            }
            3 => {
                let theirs = File::split(other)?;
                let theirs = theirs
                    .sections
                    .into_iter()
                    .find(|section| section.id == FUNCTIONS)?;
                let bodies = self::bodies(other, &theirs);
                let body = bodies.get(self.below(bodies.len()))?;
                new = theirs
                    .bytes
                    .get(body.get(self.below(body.len()))?.clone())?
                    .to_vec();
            }
            _ => self.numbers(&mut new),
        }
        let (start, end) = (body.first()?.start, body.last()?.end);
        let mut length = Vec::new();
        push_varint(&mut length, end - start);
        let before = functions.bytes.get(..start)?.strip_suffix(length.as_slice())?;
        let mut out = before.to_vec();
        push_varint(&mut out, end - start - op.len() + new.len());
        out.extend(functions.bytes.get(start..op.start)?);
        out.extend(new);
        out.extend(functions.bytes.get(op.end..)?);
        let mut file = File::split(bytes)?;
        file.sections
            .iter_mut()
            .find(|section| section.id == FUNCTIONS)?
            .bytes = out;
        Some(file.join())
    }
}
