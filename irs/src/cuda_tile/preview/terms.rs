//! Preview content as terms of the syntax that all internal languages share.

use super::PreviewAttr;
use super::expr::{BinaryOp, Expr};
use super::external::{ConstParam, Scratch};
use super::fragment::{Fragment, SymbolicTile, TileElement};
use super::layout::Layout;
use super::types::{ParamKind, PreviewType};
use crate::core::{Arg, Args, Term, TermCodec, TermError, TermKind};
use crate::cuda_tile::enums::{PreviewAccess, PreviewMemorySpace, PreviewSynchronization};
use crate::cuda_tile::types::{AnyType, Element};

impl TermCodec for Expr {
    fn write(&self) -> Term {
        match self {
            Self::Int(number) => Term::int(*number),
            Self::Var(name) => Term::call("var", vec![name.write().into()]),
            Self::Builtin(name) => Term::call("builtin", vec![name.write().into()]),
            Self::Str(text) => text.write(),
            Self::Type(ty) => Term::call("type", vec![ty.write().into()]),
            Self::Neg(inner) => Term::call("neg", vec![inner.write().into()]),
            Self::Binary(op, parts) => {
                Term::call(op.word(), vec![parts.0.write().into(), parts.1.write().into()])
            }
            Self::Tuple(items) => items.write(),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Int(_) => return term.to_int("a 64-bit integer").map(Self::Int),
            TermKind::Str(text) => return Ok(Self::Str(text.clone())),
            TermKind::List(_) => return Vec::read(term).map(Self::Tuple),
            _ => {}
        }
        let Some((word, args)) = term.as_call() else {
            return Err(term.wrong("an expression"));
        };
        let mut args = Args::new(term, args);
        let read = match word {
            "var" => Self::Var(String::read(args.next("a name")?)?),
            "builtin" => Self::Builtin(String::read(args.next("a name")?)?),
            "type" => Self::Type(Box::new(AnyType::read(args.next("a type")?)?)),
            "neg" => Self::Neg(Box::new(Self::read(args.next("an expression")?)?)),
            word => {
                let op = BinaryOp::from_word(word).ok_or_else(|| term.wrong("an expression"))?;
                let left = Self::read(args.next("an expression")?)?;
                Self::binary(op, left, Self::read(args.next("an expression")?)?)
            }
        };
        args.finish()?;
        Ok(read)
    }
}

impl TermCodec for Layout {
    fn write(&self) -> Term {
        Term::call(
            "layout",
            vec![self.shape.write().into(), self.stride.write().into()],
        )
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("layout", args)) = term.as_call() else {
            return Err(term.wrong("`layout<…>`"));
        };
        let mut args = Args::new(term, args);
        let shape = Vec::read(args.next("extents")?)?;
        let stride = Vec::read(args.next("strides")?)?;
        args.finish()?;
        Ok(Self { shape, stride })
    }
}

impl TermCodec for PreviewType {
    fn write(&self) -> Term {
        let inside = match self {
            Self::Symbolic(name) => return Term::call("preview.symbolic", vec![name.write().into()]),
            Self::Param(kind) => return Term::call("preview.param", vec![kind.write().into()]),
            Self::None => return Term::word("preview.none"),
            Self::Tile(tile) => {
                let element = match &tile.element {
                    TileElement::Known(element) => element.write(),
                    TileElement::Symbol(name) => name.write(),
                };
                return Term::call("preview.tile", vec![tile.shape.write().into(), element.into()]);
            }
            Self::Fragment(fragment) => fragment,
        };
        let args = vec![
            inside.shape.write().into(),
            inside.element.write().into(),
            Arg::named("space", inside.space.write()),
            Arg::named("mem_layout", inside.mem_layout.write()),
            Arg::named("fragmap", inside.fragmap.write()),
            Arg::named("alignment", inside.alignment.write()),
        ];
        Term::call("preview.fragment", args)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some((word, args)) = term.as_call() else {
            return Err(term.wrong("a type"));
        };
        let mut args = Args::new(term, args);
        let read = match word {
            "preview.symbolic" => Self::Symbolic(String::read(args.next("a name")?)?),
            "preview.param" => Self::Param(ParamKind::read(args.next("a kind of parameter")?)?),
            "preview.none" => Self::None,
            "preview.tile" => {
                let shape = Vec::read(args.next("extents")?)?;
                let element = args.next("an element type")?;
                let element = match &element.kind {
                    TermKind::Str(name) => TileElement::Symbol(name.clone()),
                    _ => TileElement::Known(Element::read(element)?),
                };
                Self::Tile(SymbolicTile { shape, element })
            }
            "preview.fragment" => Self::Fragment(Fragment {
                shape: Vec::read(args.next("extents")?)?,
                element: AnyType::read(args.next("an element type")?)?,
                space: PreviewMemorySpace::read(args.required("space")?)?,
                mem_layout: Layout::read(args.required("mem_layout")?)?,
                fragmap: Layout::read(args.required("fragmap")?)?,
                alignment: Expr::read(args.required("alignment")?)?,
            }),
            _ => return Err(term.wrong("a type")),
        };
        args.finish()?;
        Ok(read)
    }
}

