//! The type table. An entry is decoded on first use, in [`entry`](super::entry).

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::{AnyType, TileType, Version};
use tilewright_irs::element::ScalarType;

use super::super::container::scalar_of_tag;
use super::cursor::{Cursor, Read, fault};
use super::tables::{Budget, Strings, Table};

/// A type that was used, and the heap size of a copy, in bytes.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) ty: AnyType,
    pub(super) cost: usize,
}

/// Nesting limit of types.
const MAX_DEPTH: u32 = 24;

/// The types of a file.
#[derive(Debug)]
pub(super) struct Types<'a> {
    pub(super) table: Table<'a>,
    pub(super) version: Version,
    /// The strings, for the names of symbolic parameters of preview types.
    pub(super) strings: Strings<'a>,
    /// Whether preview content is enabled.
    pub(super) preview: bool,
    /// The budget of symbolic expressions in types and attributes.
    pub(super) budget: Budget,
    depth: u32,
    /// For each entry its index in `known`, or `NEW`.
    seen: Vec<u32>,
    known: Vec<Known>,
}

/// The index of an entry that has not been decoded.
const NEW: u32 = u32::MAX;

impl<'a> Types<'a> {
    pub(super) fn read(
        cursor: Option<Cursor<'a>>,
        version: Version,
        strings: Strings<'a>,
        preview: bool,
    ) -> Read<Self> {
        let bytes = cursor.map_or(0, |cursor| cursor.remaining());
        let table = match cursor {
            Some(mut cursor) => {
                let origin = cursor.at();
                Table::read(&mut cursor, origin, 4, "the number of types")?
            }
            None => Table::EMPTY,
        };
        Ok(Self::new(
            table,
            version,
            strings,
            preview,
            Budget::for_file(bytes),
        ))
    }

    fn new(table: Table<'a>, version: Version, strings: Strings<'a>, preview: bool, budget: Budget) -> Self {
        Self {
            table,
            version,
            strings,
            preview,
            budget,
            depth: 0,
            seen: vec![NEW; table.len],
            known: Vec::new(),
        }
    }

    /// The same table with nothing decoded: threads do not share decoded entries.
    pub(super) fn afresh(&self) -> Self {
        Self::new(
            self.table,
            self.version,
            self.strings,
            self.preview,
            self.budget.clone(),
        )
    }

    fn out_of_bounds<T>(&self, index: u64, at: usize) -> Read<T> {
        let message = format!("type index {index} out of bounds (size={})", self.table.len);
        fault(at, Code::TypeIndex, message)
    }

    #[inline]
    pub(super) fn known(&mut self, index: u64, at: usize) -> Read<&Known> {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        let mut found = self.seen.get(place).copied().unwrap_or(NEW);
        if found == NEW {
            found = self.look_at(index, place, at)?;
        }
        match self.known.get(found as usize) {
            Some(known) => Ok(known),
            None => self.out_of_bounds(index, at),
        }
    }

    /// Decodes an entry on first use; returns its index in `known`.
    fn look_at(&mut self, index: u64, place: usize, at: usize) -> Read<u32> {
        let Some(item) = self.table.get(index, "type")? else {
            return self.out_of_bounds(index, at);
        };
        if self.depth >= MAX_DEPTH {
            let message = format!("types are nested deeper than {MAX_DEPTH}, or one holds itself");
            return fault(at, Code::NestingTooDeep, message);
        }
        self.depth += 1;
        let decoded = self.decode(item);
        self.depth -= 1;
        let ty = decoded?;
        let cost = ty.heap_bytes();
        let found = u32::try_from(self.known.len()).unwrap_or(NEW);
        self.known.push(Known { ty, cost });
        if let Some(place) = self.seen.get_mut(place) {
            *place = found;
        }
        Ok(found)
    }

    /// The type of this index.
    pub(super) fn any(&mut self, index: u64, at: usize, budget: &mut Budget) -> Read<AnyType> {
        let known = self.known(index, at)?;
        budget.spend(known.cost, at)?;
        Ok(known.ty.clone())
    }

    /// The type of this index, which must be a type of values.
    pub(super) fn value(&mut self, index: u64, at: usize, budget: &mut Budget) -> Read<TileType> {
        let known = self.known(index, at)?;
        match &known.ty {
            AnyType::Value(ty) => {
                if known.cost > 0 {
                    budget.spend(known.cost, at)?;
                }
                Ok(ty.clone())
            }
            other => fault(
                at,
                Code::MalformedType,
                format!("type {index} is `{other}`, which no value has"),
            ),
        }
    }

    /// A scalar type, by the index at the cursor.
    pub(super) fn scalar(&mut self, cursor: &mut Cursor<'a>) -> Read<ScalarType> {
        let at = cursor.at();
        let index = cursor.varint("a type index")?;
        match self.item_tag(index, at)? {
            (tag, _) if scalar_of_tag(tag).is_some() => match self.known(index, at)?.ty {
                AnyType::Scalar(scalar) => Ok(scalar),
                _ => fault(at, Code::MalformedType, format!("type {index} is no number type")),
            },
            _ => fault(at, Code::MalformedType, format!("type {index} is no number type")),
        }
    }

    /// The tag of an entry, and its rest. Checking the tag first prevents recursive types.
    pub(super) fn item_tag(&self, index: u64, at: usize) -> Read<(u64, Cursor<'a>)> {
        let Some(mut item) = self.table.get(index, "type")? else {
            return self.out_of_bounds(index, at);
        };
        let tag = item.varint("a type's tag")?;
        Ok((tag, item))
    }
}
