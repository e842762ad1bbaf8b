//! A group of fields is, in all that is said of an op, what its members are in its place.

use tilewright_irs::core::{
    Block, BlockTree, Effects, Entity, FieldWriter, Flag, Func, FuncTree, Language, Mark, Name, OpSpec,
    OpTree, OperandTree, Operation, Part, Problems, Region, RegionTree, Resource, Term, Value, read_func,
};
use tilewright_irs::dialects::memory::{MemoryOrder, MemoryScope};
use tilewright_irs::tileaa::TileAaType;
use tilewright_irs::{attributes, dialect, field_group, language_ops};

field_group! {
    /// A group in a group.
    pub struct Order {
        /// A token.
        after: Option<Value>,
        /// Adds effects.
        order: MemoryOrder,
    }
}

field_group! {
    /// A group with a group.
    pub struct Place {
        /// An operand.
        base: Value,
        /// A list.
        index: Vec<Value>,
        /// An attribute.
        steps: Vec<u32>,
        /// The inner group.
        order: Order,
        /// A keyword of Rust, and a flag.
        r#else: Flag,
    }
}

dialect! {
    /// One op with groups, one with their members.
    pub enum GroupOp: "group" {
        /// With groups.
        Grouped "op" { first: Value, place: Place, value: Value, scope: Option<MemoryScope>, body: Region } -> 1, Reads(Global), Free;
        /// With their members.
        Flat "flat" {
            first: Value, /** An operand.*/ base: Value, /** A list.*/ index: Vec<Value>, /** An attribute.*/ steps: Vec<u32>,
            /** A token.*/ after: Option<Value>, /** Adds effects.*/ order: MemoryOrder,
            /** A keyword of Rust, and a flag.*/ r#else: Flag, value: Value, scope: Option<MemoryScope>, body: Region
        } -> 1, Reads(Global), Free;
    }
}

language_ops! {
    /// The ops.
    pub enum Op {
        /// The only dialect.
        Group(GroupOp),
    }
}

