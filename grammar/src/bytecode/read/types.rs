//! The table of types. An entry is looked at when it is first used.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::enums::EnumCase;
use tilewright_irs::cuda_tile::{
    AnyType, Element, GatherScatterView, MAX_RANK, PaddingValue, PartitionView, Pointer, PtrAttr, Signature,
    StridedView, TensorView, Tile, TileType, Version, check_type,
};
use tilewright_irs::element::ScalarType;

use super::super::container::{DYNAMIC, scalar_of_tag, type_tag};
use super::cursor::{Cursor, Read, fault};
use super::tables::{Budget, Table};

/// A type that was used, and the bytes of heap that a copy of it takes.
#[derive(Debug)]
struct Known {
    ty: AnyType,
    cost: usize,
}

/// The types of a file.
#[derive(Debug)]
pub(super) struct Types<'a> {
    pub(super) table: Table<'a>,
    version: Version,
    /// For each entry, one more than its index in `known`, or 0.
    seen: Vec<u32>,
    known: Vec<Known>,
}

impl<'a> Types<'a> {
    pub(super) fn read(cursor: Option<Cursor<'a>>, version: Version) -> Read<Self> {
        let table = match cursor {
            Some(mut cursor) => {
                let origin = cursor.at();
                Table::read(&mut cursor, origin, 4, "the number of types")?
            }
            None => Table::EMPTY,
        };
        Ok(Self {
            table,
            version,
            seen: vec![0; table.len],
            known: Vec::new(),
        })
    }

    fn known(&mut self, index: u64, at: usize) -> Read<&Known> {
        let out = || {
            fault(
                at,
                Code::TypeIndex,
                format!("type index {index} out of bounds (size={})", self.table.len),
            )
        };
        let Some(place) = usize::try_from(index).ok().filter(|&i| i < self.table.len) else {
            return out();
        };
        let found = self.seen.get(place).map_or(0, |&n| n as usize);
        if found == 0 {
            let Some(item) = self.table.get(index, "type")? else {
                return out();
            };
            let ty = self.decode(item)?;
            let cost = match &ty {
                AnyType::Scalar(_) | AnyType::Ptr(_) => 0,
                AnyType::Value(ty) => ty.heap_bytes(),
                AnyType::Func(signature) => {
                    let all = signature.inputs.iter().chain(&signature.results);
                    all.map(|ty| ty.heap_bytes() + size_of::<TileType>()).sum()
                }
            };
            self.known.push(Known { ty, cost });
            if let (Some(place), Ok(n)) = (self.seen.get_mut(place), u32::try_from(self.known.len())) {
                *place = n;
            }
        }
        let last = self.known.len();
        let position = if found == 0 { last } else { found };
        match self.known.get(position.wrapping_sub(1)) {
            Some(known) => Ok(known),
            None => fault(at, Code::TypeIndex, format!("type index {index} out of bounds")),
        }
    }

    /// The type of this index, whatever it is.
    pub(super) fn any(&mut self, index: u64, at: usize, budget: &mut Budget) -> Read<AnyType> {
        let known = self.known(index, at)?;
        budget.spend(known.cost, at)?;
        Ok(known.ty.clone())
    }

    /// The type of this index, which must be one that a value may have.
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

    /// A number type, at the cursor by its index.
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

    /// The tag of an entry, and the rest of it. Looking at the tag first keeps types from holding themselves.
    fn item_tag(&self, index: u64, at: usize) -> Read<(u64, Cursor<'a>)> {
        let Some(mut item) = self.table.get(index, "type")? else {
            let message = format!("type index {index} out of bounds (size={})", self.table.len);
            return fault(at, Code::TypeIndex, message);
        };
        let tag = item.varint("a type's tag")?;
        Ok((tag, item))
    }

    fn since(&self, at: usize, what: &str, since: Version) -> Read<()> {
        if since > self.version {
            let version = self.version;
            let message = format!("type `{what}` needs bytecode version {since}, but the file has {version}");
            return fault(at, Code::MalformedType, message);
        }
        Ok(())
    }

