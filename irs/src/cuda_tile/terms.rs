//! Types and attribute values as terms of the internal languages' syntax.

use std::sync::Arc;

use super::attrs::{Attr, Dict, Hints, Predicate, Symbol};
use super::enums::{MultimemReduction, PaddingValue, PtrAttr};
use super::hints::Hint;
use super::preview::{PreviewAttr, PreviewType};
use super::types::{
    AnyType, Element, GatherScatterView, PartitionView, Pointer, Signature, StridedView, TensorView, Tile,
    TileType,
};
use crate::core::{Arg, Args, Family, Key, NamedTerm, Term, TermCodec, TermError, TermKind};
use crate::element::ScalarType;
use crate::literal::{Dense, Literal};

impl TermCodec for Pointer {
    fn write(&self) -> Term {
        let mut args = vec![self.pointee.write().into()];
        args.extend(self.attr.map(|attr| Arg::from(attr.write())));
        Term::call("ptr", args)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("ptr", args)) = term.as_call() else {
            return Err(term.wrong("`ptr<element>`"));
        };
        let mut args = Args::new(term, args);
        let pointee = ScalarType::read(args.next("an element type")?)?;
        let attr = args.next_if_any().map(PtrAttr::read).transpose()?;
        args.finish()?;
        Ok(Self { pointee, attr })
    }
}

impl TermCodec for Element {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(scalar) => scalar.write(),
            Self::Ptr(pointer) => pointer.write(),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("ptr", _)) => Pointer::read(term).map(Self::Ptr),
            _ => ScalarType::read(term)
                .map(Self::Scalar)
                .map_err(|error| error.or(term.wrong("an element type"))),
        }
    }
}

fn dims(extents: impl IntoIterator<Item = Option<u64>>, element: Term) -> Term {
    let extents: Vec<_> = extents.into_iter().collect();
    if extents.is_empty() {
        return element;
    }
    TermKind::Dims(extents, Box::new(element)).into()
}

fn undims(term: &Term) -> (&[Option<u64>], &Term) {
    match &term.kind {
        TermKind::Dims(extents, element) => (extents, element),
        _ => (&[], term),
    }
}

impl TermCodec for Tile {
    fn write(&self) -> Term {
        let inside = dims(self.shape.iter().map(|&n| Some(n)), self.element.write());
        Term::call("tile", vec![inside.into()])
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tile", args)) = term.as_call() else {
            return Err(term.wrong("`tile<…>`"));
        };
        let mut args = Args::new(term, args);
        let inside = args.next("extents and an element type")?;
        args.finish()?;
        let (extents, element) = undims(inside);
        let extents: Option<Vec<u64>> = extents.iter().copied().collect();
        let extents = extents.ok_or_else(|| inside.wrong("extents that are numbers"))?;
        Ok(Self::new(extents, Element::read(element)?))
    }
}

fn unknowns(list: &[Option<u64>]) -> Term {
    Term::list(
        list.iter()
            .map(|n| n.map_or_else(|| TermKind::Unknown.into(), Term::int)),
    )
}

fn read_unknowns(term: &Term) -> Result<Vec<Option<u64>>, TermError> {
    let items = term.items("a list of numbers and `?`")?.iter();
    items
        .map(|item| match item.kind {
            TermKind::Unknown => Ok(None),
            _ => item.to_int("a number or `?`").map(Some),
        })
        .collect()
}

impl TermCodec for TensorView {
    fn write(&self) -> Term {
        let mut args = vec![dims(self.shape.iter().copied(), self.element.write()).into()];
        if !self.strides.is_empty() {
            args.push(Arg::named("strides", unknowns(&self.strides)));
        }
        if let Some(attr) = self.attr {
            args.push(Arg::named("ptr_attr", attr.write()));
        }
        Term::call("tensor_view", args)
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tensor_view", args)) = term.as_call() else {
            return Err(term.wrong("`tensor_view<…>`"));
        };
        let mut args = Args::new(term, args);
        let (shape, element) = undims(args.next("extents and an element type")?);
        let strides = args.named("strides").map(read_unknowns).transpose()?;
        let attr = args.named("ptr_attr").map(PtrAttr::read).transpose()?;
        args.finish()?;
        Ok(Self {
            element: ScalarType::read(element)?,
            shape: shape.to_vec(),
            strides: strides.unwrap_or_default(),
            attr,
        })
    }
}

/// The common arguments of views of tiles.
struct ViewArgs<'a> {
    args: Args<'a>,
    tile: Vec<u64>,
    padding: Option<PaddingValue>,
    tensor: TensorView,
}

