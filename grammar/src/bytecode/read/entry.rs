//! Decodes an entry of the type table.

use std::sync::Arc;

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::enums::EnumCase;
use tilewright_irs::cuda_tile::preview::{PreviewType, TileElement};
use tilewright_irs::cuda_tile::{
    AnyType, Element, GatherScatterView, MAX_RANK, PaddingValue, PartitionView, Pointer, PtrAttr, Signature,
    StridedView, TensorView, Tile, TileType, Version, check_type,
};
use tilewright_irs::element::ScalarType;

use super::super::container::{DYNAMIC, preview_type_tag, scalar_of_tag, type_tag};
use super::cursor::{Cursor, Read, fault};
use super::preview::element_of;
use super::tables::Budget;
use super::types::Types;

impl<'a> Types<'a> {
    fn since(&self, at: usize, what: &str, since: Version) -> Read<()> {
        if since > self.version {
            let version = self.version;
            let message = format!("type `{what}` needs bytecode version {since}, but the file has {version}");
            return fault(at, Code::MalformedType, message);
        }
        Ok(())
    }

    /// Decodes an entry.
    pub(super) fn decode(&mut self, mut item: Cursor<'a>) -> Read<AnyType> {
        let at = item.at();
        let tag = item.varint("a type's tag")?;
        if let Some((scalar, since)) = scalar_of_tag(tag) {
            self.since(at, scalar.word(), since)?;
            return Ok(AnyType::Scalar(scalar));
        }
        let ty = match tag {
            type_tag::PTR => return self.pointer(item).map(AnyType::Ptr),
            type_tag::FUNCTION => return self.signature(item).map(AnyType::Func),
            preview_type_tag::FIRST..=preview_type_tag::LAST => {
                self.needs_preview(at, format_args!("the type tag {tag}"))?;
                return self.preview_type(tag, at, item);
            }
            type_tag::TILE => {
                let element = self.element(&mut item)?;
                let rank = rank(&mut item, 8)?;
                let extents = item.remaining().checked_sub(rank.saturating_mul(8));
                let element = match element_of(element) {
                    Ok(element) if extents == Some(0) || self.version < Version::V13_5 => element,
                    other => {
                        self.needs_preview(at, format_args!("a tile with symbolic extents"))?;
                        let mut cache = Vec::with_capacity(rank);
                        for _ in 0..rank {
                            cache.push(item.i64("an extent")?);
                        }
                        let element = other.map_or_else(|symbol| symbol, TileElement::Known);
                        return self.symbolic_tile(at, &cache, element, &mut item);
                    }
                };
                let mut shape = Vec::with_capacity(rank);
                for _ in 0..rank {
                    shape.push(positive(&mut item, "an extent")?);
                }
                TileType::Tile(Tile::new(shape, element))
            }
            type_tag::TENSOR_VIEW => TileType::TensorView(Arc::new(self.tensor(item)?)),
            type_tag::PARTITION_VIEW => {
                let early = self.version < Version::V13_3;
                let padded = !early && self.flags(&mut item, 1)? == 1;
                let tile = extents(&mut item)?;
                let tensor = self.tensor_at(&mut item)?;
                let dim_map = dims(&mut item)?;
                let padded = padded || (early && present(&mut item)?);
                TileType::PartitionView(Arc::new(PartitionView {
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
                TileType::StridedView(Arc::new(StridedView {
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
                TileType::GatherScatterView(Arc::new(GatherScatterView {
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

    /// A number of flags of which only the lowest `bits` are defined.
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

    /// The flags of types from 13.4 on: whether a pointer attribute follows.
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

    fn element(&mut self, item: &mut Cursor<'a>) -> Read<TileElement> {
        let at = item.at();
        let mut ahead = *item;
        let index = ahead.varint("an element type")?;
        let (tag, _) = self.item_tag(index, at)?;
        if tag != type_tag::PTR && tag != preview_type_tag::SYMBOLIC {
            return self.scalar(item).map(Element::Scalar).map(TileElement::Known);
        }
        *item = ahead;
        match &self.known(index, at)?.ty {
            AnyType::Ptr(pointer) => Ok(TileElement::Known(Element::Ptr(*pointer))),
            AnyType::Preview(ty) => match ty.as_ref() {
                PreviewType::Symbolic(name) => Ok(TileElement::Symbol(name.clone())),
                PreviewType::Fragment(_)
                | PreviewType::Tile(_)
                | PreviewType::Param(_)
                | PreviewType::None => no_element(index, at),
            },
            AnyType::Scalar(_) | AnyType::Value(_) | AnyType::Func(_) => no_element(index, at),
        }
    }

    /// Requires that preview content, such as `what`, is enabled.
    fn needs_preview(&self, at: usize, what: std::fmt::Arguments<'_>) -> Read<()> {
        if self.preview {
            return Ok(());
        }
        let message = format!("{what} is preview content, which the file's header does not say that it has");
        fault(at, Code::MalformedType, message)
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

    /// A tensor view, by the index at the cursor.
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

    fn value_list(&mut self, item: &mut Cursor<'a>) -> Read<Vec<AnyType>> {
        let count = item.count(1, "a number of types")?;
        let mut types = Vec::new();
        // Each byte may refer to a long type, so a signature has a budget of its own.
        let mut budget = Budget::for_file(item.remaining());
        for _ in 0..count {
            let at = item.at();
            let index = item.varint("a type index")?;
            let (tag, _) = self.item_tag(index, at)?;
            if tag == type_tag::FUNCTION {
                return fault(at, Code::MalformedType, "a signature holds a function type");
            }
            types.push(self.any(index, at, &mut budget)?);
        }
        Ok(types)
    }
}

fn no_element<T>(index: u64, at: usize) -> Read<T> {
    fault(
        at,
        Code::MalformedType,
        format!("type {index} is no element type"),
    )
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

/// The presence number of an optional part, before 13.3: 0 or 1.
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