attributes! {
    /// No attribute that matters.
    pub struct Attrs {
        /// A flag.
        kernel in Meaning: Flag,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Groups;

impl Language for Groups {
    const NAME: &'static str = "groups";
    type Type = TileAaType;
    type Op = Op;
    type Tag = ();
    type FuncAttrs = Attrs;
    fn verify(_: &Func<Self>, _: &mut Problems) {}
}

/// Writes values by their numbers.
struct Numbers;

impl FieldWriter for Numbers {
    fn value(&self, value: Value) -> String {
        value.index().to_string()
    }
    fn block(&self, _: Block) -> String {
        String::new()
    }
    fn region(&mut self, _: Region) -> RegionTree {
        RegionTree::default()
    }
}

/// The op with groups and the op with their members.
fn both(order: MemoryOrder) -> [GroupOp; 2] {
    let value = Value::new;
    let (index, steps) = (vec![value(2), value(3)], vec![8, 4]);
    let (first, base, after, last, body) = (value(0), value(1), Some(value(4)), value(5), Region::new(0));
    let (scope, r#else) = (Some(MemoryScope::Device), Flag(true));
    let place = Place {
        base,
        index: index.clone(),
        steps: steps.clone(),
        order: Order { after, order },
        r#else,
    };
    let grouped = GroupOp::Grouped {
        first,
        place,
        value: last,
        scope,
        body,
    };
    let flat = GroupOp::Flat {
        first,
        base,
        index,
        steps,
        after,
        order,
        r#else,
        value: last,
        scope,
        body,
    };
    [grouped, flat]
}

fn written(op: &GroupOp) -> OpTree {
    let mut tree = OpTree::new(op.name());
    op.write(&mut Numbers, &mut tree);
    tree
}

#[test]
fn a_group_is_declared_by_its_members() {
    let [grouped, flat] = both(MemoryOrder::Weak).map(|op| op.spec());
    let fields = |spec: &'static OpSpec| -> Vec<_> {
        let fields = spec.fields.iter();
        fields
            .map(|field| (field.name, field.ty, field.doc.trim(), field.keywords.len()))
            .collect()
    };
    assert_eq!(fields(grouped), fields(flat));
    assert_eq!(grouped.fields.len(), 10);
    assert_eq!(grouped.properties.effects, flat.properties.effects);
}

#[test]
fn parts_of_operands_count_the_members_of_groups() {
    let parts = both(MemoryOrder::Weak).map(|op| {
        let mut parts = Vec::new();
        op.operand_parts(&mut |part, value| parts.push((part, value)));
        parts
    });
    let places = [
        Part::Field(0),
        Part::Field(1),
        Part::Entry(2, 0),
        Part::Entry(2, 1),
        Part::Field(4),
        Part::Field(7),
    ];
    assert_eq!(parts[0], parts[1]);
    assert_eq!(
        parts[0],
        Vec::from_iter(places.into_iter().zip((0..).map(Value::new)))
    );
}

#[test]
fn members_of_groups_refine_the_effects() {
    for order in [MemoryOrder::Weak, MemoryOrder::Acquire] {
        let [grouped, flat] = both(order).map(|op| op.effects());
        assert_eq!(grouped, flat);
        let synchronises = grouped.writes.contains(Resource::Barrier);
        assert_eq!(synchronises, order != MemoryOrder::Weak);
        assert_ne!(grouped, Effects::PURE);
    }
}

#[test]
fn members_of_groups_are_written_and_read_under_their_own_names() {
    let [grouped, flat] = both(MemoryOrder::Acquire).map(|op| written(&op));
    assert_eq!(grouped.operands, flat.operands);
    assert_eq!(grouped.attrs, flat.attrs);
    let labels: Vec<_> = grouped.attrs.iter().map(|attr| attr.name.text.as_str()).collect();
    assert_eq!(labels, ["steps", "order", "else", "scope"]);
    let mut read = grouped.clone();
    (read.results, read.types) = (vec![Name::new("r")], vec![Term::word("i32")]);
    let func = |op: OpTree| FuncTree {
        keyword: Name::new("groups.func"),
        name: Name::new("f"),
        params: (0..6)
            .map(|n| (Name::new(n.to_string()), Term::word("i32")))
            .collect(),
        attrs: Vec::new(),
        body: RegionTree {
            blocks: vec![BlockTree {
                name: None,
                args: Vec::new(),
                ops: vec![op],
            }],
            end: Mark::default(),
        },
    };
    let body = read_func::<Groups>(&func(read.clone())).unwrap().func.body;
    let (_, op) = body.ops().next().unwrap();
    let Op::Group(again) = &op.kind;
    assert_eq!(written(again).operands, grouped.operands);
    assert_eq!(written(again).attrs, grouped.attrs);
    // All members are read before an error ends the op.
    read.attrs.retain(|attr| attr.name.text == "else");
    read.operands
        .retain(|operand| !matches!(operand, OperandTree::List(..)));
    let problems = read_func::<Groups>(&func(read)).unwrap_err().problems;
    let messages: Vec<_> = problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "operand `index` of `group.op` must be a list in brackets",
            "`group.op` needs the attribute `steps`",
            "`group.op` needs the attribute `order`",
        ]
    );
}

#[test]
fn a_group_is_found_in_its_op() {
    let [mut grouped, mut flat] = both(MemoryOrder::Weak);
    assert_eq!(
        grouped.field::<Place>().map(|place| place.base),
        Some(Value::new(1))
    );
    assert_eq!(flat.field::<Place>(), None);
    assert!(flat.field_mut::<Place>().is_none());
    grouped.field_mut::<Place>().unwrap().order.order = MemoryOrder::Release;
    assert!(grouped.effects().writes.contains(Resource::Barrier));
}