    fn decode(&mut self, mut item: Cursor<'a>) -> Read<AnyType> {
        let at = item.at();
        let tag = item.varint("a type's tag")?;
        if let Some((scalar, since)) = scalar_of_tag(tag) {
            self.since(at, scalar.word(), since)?;
            return Ok(AnyType::Scalar(scalar));
        }
        let ty = match tag {
            type_tag::PTR => return self.pointer(item).map(AnyType::Ptr),
            type_tag::FUNCTION => return self.signature(item).map(AnyType::Func),
            type_tag::TILE => {
                let element = self.element(&mut item)?;
                let rank = rank(&mut item, 8)?;
                let mut shape = Vec::with_capacity(rank);
                for _ in 0..rank {
                    shape.push(positive(&mut item, "an extent")?);
                }
                TileType::Tile(Tile::new(shape, element))
            }
            type_tag::TENSOR_VIEW => TileType::TensorView(Box::new(self.tensor(item)?)),
            type_tag::PARTITION_VIEW => {
                let early = self.version < Version::V13_3;
                let padded = !early && self.flags(&mut item, 1)? == 1;
                let tile = extents(&mut item)?;
                let tensor = self.tensor_at(&mut item)?;
                let dim_map = dims(&mut item)?;
                let padded = padded || (early && present(&mut item)?);
                TileType::PartitionView(Box::new(PartitionView {
                    tile: tile.into(),
                    tensor,
                    dim_map,
                    padding: self.padding(&mut item, padded)?,
                }))
            }
            type_tag::STRIDED_VIEW => {
                self.since(at, "strided_view", Version::V13_3)?;
                let padded = self.flags(&mut item, 1)? == 1;
                let tile = extents(&mut item)?;
                let traversal_strides = extents(&mut item)?;
                let tensor = self.tensor_at(&mut item)?;
                let dim_map = dims(&mut item)?;
                TileType::StridedView(Box::new(StridedView {
                    tile: tile.into(),
                    traversal_strides,
                    tensor,
                    dim_map,
                    padding: self.padding(&mut item, padded)?,
                }))
            }
            type_tag::GATHER_SCATTER_VIEW => {
                self.since(at, "gather_scatter_view", Version::V13_3)?;
                let padded = self.flags(&mut item, 1)? == 1;
                let tile = extents(&mut item)?;
                let tensor = self.tensor_at(&mut item)?;
                let sparse_dim = item.small("a sparse dimension")?;
                TileType::GatherScatterView(Box::new(GatherScatterView {
                    tile: tile.into(),
                    tensor,
                    sparse_dim,
                    padding: self.padding(&mut item, padded)?,
                }))
            }
            type_tag::TOKEN => TileType::Token,
            _ => {
                return fault(
                    at,
                    Code::MalformedType,
                    format!("there is no type with the tag {tag}"),
                );
            }
        };
        match check_type(&ty) {
            Ok(()) => Ok(AnyType::Value(ty)),
            Err((code, message)) => fault(at, code, message),
        }
    }

    /// A number of flags of which the lowest `bits` have a meaning.
    fn flags(&self, item: &mut Cursor<'a>, bits: u32) -> Read<u64> {
        let at = item.at();
        let flags = item.varint("a type's flags")?;
        if flags >> bits != 0 {
            return fault(
                at,
                Code::UnknownFlags,
                format!("a type has the flags {flags:#x}, of which some are unknown"),
            );
        }
        Ok(flags)
    }

    fn enumeration<T>(
        &self,
        item: &mut Cursor<'a>,
        cases: &[EnumCase],
        find: impl Fn(u8) -> Option<T>,
        what: &str,
    ) -> Read<T> {
        let at = item.at();
        let code = item.varint(what)?;
        let since = cases
            .iter()
            .find(|case| u64::from(case.code) == code)
            .map(|case| case.since);
        match (since, u8::try_from(code).ok().and_then(find)) {
            (Some(since), Some(value)) if since <= self.version => Ok(value),
            (Some(since), Some(_)) => {
                let message = format!(
                    "{what} {code} needs bytecode version {since}, but the file has {}",
                    self.version
                );
                fault(at, Code::BadEnumValue, message)
            }
            _ => fault(
                at,
                Code::BadEnumValue,
                format!("{what} {code} stands for nothing"),
            ),
        }
    }

    fn padding(&self, item: &mut Cursor<'a>, present: bool) -> Read<Option<PaddingValue>> {
        if !present {
            return Ok(None);
        }
        self.enumeration(
            item,
            PaddingValue::SPEC.cases,
            PaddingValue::from_code,
            "the padding value",
        )
        .map(Some)
    }

    fn ptr_attr(&self, item: &mut Cursor<'a>, present: bool) -> Read<Option<PtrAttr>> {
        if !present {
            return Ok(None);
        }
        self.enumeration(
            item,
            PtrAttr::SPEC.cases,
            PtrAttr::from_code,
            "the pointer attribute",
        )
        .map(Some)
    }

    /// The flags that types have from 13.4 on: whether a pointer attribute follows.
    fn has_attr(&self, item: &mut Cursor<'a>) -> Read<bool> {
        Ok(self.version >= Version::V13_4 && self.flags(item, 1)? == 1)
    }

    fn pointer(&mut self, mut item: Cursor<'a>) -> Read<Pointer> {
        let at = item.at();
        let has_attr = self.has_attr(&mut item)?;
        let pointee = self.scalar(&mut item)?;
        if pointee == ScalarType::I4 {
            return fault(at, Code::BadElementType, "a pointer cannot point to i4");
        }
        let attr = self.ptr_attr(&mut item, has_attr)?;
        Ok(Pointer { pointee, attr })
    }

