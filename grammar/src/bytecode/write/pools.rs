//! The tables of strings, types and constants: deduplicated, numbered in the order of first use.

use rustc_hash::FxHashMap;
use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::{
    AnyType, Element, PaddingValue, Pointer, PtrAttr, Signature, TensorView, Tile, TileType, Version,
};
use tilewright_irs::element::ScalarType;
use tilewright_irs::literal::Dense;

use super::super::arrangement::{Arrangement, Items};
use super::super::constants::constant_item;
use super::super::container::{DYNAMIC, scalar_tag, type_tag};
use super::super::sink::Sink;

/// The reason why something cannot be written.
pub(super) type Written<T> = Result<T, (Code, String)>;

/// Deduplicated items, by their bytes.
#[derive(Debug, Default)]
struct Pool {
    index: FxHashMap<Vec<u8>, u64>,
    items: Vec<Vec<u8>>,
    /// The padding after the count of an empty table.
    padding: usize,
}

impl Pool {
    fn index(&mut self, item: Vec<u8>) -> u64 {
        if let Some(&index) = self.index.get(&item) {
            return index;
        }
        let index = self.items.len() as u64;
        self.index.insert(item.clone(), index);
        self.items.push(item);
        index
    }

    /// Adopts the items of a file with their numbers.
    fn adopt(&mut self, items: &Items) {
        for item in items.iter() {
            let index = self.items.len() as u64;
            self.index.entry(item.to_vec()).or_insert(index);
            self.items.push(item.to_vec());
        }
        self.padding = items.padding;
    }

    /// Maps canonical encodings to the file's items with another encoding.
    fn adopt_others(&mut self, others: &[(Vec<u8>, u64)]) {
        for (bytes, index) in others {
            self.index.entry(bytes.clone()).or_insert(*index);
        }
    }

    fn table(&self, width: usize) -> Sink {
        let mut sink = Sink::default();
        sink.table(self.items.iter().map(Vec::as_slice), width);
        if self.items.is_empty() {
            sink.pad(self.padding);
        }
        sink
    }
}

/// The tables of the file.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) version: Version,
    /// Whether the arrangement of the original file is kept.
    pub(super) arranged: bool,
    /// Whether the header announces preview content.
    pub(super) preview: bool,
    strings: Pool,
    types: Pool,
    /// The numbers of value types, so that each is encoded once.
    values: FxHashMap<TileType, u64>,
    constants: Pool,
}

impl Pools {
    /// The initial tables of a file of this version: those of `arrangement`, if it has the same version.
    pub(super) fn new(version: Version, arrangement: Option<&Arrangement>) -> Written<Self> {
        let mut pools = Self {
            version,
            arranged: false,
            preview: false,
            strings: Pool::default(),
            types: Pool::default(),
            values: FxHashMap::default(),
            constants: Pool::default(),
        };
        if let Some(known) = arrangement.filter(|known| known.version == version) {
            pools.arranged = true;
            pools.preview = known.preview;
            pools.strings.adopt(&known.strings);
            pools.types.adopt(&known.types);
            pools.constants.adopt(&known.constants);
            pools.constants.adopt_others(&known.other_constants);
            return Ok(pools);
        }
        // By convention these two come first.
        pools.scalar(ScalarType::I1)?;
        pools.scalar(ScalarType::I32)?;
        Ok(pools)
    }

    pub(super) fn strings(&self) -> Sink {
        self.strings.table(4)
    }

    pub(super) fn types(&self) -> Sink {
        self.types.table(4)
    }

    pub(super) fn has_constants(&self) -> bool {
        !self.constants.items.is_empty()
    }

    pub(super) fn constants(&self) -> Sink {
        self.constants.table(8)
    }

    pub(super) fn string(&mut self, text: &str) -> u64 {
        self.strings.index(text.as_bytes().to_vec())
    }

    /// Reports a feature that the version does not have.
    pub(super) fn since(&self, what: impl FnOnce() -> String, since: Version) -> Written<()> {
        if since <= self.version {
            return Ok(());
        }
        let message = format!(
            "{} needs bytecode version {since}, but {} is written",
            what(),
            self.version
        );
        Err((Code::OpcodeTooNew, message))
    }

    /// Records the use of preview content.
    pub(super) fn is_preview(&mut self, what: impl FnOnce() -> String) -> Written<()> {
        self.since(what, Version::V13_5)?;
        self.preview = true;
        Ok(())
    }

    fn scalar(&mut self, scalar: ScalarType) -> Written<u64> {
        let (tag, since) = scalar_tag(scalar);
        self.since(|| format!("type `{scalar}`"), since)?;
        let mut sink = Sink::default();
        sink.varint(tag);
        Ok(self.types.index(sink.bytes))
    }

    pub(super) fn any_type(&mut self, ty: &AnyType) -> Written<u64> {
        match ty {
            AnyType::Scalar(scalar) => self.scalar(*scalar),
            AnyType::Ptr(pointer) => self.pointer(*pointer),
            AnyType::Value(ty) => self.value_type(ty),
            AnyType::Func(signature) => self.signature(signature),
            AnyType::Preview(ty) => self.preview_type(ty),
        }
    }

