//! Random programs and terms of the test language.

use proptest::prelude::*;
use tilewright_irs::core::{
    Arg, Block, Body, Flag, Func, Module, NamedTerm, Origin, Region, Successor, Term, TermKind, Value,
};
use tilewright_irs::element::{ElementType, ScalarType};
use tilewright_irs::literal::{Dense, Literal};

use crate::language::{AnyTerm, Attrs, Op, Toy, ToyOp, Type, Width};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z_][A-Za-z0-9_.$]{0,6}",
        Just("128b".to_owned()),
        Just("linear".to_owned())
    ]
}

fn float() -> impl Strategy<Value = String> {
    any::<f64>()
        .prop_filter("infinities and NaNs are written as bits", |f| f.is_finite())
        .prop_map(|f| format!("{f:?}"))
}

/// A random term.
pub(crate) fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        any::<i128>().prop_map(TermKind::Int),
        float().prop_map(TermKind::Float),
        any::<u64>().prop_map(TermKind::Bits),
        any::<String>().prop_map(TermKind::Str),
        word().prop_map(TermKind::Word),
        any::<String>().prop_map(TermKind::Symbol),
        Just(TermKind::Unknown),
    ]
    .prop_map(Term::from);
    leaf.prop_recursive(4, 30, 4, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..4);
        let args = prop::collection::vec((prop::option::of(word_not_number()), inner.clone()), 0..4);
        let dict = prop::collection::btree_map(word_not_number(), prop::option::of(inner.clone()), 0..4);
        let atom = inner.prop_filter("extents before a number or more extents would read as one", |t| {
            !matches!(
                t.kind,
                TermKind::Dims(..) | TermKind::Int(_) | TermKind::Float(_) | TermKind::Bits(_)
            )
        });
        let extents = prop::collection::vec(prop::option::of(1..=u64::MAX), 1..4);
        prop_oneof![
            items.clone().prop_map(TermKind::List),
            items.prop_map(TermKind::Tuple),
            (word(), args).prop_map(|(word, args)| {
                let arg = |(name, value): (Option<String>, Term)| match name {
                    Some(name) => Arg::named(&name, value),
                    None => value.into(),
                };
                TermKind::Call(word, args.into_iter().map(arg).collect())
            }),
            dict.prop_map(|items| {
                let item = |(name, value): (String, Option<Term>)| match value {
                    Some(value) => NamedTerm::new(&name, value),
                    None => NamedTerm::flag(&name),
                };
                TermKind::Dict(items.into_iter().map(item).collect())
            }),
            (extents, atom).prop_map(|(extents, element)| TermKind::Dims(extents, Box::new(element))),
        ]
        .prop_map(Term::from)
    })
}

fn word_not_number() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_.$]{0,6}"
}

fn scalar() -> impl Strategy<Value = ScalarType> {
    prop::sample::select(ScalarType::ALL)
}

fn ty() -> impl Strategy<Value = Type> {
    let element = prop_oneof![
        scalar().prop_map(ElementType::Scalar),
        scalar().prop_map(ElementType::Ptr)
    ];
    prop_oneof![
        element.clone().prop_map(Type::Single),
        (
            prop::collection::vec(prop::option::of(1u64..5000), 1..4),
            element,
            prop::option::of(term())
        )
            .prop_map(|(extents, element, layout)| Type::Tile(extents, element, layout)),
    ]
}

/// A step of the construction of a program; numbers select among the values available.
#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize, Type),
    Load(
        usize,
        Vec<usize>,
        Option<usize>,
        Option<usize>,
        Option<Width>,
        bool,
        Vec<Type>,
    ),
    Attr(
        Term,
        Vec<String>,
        i64,
        Option<u8>,
        bool,
        (ScalarType, u64),
        Option<(ScalarType, Vec<u64>)>,
        Type,
    ),
    If(usize, Vec<Type>, Vec<Step>, Vec<Step>),
    Loop(usize, Vec<usize>, bool, Vec<Type>, Vec<Step>),
    /// Ends the block with a branch and continues in a new one.
    Branch(usize, Vec<usize>, Vec<Type>),
}

fn step() -> impl Strategy<Value = Step> {
    let at = || any::<usize>();
    let types = || prop::collection::vec(ty(), 0..3);
    let literal = (scalar(), any::<u64>());
    let dense = (scalar(), prop::collection::vec(any::<u64>(), 0..3));
    let strings = prop::collection::vec(any::<String>(), 0..3);
    let leaf = prop_oneof![
        (at(), at(), ty()).prop_map(|(a, b, ty)| Step::Add(a, b, ty)),
        (
            at(),
            prop::collection::vec(at(), 0..3),
            prop::option::of(at()),
            prop::option::of(at()),
            prop::option::of(prop::sample::select(Width::ALL)),
            any::<bool>(),
            types(),
        )
            .prop_map(|(a, b, c, d, e, f, g)| Step::Load(a, b, c, d, e, f, g)),
        (
            term(),
            strings,
            any::<i64>(),
            any::<Option<u8>>(),
            any::<bool>(),
            literal,
            prop::option::of(dense),
            ty()
        )
            .prop_map(|(a, b, c, d, e, f, g, h)| Step::Attr(a, b, c, d, e, f, g, h)),
        (at(), prop::collection::vec(at(), 0..3), types()).prop_map(|(a, b, c)| Step::Branch(a, b, c)),
    ];
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let steps = prop::collection::vec(inner, 0..3);
        let types = || prop::collection::vec(ty(), 0..3);
        prop_oneof![
            (any::<usize>(), types(), steps.clone(), steps.clone())
                .prop_map(|(a, b, c, d)| Step::If(a, b, c, d)),
            (
                any::<usize>(),
                prop::collection::vec(any::<usize>(), 0..3),
                any::<bool>(),
                types(),
                steps
            )
                .prop_map(|(a, b, c, d, e)| Step::Loop(a, b, c, d, e)),
        ]
    })
}

