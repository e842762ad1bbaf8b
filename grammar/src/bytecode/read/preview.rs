//! Reads types and attributes that only preview content has.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::cuda_tile::enums::EnumCase;
use tilewright_irs::cuda_tile::preview::{
    BinaryOp, ConstParam, Expr, Fragment, Layout, MAX_EXPR_DEPTH, ParamKind, PreviewAttr, PreviewType,
    Scratch, SymbolicTile, TileElement,
};
use tilewright_irs::cuda_tile::{
    AnyType, Element, PreviewAccess, PreviewMemorySpace, PreviewSynchronization, Tile,
};

use super::super::container::{DYNAMIC, preview_attr_tag as attr_tag, preview_type_tag as type_tag};
use super::cursor::{Cursor, Read, fault};
use super::types::Types;

/// The cases of an enumeration, and the function from a number to its case.
type Cases<T> = (&'static [EnumCase], fn(u8) -> Option<T>);

impl<'a> Types<'a> {
    /// Reads an entry of the type table with a tag of preview content. The cursor is after the tag, which is at offset
    /// `at`.
    pub(super) fn preview_type(&mut self, tag: u64, at: usize, mut item: Cursor<'a>) -> Read<AnyType> {
        let ty = match tag {
            type_tag::SYMBOLIC => PreviewType::Symbolic(self.symbolic(&mut item)?),
            type_tag::FRAGMENT => PreviewType::Fragment(self.fragment(&mut item)?),
            type_tag::NONE => PreviewType::None,
            tag => match kind_of(tag) {
                Some(kind) => PreviewType::Param(kind),
                None => {
                    return fault(
                        at,
                        Code::MalformedType,
                        format!("there is no type with the tag {tag}"),
                    );
                }
            },
        };
        match ty.check() {
            Ok(()) => Ok(ty.into()),
            Err((code, message)) => fault(at, code, message),
        }
    }

    /// Reads a symbolic type: the name of the constant parameter that it stands for.
    pub(super) fn symbolic(&mut self, item: &mut Cursor<'a>) -> Read<String> {
        let at = item.at();
        match self.expr(item, 0)? {
            Expr::Var(name) => Ok(name),
            _ => fault(at, Code::MalformedType, "a symbolic type is no symbolic variable"),
        }
    }

    /// Reads the symbolic extents of a tile; its rank, its numeric extents (`cache`) and its element type have been
    /// read.
    pub(super) fn symbolic_tile(
        &mut self,
        at: usize,
        cache: &[i64],
        element: TileElement,
        item: &mut Cursor<'a>,
    ) -> Read<AnyType> {
        let shape = if item.is_empty() {
            cache.iter().copied().map(Expr::Int).collect()
        } else {
            let shape = self.shape(item)?;
            check_cache(at, &shape, cache)?;
            shape
        };
        if !item.is_empty() {
            return fault(
                item.at(),
                Code::MalformedType,
                "bytes follow the symbolic extents of a tile",
            );
        }
        // One of which all is known is an ordinary one.
        if let TileElement::Known(element) = &element
            && let Some(shape) = known_extents(&shape)
        {
            return Ok(AnyType::Value(Tile::new(shape, *element).into()));
        }
        let tile = PreviewType::Tile(SymbolicTile { shape, element });
        match tile.check() {
            Ok(()) => Ok(tile.into()),
            Err((code, message)) => fault(at, code, message),
        }
    }

    fn shape(&mut self, item: &mut Cursor<'a>) -> Read<Vec<Expr>> {
        let at = item.at();
        match self.expr(item, 0)? {
            Expr::Tuple(items) => Ok(items),
            _ => fault(at, Code::MalformedType, "the extents of a type are no tuple"),
        }
    }

    fn fragment(&mut self, item: &mut Cursor<'a>) -> Read<Fragment> {
        let at = item.at();
        let shape = self.shape(item)?;
        let mut cache = Vec::new();
        for _ in 0..item.count(8, "a number of dimensions")? {
            cache.push(item.i64("an extent")?);
        }
        check_cache(at, &shape, &cache)?;
        let element_at = item.at();
        let element = item.varint("a type index")?;
        let (element, cost) = {
            let known = self.known(element, element_at)?;
            (known.ty.clone(), known.cost)
        };
        self.budget.spend(cost, element_at)?;
        Ok(Fragment {
            shape,
            element,
            space: case(
                item,
                (PreviewMemorySpace::SPEC.cases, PreviewMemorySpace::from_code),
                "the memory space",
            )?,
            mem_layout: self.layout_attr(item)?,
            fragmap: self.layout_attr(item)?,
            alignment: self.expr(item, 0)?,
        })
    }

    /// Reads a layout with its tag.
    fn layout_attr(&mut self, item: &mut Cursor<'a>) -> Read<Layout> {
        let at = item.at();
        match item.varint("an attribute's tag")? {
            attr_tag::LAYOUT => self.layout(item, 0),
            tag => fault(
                at,
                Code::AttributeKind,
                format!(
                    "a layout of a fragment has the tag {tag}, expected {}",
                    attr_tag::LAYOUT
                ),
            ),
        }
    }

    fn layout(&mut self, item: &mut Cursor<'a>, depth: usize) -> Read<Layout> {
        let at = item.at();
        let layout = Layout {
            shape: self.exprs(item, depth)?,
            stride: self.exprs(item, depth)?,
        };
        match layout.check() {
            Ok(()) => Ok(layout),
            Err((code, message)) => fault(at, code, message),
        }
    }

    /// Reads an attribute of preview content; its tag, at offset `at`, has been read.
    pub(super) fn preview_attr(&mut self, tag: u64, at: usize, item: &mut Cursor<'a>) -> Read<PreviewAttr> {
        Ok(match tag {
            attr_tag::LAYOUT => PreviewAttr::Layout(self.layout(item, 0)?),
            attr_tag::MEMORY_SPACE => PreviewAttr::MemorySpace(case(
                item,
                (PreviewMemorySpace::SPEC.cases, PreviewMemorySpace::from_code),
                "a memory space",
            )?),
            attr_tag::SYNCHRONIZATION => PreviewAttr::Synchronization(case(
                item,
                (
                    PreviewSynchronization::SPEC.cases,
                    PreviewSynchronization::from_code,
                ),
                "a synchronization",
            )?),
            attr_tag::ACCESS => PreviewAttr::Access(case(
                item,
                (PreviewAccess::SPEC.cases, PreviewAccess::from_code),
                "an access",
            )?),
            attr_tag::SCRATCH => PreviewAttr::Scratch(self.scratch(item)?),
            attr_tag::CONST_PARAM => PreviewAttr::ConstParam(self.const_param(item)?),
            _ => PreviewAttr::Expr(self.tagged_expr(tag, at, item, 0)?),
        })
    }

    /// Reads a request for scratch memory; its tag has been read.
    pub(super) fn scratch(&mut self, item: &mut Cursor<'a>) -> Read<Scratch> {
        let at = item.at();
        let scratch = Scratch {
            size: self.expr(item, 0)?,
            alignment: self.expr(item, 0)?,
        };
        match scratch.check() {
            Ok(()) => Ok(scratch),
            Err((code, message)) => fault(at, code, message),
        }
    }

    fn const_param(&mut self, item: &mut Cursor<'a>) -> Read<ConstParam> {
        let at = item.at();
        let name = self.text(item)?;
        if name.is_empty() {
            return fault(at, Code::AttributeValue, "a constant parameter has no name");
        }
        let at = item.at();
        let index = item.varint("a type index")?;
        match self.item_tag(index, at)? {
            (tag, _) if let Some(kind) = kind_of(tag) => {
                // The header is asked for it.
                self.known(index, at)?;
                Ok(ConstParam { name, kind })
            }
            _ => fault(
                at,
                Code::AttributeKind,
                format!(
                    "the constant parameter `{name}` has type {index}, expected one of index, preview$shape, \
                     preview$Datatype and preview$string"
                ),
            ),
        }
    }

    fn text(&mut self, item: &mut Cursor<'a>) -> Read<String> {
        let at = item.at();
        let index = item.varint("a string index")?;
        let text = self.strings.get(index, at)?;
        self.budget.spend(text.len(), at)?;
        Ok(text.to_owned())
    }

    fn exprs(&mut self, item: &mut Cursor<'a>, depth: usize) -> Read<Vec<Expr>> {
        let mut list = Vec::new();
        for _ in 0..item.count(1, "a number of expressions")? {
            list.push(self.expr(item, depth)?);
        }
        Ok(list)
    }

    /// Reads an expression with its tag.
    pub(super) fn expr(&mut self, item: &mut Cursor<'a>, depth: usize) -> Read<Expr> {
        let at = item.at();
        let tag = item.varint("an attribute's tag")?;
        self.tagged_expr(tag, at, item, depth)
    }

    fn tagged_expr(&mut self, tag: u64, at: usize, item: &mut Cursor<'a>, depth: usize) -> Read<Expr> {
        if depth > MAX_EXPR_DEPTH {
            let message = format!("an expression is nested deeper than {MAX_EXPR_DEPTH}");
            return fault(at, Code::NestingTooDeep, message);
        }
        self.budget.spend(size_of::<Expr>(), at)?;
        let deeper = depth + 1;
        let expr = match tag {
            attr_tag::INT => Expr::Int(item.zigzag("an integer")?),
            attr_tag::VAR => Expr::Var(self.text(item)?),
            attr_tag::STR => Expr::Str(self.text(item)?),
            attr_tag::NEG => Expr::Neg(Box::new(self.expr(item, deeper)?)),
            attr_tag::TUPLE => Expr::Tuple(self.exprs(item, deeper)?),
            attr_tag::TYPE => {
                let at = item.at();
                let index = item.varint("a type index")?;
                let (ty, cost) = {
                    let known = self.known(index, at)?;
                    (known.ty.clone(), known.cost)
                };
                self.budget.spend(cost.saturating_add(size_of::<AnyType>()), at)?;
                Expr::Type(Box::new(ty))
            }
            attr_tag::BUILTIN => {
                let name = self.text(item)?;
                let at = item.at();
                let index = item.varint("a type index")?;
                let (tag, _) = self.item_tag(index, at)?;
                if tag != ParamKind::Index.tag() {
                    let message = format!("the builtin value `{name}` has type {index}, expected index");
                    return fault(at, Code::AttributeKind, message);
                }
                self.known(index, at)?;
                Expr::Builtin(name)
            }
            tag => match BinaryOp::ALL.iter().find(|op| op.tag() == tag) {
                Some(&op) => {
                    let left = self.expr(item, deeper)?;
                    Expr::binary(op, left, self.expr(item, deeper)?)
                }
                None => {
                    let message = format!("there is no symbolic expression with the tag {tag}");
                    return fault(at, Code::BadAttributeTag, message);
                }
            },
        };
        match expr.check() {
            Ok(()) => Ok(expr),
            Err((code, message)) => fault(at, code, message),
        }
    }
}

/// The element type of a tile of external functions; the constant parameter that stands for it is the error.
pub(super) fn element_of(element: TileElement) -> Result<Element, TileElement> {
    match element {
        TileElement::Known(element) => Ok(element),
        symbol @ TileElement::Symbol(_) => Err(symbol),
    }
}

fn kind_of(tag: u64) -> Option<ParamKind> {
    ParamKind::ALL.iter().copied().find(|kind| kind.tag() == tag)
}

/// The extents as numbers, if all are positive constants.
fn known_extents(shape: &[Expr]) -> Option<Vec<u64>> {
    let extent = |expr: &Expr| match expr {
        Expr::Int(number @ 1..) => u64::try_from(*number).ok(),
        _ => None,
    };
    shape.iter().map(extent).collect()
}

/// Checks the two encodings of a type's extents, as expressions and as numbers: constant expressions must equal their
/// numbers, and the numbers of the others must be dynamic.
fn check_cache(at: usize, shape: &[Expr], cache: &[i64]) -> Read<()> {
    if shape.len() != cache.len() {
        let message = format!(
            "a type has {} and {}, expected as many",
            counted(cache.len(), "extent"),
            counted(shape.len(), "symbolic extent")
        );
        return fault(at, Code::RankMismatch, message);
    }
    for (i, (extent, &cached)) in shape.iter().zip(cache).enumerate() {
        let wanted = if let Expr::Int(number) = extent {
            *number
        } else {
            DYNAMIC
        };
        if cached != wanted {
            let message = format!("extent {i} of a type is {cached}, but its symbolic extent says {wanted}");
            return fault(at, Code::MalformedType, message);
        }
    }
    Ok(())
}

fn case<T>(item: &mut Cursor<'_>, (cases, find): Cases<T>, what: &str) -> Read<T> {
    let at = item.at();
    let code = item.varint(what)?;
    match u8::try_from(code).ok().and_then(find) {
        Some(value) => Ok(value),
        None => {
            let words: Vec<_> = cases
                .iter()
                .map(|case| format!("{} ({})", case.code, case.word))
                .collect();
            let message = format!("{what} is {code}, expected one of {}", words.join(", "));
            fault(at, Code::BadEnumValue, message)
        }
    }
}