    fn element(&mut self, item: &mut Cursor<'a>) -> Read<Element> {
        let at = item.at();
        let mut ahead = *item;
        let index = ahead.varint("an element type")?;
        let (tag, _) = self.item_tag(index, at)?;
        if tag != type_tag::PTR {
            return self.scalar(item).map(Element::Scalar);
        }
        *item = ahead;
        match self.known(index, at)?.ty {
            AnyType::Ptr(pointer) => Ok(Element::Ptr(pointer)),
            _ => fault(
                at,
                Code::MalformedType,
                format!("type {index} is no element type"),
            ),
        }
    }

    fn tensor(&mut self, mut item: Cursor<'a>) -> Read<TensorView> {
        let has_attr = self.has_attr(&mut item)?;
        let element = self.scalar(&mut item)?;
        let shape = open_list(&mut item, "an extent")?;
        let strides = open_list(&mut item, "a stride")?;
        let attr = self.ptr_attr(&mut item, has_attr)?;
        Ok(TensorView {
            element,
            shape,
            strides,
            attr,
        })
    }

    /// A tensor view, at the cursor by its index.
    fn tensor_at(&mut self, item: &mut Cursor<'a>) -> Read<TensorView> {
        let at = item.at();
        let index = item.varint("a type index")?;
        let (tag, inside) = self.item_tag(index, at)?;
        if tag != type_tag::TENSOR_VIEW {
            return fault(at, Code::MalformedType, format!("type {index} is no tensor_view"));
        }
        self.tensor(inside)
    }

    fn signature(&mut self, mut item: Cursor<'a>) -> Read<Signature> {
        let inputs = self.value_list(&mut item)?;
        let results = self.value_list(&mut item)?;
        Ok(Signature { inputs, results })
    }

    fn value_list(&mut self, item: &mut Cursor<'a>) -> Read<Vec<TileType>> {
        let count = item.count(1, "a number of types")?;
        let mut types = Vec::new();
        // One long type may be named once a byte, so a signature has a budget of its own.
        let mut budget = Budget::for_file(item.remaining());
        for _ in 0..count {
            let at = item.at();
            let index = item.varint("a type index")?;
            let (tag, _) = self.item_tag(index, at)?;
            if tag == type_tag::FUNCTION {
                return fault(at, Code::MalformedType, "a signature holds a function type");
            }
            types.push(self.value(index, at, &mut budget)?);
        }
        Ok(types)
    }
}

fn rank(item: &mut Cursor<'_>, size: usize) -> Read<usize> {
    let at = item.at();
    let rank = item.count(size, "a number of dimensions")?;
    if rank > MAX_RANK {
        let message = format!("a type has {rank} dimensions; this compiler accepts at most {MAX_RANK}");
        return fault(at, Code::RankMismatch, message);
    }
    Ok(rank)
}

fn positive(item: &mut Cursor<'_>, what: &str) -> Read<u64> {
    let at = item.at();
    let value = item.i64(what)?;
    u64::try_from(value).or_else(|_| {
        fault(
            at,
            Code::BadStride,
            format!("{what} is {value}, expected a positive number"),
        )
    })
}

fn open_list(item: &mut Cursor<'_>, what: &str) -> Read<Vec<Option<u64>>> {
    let rank = rank(item, 8)?;
    let mut list = Vec::with_capacity(rank);
    for _ in 0..rank {
        let at = item.at();
        let value = item.i64(what)?;
        list.push(match u64::try_from(value) {
            _ if value == DYNAMIC => None,
            Ok(value) => Some(value),
            Err(_) => {
                let message = format!("{what} is {value}, expected a positive number");
                return fault(at, Code::BadStride, message);
            }
        });
    }
    Ok(list)
}

fn small_list<T>(
    item: &mut Cursor<'_>,
    what: &str,
    convert: impl Fn(i32) -> Result<T, std::num::TryFromIntError>,
) -> Read<Vec<T>> {
    let rank = rank(item, 4)?;
    let mut list = Vec::with_capacity(rank);
    for _ in 0..rank {
        let at = item.at();
        let value = item.i32(what)?;
        match convert(value) {
            Ok(value) => list.push(value),
            Err(_) => {
                return fault(
                    at,
                    Code::BadStride,
                    format!("{what} is {value}, expected a positive number"),
                );
            }
        }
    }
    Ok(list)
}

fn extents(item: &mut Cursor<'_>) -> Read<Vec<u64>> {
    small_list(item, "an extent", u64::try_from)
}

fn dims(item: &mut Cursor<'_>) -> Read<Vec<u32>> {
    small_list(item, "a dimension", u32::try_from)
}

/// The number before an optional part, before 13.3: 0 or 1.
fn present(item: &mut Cursor<'_>) -> Read<bool> {
    let at = item.at();
    match item.varint("a padding flag")? {
        0 => Ok(false),
        1 => Ok(true),
        other => fault(
            at,
            Code::UnknownFlags,
            format!("a padding flag is {other}, expected 0 or 1"),
        ),
    }
}