fn write_view(
    word: &str,
    tile: &[u64],
    padding: Option<PaddingValue>,
    tensor: &TensorView,
    more: Vec<Arg>,
) -> Term {
    let mut args = vec![Arg::from(tensor.write()), Arg::named("tile", Term::ints(tile))];
    args.extend(padding.map(|value| Arg::named("padding_value", value.write())));
    args.extend(more);
    Term::call(word, args)
}

fn read_view<'a>(term: &'a Term, args: &'a [Arg]) -> Result<ViewArgs<'a>, TermError> {
    let mut args = Args::new(term, args);
    Ok(ViewArgs {
        tensor: TensorView::read(args.next("a tensor view")?)?,
        tile: args.required("tile")?.to_ints("a list of extents")?,
        padding: args.named("padding_value").map(PaddingValue::read).transpose()?,
        args,
    })
}

impl TermCodec for TileType {
    fn write(&self) -> Term {
        match self {
            Self::Tile(tile) => tile.write(),
            Self::TensorView(tensor) => tensor.write(),
            Self::PartitionView(v) => {
                let more = vec![Arg::named("dim_map", Term::ints(&v.dim_map))];
                write_view("partition_view", &v.tile, v.padding, &v.tensor, more)
            }
            Self::StridedView(v) => {
                let more = vec![
                    Arg::named("traversal_strides", Term::ints(&v.traversal_strides)),
                    Arg::named("dim_map", Term::ints(&v.dim_map)),
                ];
                write_view("strided_view", &v.tile, v.padding, &v.tensor, more)
            }
            Self::GatherScatterView(v) => {
                let more = vec![Arg::named("sparse_dim", Term::int(v.sparse_dim))];
                write_view("gather_scatter_view", &v.tile, v.padding, &v.tensor, more)
            }
            Self::Token => Term::word("token"),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("tile", _)) => Tile::read(term).map(Self::Tile),
            Some(("tensor_view", _)) => TensorView::read(term).map(|t| Self::TensorView(Arc::new(t))),
            Some(("partition_view", args)) => {
                let mut view = read_view(term, args)?;
                let dim_map = view.args.required("dim_map")?.to_ints("a list of dimensions")?;
                view.args.finish()?;
                Ok(Self::PartitionView(Arc::new(PartitionView {
                    tile: view.tile.into(),
                    tensor: view.tensor,
                    dim_map,
                    padding: view.padding,
                })))
            }
            Some(("strided_view", args)) => {
                let mut view = read_view(term, args)?;
                let strides = view.args.required("traversal_strides")?;
                let traversal_strides = strides.to_ints("a list of strides")?;
                let dim_map = view.args.required("dim_map")?.to_ints("a list of dimensions")?;
                view.args.finish()?;
                Ok(Self::StridedView(Arc::new(StridedView {
                    tile: view.tile.into(),
                    traversal_strides,
                    tensor: view.tensor,
                    dim_map,
                    padding: view.padding,
                })))
            }
            Some(("gather_scatter_view", args)) => {
                let mut view = read_view(term, args)?;
                let sparse_dim = view.args.required("sparse_dim")?.to_int("a dimension")?;
                view.args.finish()?;
                Ok(Self::GatherScatterView(Arc::new(GatherScatterView {
                    tile: view.tile.into(),
                    tensor: view.tensor,
                    sparse_dim,
                    padding: view.padding,
                })))
            }
            Some(("token", [])) => Ok(Self::Token),
            _ => Err(term.wrong("a type")),
        }
    }
}

impl TermCodec for AnyType {
    fn write(&self) -> Term {
        match self {
            Self::Scalar(scalar) => scalar.write(),
            Self::Ptr(pointer) => pointer.write(),
            Self::Value(ty) => ty.write(),
            Self::Func(signature) => Term::call(
                "func",
                vec![signature.inputs.write().into(), signature.results.write().into()],
            ),
            Self::Preview(ty) => ty.write(),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match term.as_call() {
            Some(("func", args)) => {
                let mut args = Args::new(term, args);
                let inputs = TermCodec::read(args.next("a list of types")?)?;
                let results = TermCodec::read(args.next("a list of types")?)?;
                args.finish()?;
                Ok(Self::Func(Signature { inputs, results }))
            }
            Some(("ptr", _)) => Pointer::read(term).map(Self::Ptr),
            Some((word, _)) if word.starts_with("preview.") => PreviewType::read(term).map(Self::from),
            Some((word, [])) if ScalarType::from_word(word).is_some() => {
                ScalarType::read(term).map(Self::Scalar)
            }
            _ => TileType::read(term).map(Self::Value),
        }
    }
}

impl TermCodec for Symbol {
    fn write(&self) -> Term {
        TermKind::Symbol(self.0.clone()).into()
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Symbol(name) => Ok(Self(name.clone())),
            _ => Err(term.wrong("`@name`")),
        }
    }
}