    pub(super) fn value_type(&mut self, ty: &TileType) -> Written<u64> {
        if let Some(&index) = self.values.get(ty) {
            return Ok(index);
        }
        let mut sink = Sink::default();
        let newer = self.version >= Version::V13_3;
        match ty {
            TileType::Tile(tile) => self.tile(&mut sink, tile)?,
            TileType::TensorView(tensor) => return self.tensor(tensor),
            TileType::PartitionView(view) => {
                sink.varint(type_tag::PARTITION_VIEW);
                if newer {
                    sink.varint(u64::from(view.padding.is_some()));
                }
                extents(&mut sink, &view.tile)?;
                sink.varint(self.tensor(&view.tensor)?);
                dims(&mut sink, &view.dim_map)?;
                if !newer {
                    sink.varint(u64::from(view.padding.is_some()));
                }
                padding(&mut sink, view.padding);
            }
            TileType::StridedView(view) => {
                self.since(|| "type `strided_view`".to_owned(), Version::V13_3)?;
                sink.varint(type_tag::STRIDED_VIEW);
                sink.varint(u64::from(view.padding.is_some()));
                extents(&mut sink, &view.tile)?;
                extents(&mut sink, &view.traversal_strides)?;
                sink.varint(self.tensor(&view.tensor)?);
                dims(&mut sink, &view.dim_map)?;
                padding(&mut sink, view.padding);
            }
            TileType::GatherScatterView(view) => {
                self.since(|| "type `gather_scatter_view`".to_owned(), Version::V13_3)?;
                sink.varint(type_tag::GATHER_SCATTER_VIEW);
                sink.varint(u64::from(view.padding.is_some()));
                extents(&mut sink, &view.tile)?;
                sink.varint(self.tensor(&view.tensor)?);
                sink.varint(view.sparse_dim.into());
                padding(&mut sink, view.padding);
            }
            TileType::Token => sink.varint(type_tag::TOKEN),
        }
        let index = self.types.index(sink.bytes);
        self.values.insert(ty.clone(), index);
        Ok(index)
    }

    fn tile(&mut self, sink: &mut Sink, tile: &Tile) -> Written<()> {
        let element = self.element(tile.element)?;
        sink.varint(type_tag::TILE);
        sink.varint(element);
        sink.len(tile.shape.len());
        for &extent in tile.shape.iter() {
            let extent = i64::try_from(extent).map_err(|_| too_large("extent", extent))?;
            sink.extend(&extent.to_le_bytes());
        }
        Ok(())
    }

    /// The flags that types have from 13.4 on, for an optional pointer attribute.
    fn attr_flag(&self, sink: &mut Sink, attr: Option<PtrAttr>) -> Written<()> {
        if let Some(attr) = attr {
            let case = PtrAttr::SPEC.by_code(attr.code().into());
            self.since(
                || format!("pointer attribute `{attr}`"),
                case.map_or(Version::V13_4, |case| case.since),
            )?;
        }
        if self.version >= Version::V13_4 {
            sink.varint(u64::from(attr.is_some()));
        }
        Ok(())
    }

    fn pointer(&mut self, pointer: Pointer) -> Written<u64> {
        let mut sink = Sink::default();
        sink.varint(type_tag::PTR);
        self.attr_flag(&mut sink, pointer.attr)?;
        sink.varint(self.scalar(pointer.pointee)?);
        if let Some(attr) = pointer.attr {
            sink.varint(attr.code().into());
        }
        Ok(self.types.index(sink.bytes))
    }

    fn tensor(&mut self, tensor: &TensorView) -> Written<u64> {
        let mut sink = Sink::default();
        sink.varint(type_tag::TENSOR_VIEW);
        self.attr_flag(&mut sink, tensor.attr)?;
        sink.varint(self.scalar(tensor.element)?);
        for (what, list) in [("extent", &tensor.shape), ("stride", &tensor.strides)] {
            sink.len(list.len());
            for &number in list {
                let number = match number {
                    None => DYNAMIC,
                    Some(number) => i64::try_from(number).map_err(|_| too_large(what, number))?,
                };
                sink.extend(&number.to_le_bytes());
            }
        }
        if let Some(attr) = tensor.attr {
            sink.varint(attr.code().into());
        }
        Ok(self.types.index(sink.bytes))
    }

    pub(super) fn signature(&mut self, signature: &Signature) -> Written<u64> {
        let mut sink = Sink::default();
        sink.varint(type_tag::FUNCTION);
        for list in [&signature.inputs, &signature.results] {
            sink.len(list.len());
            for ty in list {
                sink.varint(self.any_type(ty)?);
            }
        }
        Ok(self.types.index(sink.bytes))
    }

    /// The number of a type with this encoding.
    pub(super) fn type_item(&mut self, sink: Sink) -> u64 {
        self.types.index(sink.bytes)
    }

    /// The number of an element type.
    pub(super) fn element(&mut self, element: Element) -> Written<u64> {
        match element {
            Element::Scalar(scalar) => self.scalar(scalar),
            Element::Ptr(pointer) => self.pointer(pointer),
        }
    }

    /// The number of a constant.
    pub(super) fn dense(&mut self, dense: &Dense) -> u64 {
        self.constants.index(constant_item(dense))
    }
}

fn too_large(what: &str, number: impl std::fmt::Display) -> (Code, String) {
    (
        Code::BadStride,
        format!("{what} {number} is larger than bytecode can hold"),
    )
}

fn extents(sink: &mut Sink, list: &[u64]) -> Written<()> {
    sink.len(list.len());
    for &extent in list {
        let extent = i32::try_from(extent).map_err(|_| too_large("extent", extent))?;
        sink.extend(&extent.to_le_bytes());
    }
    Ok(())
}

fn dims(sink: &mut Sink, list: &[u32]) -> Written<()> {
    sink.len(list.len());
    for &dim in list {
        let dim = i32::try_from(dim).map_err(|_| too_large("dimension", dim))?;
        sink.extend(&dim.to_le_bytes());
    }
    Ok(())
}

fn padding(sink: &mut Sink, padding: Option<PaddingValue>) {
    if let Some(value) = padding {
        sink.varint(value.code().into());
    }
}
