//! Prints types.

use std::fmt;

use super::enums::PaddingValue;
use super::shape::Shape;
use super::types::{AnyType, Element, Pointer, TensorView, Tile, TileType};
use super::write::{write_list, write_number};

fn write_extent(out: &mut impl fmt::Write, extent: &Option<u64>) -> fmt::Result {
    match extent {
        Some(n) => write_number(out, *n),
        None => out.write_char('?'),
    }
}

impl Pointer {
    fn write_text(self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("ptr<")?;
        out.write_str(self.pointee.word())?;
        if let Some(attr) = self.attr {
            write!(out, ", <{attr}>")?;
        }
        out.write_char('>')
    }
}

impl Element {
    fn write_text(self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => out.write_str(scalar.word()),
            Self::Ptr(pointer) => pointer.write_text(out),
        }
    }
}

impl Tile {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("tile<")?;
        for &extent in self.shape.iter() {
            write_number(out, extent)?;
            out.write_char('x')?;
        }
        self.element.write_text(out)?;
        out.write_char('>')
    }
}

impl TensorView {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        out.write_str("tensor_view<")?;
        for extent in &self.shape {
            write_extent(out, extent)?;
            out.write_char('x')?;
        }
        out.write_str(self.element.word())?;
        if !self.strides.is_empty() {
            out.write_str(", strides=[")?;
            write_list(out, ",", &self.strides, write_extent)?;
            out.write_char(']')?;
        }
        if let Some(attr) = self.attr {
            write!(out, ", #cuda_tile.ptr_attr<{attr}>")?;
        }
        out.write_char('>')
    }
}

/// `<tile=(4x8), `
fn write_tile_shape(out: &mut impl fmt::Write, tile: &Shape) -> fmt::Result {
    out.write_str("<tile=(")?;
    for (i, &extent) in tile.iter().enumerate() {
        if i > 0 {
            out.write_char('x')?;
        }
        write_number(out, extent)?;
    }
    out.write_str("), ")
}

/// `, dim_map=[1, 0]`, unless it is the identity.
fn write_dim_map(out: &mut impl fmt::Write, dims: &[u32]) -> fmt::Result {
    if (0u32..).zip(dims).all(|(i, &dim)| i == dim) {
        return Ok(());
    }
    out.write_str(", dim_map=[")?;
    write_list(out, ", ", dims, |out, &dim| write_number(out, dim.into()))?;
    out.write_char(']')
}

/// `padding_value = zero, `, if present.
fn write_padding(out: &mut impl fmt::Write, padding: Option<PaddingValue>) -> fmt::Result {
    match padding {
        Some(value) => write!(out, "padding_value = {value}, "),
        None => Ok(()),
    }
}

impl TileType {
    /// Writes the type in `cuda_tile` text, without a dialect's prefix.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            Self::Tile(tile) => tile.write_text(out),
            Self::TensorView(tensor) => tensor.write_text(out),
            Self::PartitionView(view) => {
                out.write_str("partition_view")?;
                write_tile_shape(out, &view.tile)?;
                write_padding(out, view.padding)?;
                view.tensor.write_text(out)?;
                write_dim_map(out, &view.dim_map)?;
                out.write_char('>')
            }
            Self::StridedView(view) => {
                out.write_str("strided_view")?;
                write_tile_shape(out, &view.tile)?;
                out.write_str("traversal_strides=[")?;
                write_list(out, ",", &view.traversal_strides, |out, &stride| {
                    write_number(out, stride)
                })?;
                out.write_str("], ")?;
                write_padding(out, view.padding)?;
                view.tensor.write_text(out)?;
                write_dim_map(out, &view.dim_map)?;
                out.write_char('>')
            }
            Self::GatherScatterView(view) => {
                out.write_str("gather_scatter_view")?;
                write_tile_shape(out, &view.tile)?;
                write_padding(out, view.padding)?;
                view.tensor.write_text(out)?;
                out.write_str(", sparse_dim=")?;
                write_number(out, view.sparse_dim.into())?;
                out.write_char('>')
            }
            Self::Token => out.write_str("token"),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl fmt::Display for TensorView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl fmt::Display for TileType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl fmt::Display for AnyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Ptr(pointer) => pointer.fmt(f),
            Self::Value(ty) => ty.fmt(f),
            Self::Func(signature) => {
                f.write_str("(")?;
                write_list(f, ", ", &signature.inputs, |f, ty| ty.fmt(f))?;
                f.write_str(") -> ")?;
                match signature.results.as_slice() {
                    [one] if !matches!(one, Self::Func(_)) => one.fmt(f),
                    list => {
                        f.write_str("(")?;
                        write_list(f, ", ", list, |f, ty| ty.fmt(f))?;
                        f.write_str(")")
                    }
                }
            }
            Self::Preview(ty) => ty.write_text(f),
        }
    }
}
