//! Ops in MLIR's generic form: `%r = "cuda_tile.addi"(%a, %b) <{…}> ({…}) {…} : (T, T) -> T`.
//!
//! Fields are given by name here, rather than by position; operands are assigned to fields by their number, or by
//! `operandSegmentSizes`.

use tilewright_diagnostics::{Code, Span, counted};
use tilewright_irs::core::{Part, Value};
use tilewright_irs::cuda_tile::{DefaultValue, FieldKind, FieldValue, TileFieldSpec, TileOpSpec, TileType};

use super::attributes::{array, generic_attribute};
use super::body::{Argument, BodyReader, argument_name};
use super::cursor::{Cursor, Parse, fail};
use super::entries::Entries;
use super::places::Places;
use super::progress::{Made, as_named};
use super::tree::{Region as RegionTree, Statement, block_label};
use super::types::value_type;

/// The attributes that say how many operands and results belong to each field.
const SEGMENTS: [&str; 2] = [OPERAND_SEGMENTS, "resultSegmentSizes"];
const OPERAND_SEGMENTS: &str = "operandSegmentSizes";

/// The parts between an op's name and its types.
struct Head<'t, 'input> {
    operands: Vec<Value>,
    /// The span of each operand.
    places: Vec<Span>,
    entries: Entries<'t, 'input>,
    regions: Vec<&'t RegionTree<'input>>,
    results: Vec<(TileType, Span)>,
}