impl TermCodec for PreviewAttr {
    fn write(&self) -> Term {
        match self {
            Self::Expr(expr) => Term::call("preview.expr", vec![expr.write().into()]),
            Self::Layout(layout) => Term::call("preview.layout", vec![layout.write().into()]),
            Self::MemorySpace(space) => Term::call("preview.memory_space", vec![space.write().into()]),
            Self::Synchronization(level) => Term::call("preview.synchronization", vec![level.write().into()]),
            Self::Access(access) => Term::call("preview.access", vec![access.write().into()]),
            Self::Scratch(scratch) => {
                let args = vec![scratch.size.write().into(), scratch.alignment.write().into()];
                Term::call("preview.scratch", args)
            }
            Self::ConstParam(param) => {
                let args = vec![param.name.write().into(), param.kind.write().into()];
                Term::call("preview.const_param", args)
            }
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some((word, args)) = term.as_call() else {
            return Err(term.wrong("an attribute"));
        };
        let mut args = Args::new(term, args);
        let first = args.next("a value")?;
        let read = match word {
            "preview.expr" => Self::Expr(Expr::read(first)?),
            "preview.layout" => Self::Layout(Layout::read(first)?),
            "preview.memory_space" => Self::MemorySpace(PreviewMemorySpace::read(first)?),
            "preview.synchronization" => Self::Synchronization(PreviewSynchronization::read(first)?),
            "preview.access" => Self::Access(PreviewAccess::read(first)?),
            "preview.scratch" => Self::Scratch(Scratch {
                size: Expr::read(first)?,
                alignment: Expr::read(args.next("an alignment")?)?,
            }),
            "preview.const_param" => Self::ConstParam(ConstParam {
                name: String::read(first)?,
                kind: ParamKind::read(args.next("a kind of parameter")?)?,
            }),
            _ => return Err(term.wrong("an attribute")),
        };
        args.finish()?;
        Ok(read)
    }
}

crate::attribute_field!(Vec<Expr>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::term_text;
    use crate::cuda_tile::attrs::Attr;
    use crate::element::ScalarType;

    #[test]
    fn what_is_written_reads_back() {
        let var = || Expr::Var("N".into());
        let sum = Expr::binary(BinaryOp::CeilDiv, var(), Expr::Neg(Box::new(Expr::Int(2))));
        let layout = Layout {
            shape: vec![Expr::Tuple(vec![sum.clone()])],
            stride: vec![Expr::Tuple(vec![Expr::Builtin("context.x".into())])],
        };
        let fragment = PreviewType::Fragment(Fragment {
            shape: vec![var(), Expr::Int(8)],
            element: PreviewType::Symbolic("D".into()).into(),
            space: PreviewMemorySpace::Smem,
            mem_layout: layout.clone(),
            fragmap: layout.clone(),
            alignment: Expr::Int(4),
        });
        let tile = PreviewType::Tile(SymbolicTile {
            shape: vec![var()],
            element: TileElement::Symbol("D".into()),
        });
        let types = [
            fragment,
            tile,
            PreviewType::Param(ParamKind::Shape),
            PreviewType::None,
        ];
        let attrs = types.map(|ty| Attr::Type(ty.into())).into_iter().chain(
            [
                PreviewAttr::Expr(sum.clone()),
                PreviewAttr::Expr(Expr::Type(Box::new(ScalarType::F32.into()))),
                PreviewAttr::Expr(Expr::Str("text".into())),
                PreviewAttr::Layout(layout),
                PreviewAttr::MemorySpace(PreviewMemorySpace::Local),
                PreviewAttr::Synchronization(PreviewSynchronization::Warpgroup),
                PreviewAttr::Access(PreviewAccess::InOut),
                PreviewAttr::Scratch(Scratch {
                    size: sum,
                    alignment: Expr::Int(16),
                }),
                PreviewAttr::ConstParam(ConstParam {
                    name: "N".into(),
                    kind: ParamKind::Datatype,
                }),
            ]
            .map(Attr::from),
        );
        for attr in attrs {
            let term = attr.write();
            assert_eq!(Attr::read(&term).as_ref(), Ok(&attr), "{}", term_text(&term));
        }
    }
}