struct Maker {
    body: Body<Toy>,
    values: Vec<Value>,
}

impl Maker {
    fn pick(&self, at: usize) -> Value {
        self.values[at % self.values.len()]
    }

    fn pick_all(&self, at: &[usize]) -> Vec<Value> {
        at.iter().map(|&at| self.pick(at)).collect()
    }

    fn op(&mut self, block: Block, kind: ToyOp, types: Vec<Type>) {
        let op = self.body.add_op(block, Op::Toy(kind), types, Origin(7), ());
        self.values.extend(self.body.op(op).results());
    }

    fn region(&mut self, args: Vec<Type>, steps: Vec<Step>) -> Region {
        let region = self.body.add_region();
        let block = self.body.add_block(region);
        let outer = self.values.len();
        for ty in args {
            let value = self.body.add_arg(block, ty);
            self.values.push(value);
        }
        self.steps(region, block, steps);
        self.values.truncate(outer);
        region
    }

    fn steps(&mut self, region: Region, mut block: Block, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Add(a, b, ty) => {
                    let (lhs, rhs) = (self.pick(a), self.pick(b));
                    self.op(block, ToyOp::Add { lhs, rhs }, vec![ty]);
                }
                Step::Load(base, indices, mask, after, width, volatile, types) => {
                    let kind = ToyOp::Load {
                        base: self.pick(base),
                        indices: self.pick_all(&indices),
                        mask: mask.map(|at| self.pick(at)),
                        after: after.map(|at| self.pick(at)),
                        width,
                        volatile: Flag(volatile),
                    };
                    self.op(block, kind, types);
                }
                Step::Attr(term, words, number, small, yes, (scalar, bits), dense, ty) => {
                    let kind = ToyOp::Attr {
                        term: AnyTerm(term),
                        words,
                        number,
                        small,
                        yes,
                        literal: Literal::new(scalar, bits),
                        dense: dense.map(|(ty, bits)| {
                            Dense::Elements(ty, bits.into_iter().map(|b| b & ty.mask()).collect())
                        }),
                    };
                    self.op(block, kind, vec![ty]);
                }
                Step::If(condition, types, then, r#else) => {
                    let condition = self.pick(condition);
                    let then = self.region(Vec::new(), then);
                    let r#else = self.region(Vec::new(), r#else);
                    self.op(
                        block,
                        ToyOp::If {
                            condition,
                            then,
                            r#else,
                        },
                        types,
                    );
                }
                Step::Loop(from, inits, unsigned, types, steps) => {
                    let (from, inits) = (self.pick(from), self.pick_all(&inits));
                    let body = self.region(types.clone(), steps);
                    self.op(
                        block,
                        ToyOp::Loop {
                            from,
                            inits,
                            unsigned: Flag(unsigned),
                            body,
                        },
                        types,
                    );
                }
                Step::Branch(condition, args, types) => {
                    let condition = self.pick(condition);
                    let args = self.pick_all(&args);
                    let next = self.body.add_block(region);
                    let target = Successor { block: next, args };
                    self.op(
                        block,
                        ToyOp::Branch {
                            condition,
                            yes: target.clone(),
                            no: target,
                        },
                        Vec::new(),
                    );
                    for ty in types {
                        let value = self.body.add_arg(next, ty);
                        self.values.push(value);
                    }
                    block = next;
                }
            }
        }
        let values = self.values.last().copied().into_iter().collect();
        self.op(block, ToyOp::Yield { values }, Vec::new());
    }
}

fn func() -> impl Strategy<Value = Func<Toy>> {
    let params = prop::collection::vec(ty(), 1..4);
    let steps = prop::collection::vec(step(), 0..6);
    (params, steps, prop::option::of(term()), any::<bool>()).prop_map(|(params, steps, spec, kernel)| {
        let mut maker = Maker {
            body: Body::default(),
            values: Vec::new(),
        };
        let root = maker.body.root();
        let entry = maker.body.add_block(root);
        for ty in params {
            let value = maker.body.add_arg(entry, ty);
            maker.values.push(value);
        }
        maker.steps(root, entry, steps);
        Func {
            name: String::new(),
            attrs: Attrs {
                spec: spec.map(AnyTerm),
                kernel: Flag(kernel),
            },
            body: maker.body.renumbered(),
        }
    })
}

/// A random module.
pub(crate) fn module() -> impl Strategy<Value = Module<Toy>> {
    (
        prop::collection::btree_set(any::<String>(), 0..3),
        prop::collection::vec(func(), 3),
    )
        .prop_map(|(names, funcs)| {
            let named = names
                .into_iter()
                .zip(funcs)
                .map(|(name, func)| Func { name, ..func });
            Module {
                funcs: named.collect(),
            }
        })
}