impl TermCodec for Predicate {
    const FAMILY: Family = Family::Assumption;
    fn write(&self) -> Term {
        let bound = |b: &Option<i64>| Arg::from(b.map_or_else(|| TermKind::Unknown.into(), Term::int));
        match self {
            Self::DivBy {
                divisor,
                every,
                along,
            } => {
                let mut args = vec![Arg::from(Term::int(*divisor))];
                args.extend(every.map(|n| Arg::named("every", Term::int(n))));
                args.extend(along.map(|n| Arg::named("along", Term::int(n))));
                Term::call("div_by", args)
            }
            Self::SameElements(groups) => Term::call("same_elements", vec![Term::ints(groups).into()]),
            Self::Bounded { lower, upper } => Term::call("bounded", vec![bound(lower), bound(upper)]),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        let expected = "`div_by<…>`, `same_elements<…>` or `bounded<…>`";
        let Some((word, args)) = term.as_call() else {
            return Err(term.wrong(expected));
        };
        let mut args = Args::new(term, args);
        let bound = |term: &Term| match term.kind {
            TermKind::Unknown => Ok(None),
            _ => term.to_int("a number or `?`").map(Some),
        };
        let read = match word {
            "div_by" => Self::DivBy {
                divisor: args.next("a divisor")?.to_int("a divisor")?,
                every: args.named("every").map(TermCodec::read).transpose()?,
                along: args.named("along").map(TermCodec::read).transpose()?,
            },
            "same_elements" => Self::SameElements(args.next("a list")?.to_ints("a list of numbers")?),
            "bounded" => Self::Bounded {
                lower: bound(args.next("a lower bound")?)?,
                upper: bound(args.next("an upper bound")?)?,
            },
            _ => return Err(term.wrong(expected)),
        };
        args.finish()?;
        Ok(read)
    }
}

impl TermCodec for Attr {
    fn write(&self) -> Term {
        match self {
            Self::Number(number) => number.write(),
            Self::Bool(value) => value.write(),
            Self::Type(ty) => Term::call("type", vec![ty.write().into()]),
            Self::String(text) => text.write(),
            Self::Array(items) => items.write(),
            Self::Dense(tile, dense) => Term::call("dense", vec![tile.write().into(), dense.write().into()]),
            Self::Predicate(predicate) => predicate.write(),
            Self::Dict(dict) => dict.write(),
            Self::Hints(hints) => Term::call("hints", vec![hints.write().into()]),
            Self::Reduction(kind) => Term::call("reduction", vec![kind.write().into()]),
            Self::Preview(attr) => attr.write(),
        }
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        match &term.kind {
            TermKind::Str(text) => return Ok(Self::String(text.clone())),
            TermKind::List(_) => return Vec::read(term).map(Self::Array),
            TermKind::Dict(_) => return Dict::read(term).map(Self::Dict),
            _ => {}
        }
        let Some((word, args)) = term.as_call() else {
            return Err(term.wrong("an attribute"));
        };
        let mut args = Args::new(term, args);
        let read = match word {
            "true" | "false" => return bool::read(term).map(Self::Bool),
            "div_by" | "same_elements" | "bounded" => return Predicate::read(term).map(Self::Predicate),
            "type" => Self::Type(AnyType::read(args.next("a type")?)?),
            "dense" => Self::Dense(
                Tile::read(args.next("a tile type")?)?,
                Dense::read(args.next("elements")?)?,
            ),
            "hints" => Self::Hints(Hints::read(args.next("hints")?)?),
            "reduction" => Self::Reduction(MultimemReduction::read(args.next("a reduction")?)?),
            word if word.starts_with("preview.") => return PreviewAttr::read(term).map(Self::from),
            _ => return Literal::read(term).map(Self::Number),
        };
        args.finish()?;
        Ok(read)
    }
}

fn read_dict<T: TermCodec>(term: &Term) -> Result<Vec<(String, T)>, TermError> {
    let TermKind::Dict(items) = &term.kind else {
        return Err(term.wrong("a dictionary"));
    };
    let read = |item: &NamedTerm| match &item.value {
        Some(value) => Ok((item.name.text.clone(), T::read(value)?)),
        None => Err(term.wrong("a dictionary with a value for each name")),
    };
    items.iter().map(read).collect()
}

impl TermCodec for Dict {
    fn write(&self) -> Term {
        let items = self
            .0
            .iter()
            .map(|(key, value)| NamedTerm::new(key, value.write()));
        TermKind::Dict(items.collect()).into()
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        read_dict(term).map(Self)
    }
}

impl TermCodec for Hints {
    const KEYS: &'static [Key] = Hint::KEYS;
    fn write(&self) -> Term {
        let items = self
            .0
            .iter()
            .map(|(key, value)| NamedTerm::new(key, value.write()));
        TermKind::Dict(items.collect()).into()
    }
    fn read(term: &Term) -> Result<Self, TermError> {
        read_dict(term).map(Self)
    }
}

crate::attribute_field!(Symbol, Predicate, Hints, Vec<i32>, Vec<Attr>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::term_text;

    fn tensor() -> TensorView {
        TensorView {
            element: ScalarType::F32,
            shape: vec![None, Some(16)],
            strides: vec![None, Some(1)],
            attr: None,
        }
    }

    #[test]
    fn types_read_back() {
        let partition = PartitionView {
            tile: [4, 8].into(),
            tensor: tensor(),
            dim_map: vec![1, 0],
            padding: Some(PaddingValue::NegInf),
        };
        let strided = StridedView {
            tile: [4, 8].into(),
            traversal_strides: vec![2, 8],
            tensor: TensorView {
                attr: Some(PtrAttr::Multicast),
                ..tensor()
            },
            dim_map: vec![0, 1],
            padding: None,
        };
        let gather = GatherScatterView {
            tile: [4, 8].into(),
            tensor: tensor(),
            sparse_dim: 1,
            padding: None,
        };
        let pointer = Pointer {
            pointee: ScalarType::F16,
            attr: Some(PtrAttr::Unicast),
        };
        let cases = [
            (TileType::tile([4, 8], ScalarType::F32), "tile<4x8xf32>"),
            (
                TileType::scalar(Element::Ptr(pointer)),
                "tile<ptr<f16, <unicast>>>",
            ),
            (
                TileType::TensorView(Arc::new(tensor())),
                "tensor_view<?x16xf32, strides=[?,1]>",
            ),
            (
                TileType::PartitionView(Arc::new(partition)),
                "partition_view<tile=(4x8), padding_value = neg_inf, \
                 tensor_view<?x16xf32, strides=[?,1]>, dim_map=[1, 0]>",
            ),
            (
                TileType::StridedView(Arc::new(strided)),
                "strided_view<tile=(4x8), traversal_strides=[2,8], \
                 tensor_view<?x16xf32, strides=[?,1], #cuda_tile.ptr_attr<multicast>>>",
            ),
            (
                TileType::GatherScatterView(Arc::new(gather)),
                "gather_scatter_view<tile=(4x8), tensor_view<?x16xf32, strides=[?,1]>, sparse_dim=1>",
            ),
            (TileType::Token, "token"),
        ];
        for (ty, text) in cases {
            assert_eq!(ty.to_string(), text);
            let term = ty.write();
            assert_eq!(TileType::read(&term).as_ref(), Ok(&ty), "{}", term_text(&term));
        }
    }

    #[test]
    fn attributes_read_back() {
        let hint = Dict(vec![("latency".into(), Attr::Number(Literal::i32(3)))]);
        let attrs = [
            Attr::Bool(true),
            Attr::String("x".into()),
            Attr::Number(Literal::new(ScalarType::F32, 0x3FC0_0000)),
            Attr::Type(AnyType::Func(Signature {
                inputs: vec![TileType::scalar(ScalarType::I32).into()],
                results: Vec::new(),
            })),
            Attr::Dense(
                Tile::new([2], ScalarType::I8),
                Dense::Elements(ScalarType::I8, vec![1, 2]),
            ),
            Attr::Predicate(Predicate::DivBy {
                divisor: 16,
                every: Some(4),
                along: Some(0),
            }),
            Attr::Predicate(Predicate::Bounded {
                lower: Some(-3),
                upper: None,
            }),
            Attr::Predicate(Predicate::SameElements(vec![1, 4])),
            Attr::Hints(Hints(vec![("sm_90".into(), hint.clone())])),
            Attr::Array(vec![Attr::Dict(hint), Attr::Reduction(MultimemReduction::UMax)]),
        ];
        for attr in attrs {
            let term = attr.write();
            assert_eq!(Attr::read(&term).as_ref(), Ok(&attr), "{}", term_text(&term));
        }
    }
}