/// `({…}, {…})`
pub(crate) fn regions<'t, 'input>(cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<&'t RegionTree<'input>>> {
    cursor.expect("(")?;
    cursor.list(")", |cursor| cursor.region())
}

/// `T`, or types in parentheses.
pub(crate) fn result_types(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<TileType>> {
    let types = placed_types(cursor)?.into_iter();
    Ok(types.map(|(ty, _)| ty).collect())
}

/// The same, each with its span.
fn placed_types(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<(TileType, Span)>> {
    let placed = |cursor: &mut Cursor<'_, '_>| {
        let start = cursor.span();
        let ty = value_type(cursor)?;
        Ok((ty, cursor.since(start)))
    };
    if cursor.eat("(") {
        return cursor.list(")", placed);
    }
    placed(cursor).map(|ty| vec![ty])
}

impl<'t, 'input> BodyReader<'t, 'input> {
    /// Parses the rest of an op after its quoted name.
    pub(crate) fn generic(
        &mut self,
        spec: &'static TileOpSpec,
        cursor: &mut Cursor<'t, 'input>,
        results: usize,
        name: Span,
    ) -> Parse<Made> {
        let head = self.generic_head(cursor)?;
        let mut operands = self.distribute(spec, &head, name)?.into_iter();
        let mut places = head.places.iter().copied();
        let mut regions = head.regions.iter();
        let mut values = Vec::with_capacity(spec.fields.len());
        for (index, field) in spec.fields.iter().enumerate() {
            let part = Part::field(index);
            values.push(match field.kind {
                FieldKind::Operand | FieldKind::OptionalOperand => {
                    let value = operands.next().and_then(|group| group.first().copied());
                    if value.is_some()
                        && let Some(at) = places.next()
                    {
                        self.place_part(part, at);
                    }
                    value.map_or(FieldValue::Absent, FieldValue::Operand)
                }
                FieldKind::Operands => {
                    let group = operands.next().unwrap_or_default();
                    let own: Vec<_> = places.by_ref().take(group.len()).collect();
                    if let ([first, ..], [.., last]) = (own.as_slice(), own.as_slice()) {
                        self.place_part(part, first.to(*last));
                    }
                    for (entry, at) in own.into_iter().enumerate() {
                        self.place_part(part.entry(entry), at);
                    }
                    FieldValue::Operands(group)
                }
                FieldKind::Region => match regions.next() {
                    Some(region) => FieldValue::Region(self.generic_region(region)?),
                    None => {
                        let message = format!(
                            "`{}` has {}, more are expected",
                            spec.name,
                            counted(head.regions.len(), "region")
                        );
                        return fail(Code::RegionCount, message, name, "a region is missing");
                    }
                },
                FieldKind::Flag => {
                    let at = head.entries.field(field);
                    if let Some(at) = at {
                        self.place_part(part, at.span());
                    }
                    FieldValue::Flag(at.is_some())
                }
                FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind) => match head.entries.field(field) {
                    Some(mut at) => {
                        let start = at.span();
                        let mut entries = Places::new(part);
                        let value = generic_attribute(kind, &mut at, &mut entries)?;
                        self.place_part(part, at.since(start));
                        self.place_entries(entries);
                        value
                    }
                    None => default_of(field, &values, spec),
                },
            });
        }
        if regions.next().is_some() {
            let message = format!(
                "`{}` has {}, fewer are expected",
                spec.name,
                counted(head.regions.len(), "region")
            );
            return fail(Code::RegionCount, message, name, "too many regions");
        }
        let read: Vec<&str> = spec
            .fields
            .iter()
            .filter_map(|field| head.entries.name_of(field))
            .chain(SEGMENTS)
            .collect();
        self.problems.extend(head.entries.ignored(&read));
        let types = head.results.into_iter().enumerate();
        let types = types.map(|(result, (ty, at))| {
            self.place_part(Part::result(result), at);
            ty
        });
        let types = as_named(spec, types.collect(), results, name)?;
        match (spec.build)(&mut values) {
            Some(op) => Ok((op, types)),
            None => fail(
                Code::MissingAttribute,
                format!("`{}` lacks an attribute", spec.name),
                name,
                "an attribute is missing",
            ),
        }
    }

    /// Parses an op of another dialect, as in NVIDIA's tests: its results are unknown values.
    pub(crate) fn foreign(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Vec<Value>> {
        let head = self.generic_head(cursor)?;
        let Some(entry) = self.body.entry() else {
            return Ok(Vec::new());
        };
        let values = head
            .results
            .into_iter()
            .map(|(ty, _)| self.body.add_arg(entry, ty));
        Ok(values.collect())
    }

    fn generic_head(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<Head<'t, 'input>> {
        cursor.expect("(")?;
        let mut places = Vec::new();
        let operands = cursor.list(")", |cursor| {
            places.push(cursor.span());
            self.value(cursor)
        })?;
        let mut entries = Entries::default();
        if cursor.eat("<") {
            entries.read(cursor)?;
            cursor.expect(">")?;
        }
        let regions = if cursor.peek() == "(" {
            regions(cursor)?
        } else {
            Vec::new()
        };
        if cursor.peek() == "{" {
            entries.read(cursor)?;
        }
        cursor.expect(":")?;
        let at = cursor.span();
        cursor.expect("(")?;
        let types = cursor.list(")", value_type)?;
        if types.len() != operands.len() {
            let message = format!(
                "expected a type for each operand, not {} for {}",
                counted(types.len(), "type"),
                counted(operands.len(), "operand")
            );
            return fail(
                Code::OperandCount,
                message,
                cursor.since(at),
                "wrong number of types",
            );
        }
        for ((&value, said), &place) in operands.iter().zip(&types).zip(&places) {
            self.of_type(value, "", place, said, None)?;
        }
        cursor.expect("->")?;
        Ok(Head {
            operands,
            places,
            entries,
            regions,
            results: placed_types(cursor)?,
        })
    }

    /// Assigns the operands to fields.
    fn distribute(&self, spec: &TileOpSpec, head: &Head<'t, 'input>, name: Span) -> Parse<Vec<Vec<Value>>> {
        let takes = |kind: FieldKind| {
            matches!(
                kind,
                FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands
            )
        };
        let fields: Vec<_> = spec.fields.iter().filter(|field| takes(field.kind)).collect();
        let single = fields
            .iter()
            .filter(|field| field.kind == FieldKind::Operand)
            .count();
        let mut spare = head.operands.len().checked_sub(single);
        let sizes: Vec<usize> = match head.entries.get(OPERAND_SEGMENTS) {
            Some(mut at) => segment_sizes(&mut at)?,
            None => fields
                .iter()
                .map(|field| match (field.kind, &mut spare) {
                    (FieldKind::Operand, _) => 1,
                    (FieldKind::OptionalOperand, Some(left)) => {
                        let one = (*left).min(1);
                        *left -= one;
                        one
                    }
                    (_, left) => left.replace(0).unwrap_or(0),
                })
                .collect(),
        };
        let fits = sizes.len() == fields.len()
            && sizes.iter().try_fold(0usize, |sum, &size| sum.checked_add(size)) == Some(head.operands.len())
            && fields.iter().zip(&sizes).all(|(field, &size)| match field.kind {
                FieldKind::Operand => size == 1,
                FieldKind::OptionalOperand => size <= 1,
                _ => true,
            });
        if !fits {
            let message = format!(
                "'cuda_tile.{}' op has {} in groups of {sizes:?}, but takes {} of them, {single} singly",
                spec.name,
                counted(head.operands.len(), "operand"),
                fields.len(),
            );
            return fail(Code::OperandCount, message, name, "wrong number of operands");
        }
        let mut rest = head.operands.iter().copied();
        Ok(sizes
            .iter()
            .map(|&size| rest.by_ref().take(size).collect())
            .collect())
    }

    /// A region whose arguments are in the label of its block. One without lines has no block.
    fn generic_region(&mut self, tree: &'t RegionTree<'input>) -> Parse<tilewright_irs::core::Region> {
        if tree.items.is_empty() {
            return Ok(self.body.add_region());
        }
        let (label, items) = block_label(tree);
        let args = match label {
            Some(label) => self.label_arguments(label)?,
            None => Vec::new(),
        };
        Ok(self.region_of(items, (tree.start, tree.end), args, None))
    }

    /// The arguments in the label of a block: `^bb0(%a: T, %b: T):`.
    pub(crate) fn label_arguments(&mut self, label: &'t Statement<'input>) -> Parse<Vec<Argument<'input>>> {
        let mut cursor = self.cursor(label);
        let mut args = Vec::new();
        if cursor.eat("(") {
            args = cursor.list(")", |cursor| {
                let at = cursor.span();
                let name = argument_name(cursor)?;
                cursor.expect(":")?;
                let ty = Some(value_type(cursor)?);
                self.locations.trailing(cursor)?;
                Ok(Argument { name, at, ty })
            })?;
        }
        cursor.expect(":")?;
        cursor.finish()?;
        Ok(args)
    }
}

fn segment_sizes(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<usize>> {
    array(cursor, &mut Places::ignored(), super::types::integer)
}

/// The value of an absent attribute.
fn default_of(field: &TileFieldSpec, before: &[FieldValue], spec: &TileOpSpec) -> FieldValue {
    match field.default {
        Some(DefaultValue::Code(code)) => FieldValue::Enum(code),
        Some(DefaultValue::AllFalse(of)) => {
            let operands = spec.field(of).and_then(|index| before.get(index));
            let count = match operands {
                Some(FieldValue::Operands(values)) => values.len(),
                _ => 1,
            };
            FieldValue::Bools(vec![false; count])
        }
        None => FieldValue::Absent,
    }
}
