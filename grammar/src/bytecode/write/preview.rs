//! Writes types and attributes that only preview content has.

use tilewright_irs::cuda_tile::preview::{
    ConstParam, Expr, Layout, ParamKind, PreviewAttr, PreviewType, Scratch, TileElement,
};

use super::super::container::{DYNAMIC, preview_attr_tag as attr_tag, preview_type_tag, type_tag};
use super::super::sink::Sink;
use super::pools::{Pools, Written};

impl Pools {
    pub(super) fn preview_type(&mut self, ty: &PreviewType) -> Written<u64> {
        self.is_preview(|| {
            let mut text = String::new();
            // Writing to a string does not fail.
            let _ = ty.write_text(&mut text);
            format!("type `{text}`")
        })?;
        let mut sink = Sink::default();
        match ty {
            PreviewType::Symbolic(name) => {
                sink.varint(preview_type_tag::SYMBOLIC);
                self.var(&mut sink, name);
            }
            PreviewType::Fragment(fragment) => {
                sink.varint(preview_type_tag::FRAGMENT);
                self.shape(&mut sink, &fragment.shape)?;
                sink.len(fragment.shape.len());
                cache(&mut sink, &fragment.shape);
                sink.varint(self.any_type(&fragment.element)?);
                sink.varint(fragment.space.code().into());
                for layout in [&fragment.mem_layout, &fragment.fragmap] {
                    sink.varint(attr_tag::LAYOUT);
                    self.layout(&mut sink, layout)?;
                }
                self.expr(&mut sink, &fragment.alignment)?;
            }
            PreviewType::Tile(tile) => {
                sink.varint(type_tag::TILE);
                let element = match &tile.element {
                    TileElement::Known(element) => self.element(*element)?,
                    TileElement::Symbol(name) => self.preview_type(&PreviewType::Symbolic(name.clone()))?,
                };
                sink.varint(element);
                sink.len(tile.shape.len());
                cache(&mut sink, &tile.shape);
                // Extents that are all numbers have been said.
                if tile.shape.iter().any(|extent| !matches!(extent, Expr::Int(_))) {
                    self.shape(&mut sink, &tile.shape)?;
                }
            }
            PreviewType::Param(kind) => sink.varint(kind.tag()),
            PreviewType::None => sink.varint(preview_type_tag::NONE),
        }
        Ok(self.type_item(sink))
    }

    pub(super) fn preview_attr(&mut self, sink: &mut Sink, attr: &PreviewAttr) -> Written<()> {
        self.is_preview(|| attr.describe().to_owned())?;
        match attr {
            PreviewAttr::Expr(expr) => self.expr(sink, expr)?,
            PreviewAttr::Layout(layout) => {
                sink.varint(attr_tag::LAYOUT);
                self.layout(sink, layout)?;
            }
            PreviewAttr::MemorySpace(space) => {
                sink.varint(attr_tag::MEMORY_SPACE);
                sink.varint(space.code().into());
            }
            PreviewAttr::Synchronization(level) => {
                sink.varint(attr_tag::SYNCHRONIZATION);
                sink.varint(level.code().into());
            }
            PreviewAttr::Access(access) => {
                sink.varint(attr_tag::ACCESS);
                sink.varint(access.code().into());
            }
            PreviewAttr::Scratch(scratch) => {
                sink.varint(attr_tag::SCRATCH);
                self.scratch(sink, scratch)?;
            }
            PreviewAttr::ConstParam(param) => self.const_param(sink, param)?,
        }
        Ok(())
    }

    /// Writes a request for scratch memory, without its tag.
    pub(super) fn scratch(&mut self, sink: &mut Sink, scratch: &Scratch) -> Written<()> {
        self.expr(sink, &scratch.size)?;
        self.expr(sink, &scratch.alignment)
    }

    /// Writes a constant parameter with its tag.
    pub(super) fn const_param(&mut self, sink: &mut Sink, param: &ConstParam) -> Written<()> {
        sink.varint(attr_tag::CONST_PARAM);
        sink.varint(self.string(&param.name));
        sink.varint(self.preview_type(&PreviewType::Param(param.kind))?);
        Ok(())
    }

    fn layout(&mut self, sink: &mut Sink, layout: &Layout) -> Written<()> {
        self.exprs(sink, &layout.shape)?;
        self.exprs(sink, &layout.stride)
    }

    fn shape(&mut self, sink: &mut Sink, shape: &[Expr]) -> Written<()> {
        sink.varint(attr_tag::TUPLE);
        self.exprs(sink, shape)
    }

    fn var(&mut self, sink: &mut Sink, name: &str) {
        sink.varint(attr_tag::VAR);
        sink.varint(self.string(name));
    }

    /// Writes a list of expressions, without a tag for the list.
    pub(super) fn exprs(&mut self, sink: &mut Sink, list: &[Expr]) -> Written<()> {
        sink.len(list.len());
        list.iter().try_for_each(|expr| self.expr(sink, expr))
    }

    fn expr(&mut self, sink: &mut Sink, expr: &Expr) -> Written<()> {
        match expr {
            Expr::Int(number) => {
                sink.varint(attr_tag::INT);
                sink.zigzag(*number);
            }
            Expr::Var(name) => self.var(sink, name),
            Expr::Builtin(name) => {
                sink.varint(attr_tag::BUILTIN);
                sink.varint(self.string(name));
                sink.varint(self.preview_type(&PreviewType::Param(ParamKind::Index))?);
            }
            Expr::Str(text) => {
                sink.varint(attr_tag::STR);
                sink.varint(self.string(text));
            }
            Expr::Type(ty) => {
                sink.varint(attr_tag::TYPE);
                sink.varint(self.any_type(ty)?);
            }
            Expr::Neg(inner) => {
                sink.varint(attr_tag::NEG);
                self.expr(sink, inner)?;
            }
            Expr::Binary(op, parts) => {
                sink.varint(op.tag());
                self.expr(sink, &parts.0)?;
                self.expr(sink, &parts.1)?;
            }
            Expr::Tuple(items) => self.shape(sink, items)?,
        }
        Ok(())
    }
}

/// Writes the extents as numbers; those that are not constant are dynamic.
fn cache(sink: &mut Sink, shape: &[Expr]) {
    for extent in shape {
        let number = if let Expr::Int(number) = extent {
            *number
        } else {
            DYNAMIC
        };
        sink.extend(&number.to_le_bytes());
    }
}
