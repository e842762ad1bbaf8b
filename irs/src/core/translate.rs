//! Translation from one body to the next, shared by all passes.
//!
//! A pass implements the translation of the ops that it changes; all others are copied by [`Translation::carry`]. A
//! value maps to any number of new values, since a lowering may split it.

use tilewright_diagnostics::Diagnostic;

use super::body::{Body, Func, OpData};
use super::build::Builder;
use super::effects::{Exit, Flow};
use super::entity::{Block, OpId, Origin, Region, SideTable, Value};
use super::language::{Few, Language, Operation, Remap};

/// The result of translating an op.
pub type Translated = Result<(), Diagnostic<Origin>>;

/// A pass, implemented op by op.
pub trait Translate<A: Language, B: Language> {
    /// The types that replace a type: usually one, several if values are split, none if they are removed.
    fn types(&mut self, ty: &A::Type) -> Result<Vec<B::Type>, Diagnostic<Origin>>;
    /// Adds the parameters that replace those of the function, whose first block is `entry`, and binds them.
    fn parameters(&mut self, cx: &mut Translation<'_, A, B>, entry: Block) -> Translated {
        let to = cx.current();
        cx.block_args(entry, to, self)
    }
    /// Translates an op: appends new ops through `cx` and binds its results.
    fn op(&mut self, cx: &mut Translation<'_, A, B>, id: OpId) -> Translated;
}

/// A translation from a body of `A` to a body of `B`.
#[derive(Debug)]
pub struct Translation<'a, A: Language, B: Language> {
    /// The source body.
    pub from: &'a Body<A>,
    to: Body<B>,
    block: Block,
    origin: Origin,
    tag: B::Tag,
    values: SideTable<Value, Few<Value>>,
    /// What each source value has become, whenever it was translated: `None` for several values, or none. Empty unless the
    /// values of the kernel's source are followed.
    became: Vec<(Value, Option<Value>)>,
    follows: bool,
}

/// Translates a whole function of structured control flow. The result is renumbered.
pub fn translate_func<A: Language, B: Language>(
    func: &Func<A>,
    attrs: B::FuncAttrs,
    pass: &mut impl Translate<A, B>,
) -> Result<Func<B>, Vec<Diagnostic<Origin>>> {
    let mut to = Body::with_capacity(func.body.op_count(), func.body.value_count());
    let root = to.root();
    let entry = to.add_block(root);
    let mut cx = Translation {
        from: &func.body,
        to,
        block: entry,
        origin: Origin::FUNCTION,
        tag: B::Tag::default(),
        values: func.body.value_table(),
        became: Vec::new(),
        follows: B::FOLLOWS_VALUES && !func.body.carriers().is_empty(),
    };
    cx.run(pass).map_err(|problem| vec![problem])?;
    cx.to.follow(&func.body, cx.became);
    Ok(Func {
        name: func.name.clone(),
        attrs,
        body: cx.to.renumbered(),
    })
}

impl<'a, A: Language, B: Language> Translation<'a, A, B> {
    fn run(&mut self, pass: &mut impl Translate<A, B>) -> Translated {
        if let Some(entry) = self.from.entry() {
            pass.parameters(self, entry)?;
            self.block_ops(entry, pass)?;
        }
        Ok(())
    }

    /// Adds to block `to` the translated arguments of the source block `from`, and binds them.
    pub fn block_args(
        &mut self,
        from: Block,
        to: Block,
        pass: &mut (impl Translate<A, B> + ?Sized),
    ) -> Translated {
        let source = self.from;
        for &arg in &source.block(from).args {
            let types = pass.types(source.ty(arg))?;
            let args = types.into_iter().map(|ty| self.to.add_arg(to, ty)).collect();
            self.set(arg, args);
        }
        Ok(())
    }

    /// Translates the ops of the old block `from` into the current block, until that has a terminator: what follows is
    /// not reached.
    pub fn block_ops(&mut self, from: Block, pass: &mut (impl Translate<A, B> + ?Sized)) -> Translated {
        self.block_ops_until(from, |_| false, pass).map(|_| ())
    }

    /// Like [`block_ops`](Self::block_ops), up to an op that is `last`, which is returned and not translated.
    fn block_ops_until(
        &mut self,
        from: Block,
        last: impl Fn(&A::Op) -> bool,
        pass: &mut (impl Translate<A, B> + ?Sized),
    ) -> Result<Option<&'a A::Op>, Diagnostic<Origin>> {
        let source = self.from;
        for &id in &source.block(from).ops {
            let op = source.op(id);
            if last(&op.kind) {
                return Ok(Some(&op.kind));
            }
            self.origin = op.origin;
            pass.op(self, id)?;
            if self.has_ended() {
                break;
            }
        }
        Ok(None)
    }

    /// Translates the only block of a region of `around` into the current block, its arguments being these values.
    /// Gives what the block hands over to `around`: none where it goes elsewhere, so that the current block ends.
    pub fn inline(
        &mut self,
        around: OpId,
        block: Block,
        args: impl IntoIterator<Item = Value>,
        pass: &mut (impl Translate<A, B> + ?Sized),
    ) -> Result<Option<Vec<Value>>, Diagnostic<Origin>> {
        let source = self.from;
        for (&arg, value) in source.block(block).args.iter().zip(args) {
            self.bind(arg, [value]);
        }
        let back = match source.op(around).kind.effects().flow {
            Flow::Loop => Exit::Loop,
            Flow::Next | Flow::Regions | Flow::Exit(_) => Exit::Block,
        };
        let leaves = |op: &A::Op| op.effects().flow == Flow::Exit(back);
        let last = self.block_ops_until(block, leaves, pass)?;
        Ok(last.map(|last| {
            last.operand_list()
                .into_iter()
                .map(|value| self.one(value))
                .collect()
        }))
    }

    /// Whether the current block has its terminator.
    pub fn has_ended(&self) -> bool {
        let last = self.to.terminator(self.block);
        last.is_some_and(|last| self.to.op(last).kind.is_terminator())
    }

    /// Says that the results of an old op are these values, one each.
    pub fn bind_results(&mut self, old: OpId, values: impl IntoIterator<Item = Value>) {
        for (result, value) in self.from.op(old).results().zip(values) {
            self.bind(result, [value]);
        }
    }

    /// The old op.
    pub fn old(&self, id: OpId) -> &'a OpData<A> {
        self.from.op(id)
    }

    /// The new body so far.
    pub fn new_body(&self) -> &Body<B> {
        &self.to
    }

    /// The origin of the op that is being translated.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Sets the origin of new ops, until the next op is translated.
    pub fn set_origin(&mut self, origin: Origin) {
        self.origin = origin;
    }

    /// Sets the tag of new ops.
    pub fn set_tag(&mut self, tag: B::Tag) {
        self.tag = tag;
    }

    /// A builder at the insertion point.
    pub fn build(&mut self) -> Builder<'_, B> {
        let mut builder = Builder::new(&mut self.to, self.block, self.origin);
        builder.tag = self.tag.clone();
        builder
    }

    /// Appends a new op with one result.
    pub fn value(&mut self, kind: impl Into<B::Op>, ty: B::Type) -> Value {
        self.build().value(kind, ty)
    }

    /// The type of a new value.
    pub fn ty(&self, value: Value) -> &B::Type {
        self.to.ty(value)
    }

    /// The translation of a source value. Empty before its definition is translated.
    pub fn all(&self, old: Value) -> &[Value] {
        self.values.get(old).map_or(&[], Few::as_slice)
    }

    /// The single value that a source value is translated to.
    ///
    /// Panics if there is not exactly one, which is a bug of the pass: its `types` decide that.
    pub fn one(&self, old: Value) -> Value {
        match self.all(old) {
            [value] => *value,
            other => panic!(
                "{old:?} became {} values where a pass of {} expects one",
                other.len(),
                B::NAME
            ),
        }
    }

    /// Binds a source value to its translation.
    pub fn bind(&mut self, old: Value, new: impl IntoIterator<Item = Value>) {
        self.set(old, new.into_iter().collect());
    }

    fn set(&mut self, old: Value, new: Few<Value>) {
        if self.follows {
            let one = match new.as_slice() {
                &[one] => Some(one),
                [] | [_, ..] => None,
            };
            self.became.push((old, one));
        }
        self.values.set(old, new);
    }

    /// Translates a source region of structured control flow. The insertion point, the origin and the tag stay.
    pub fn region(
        &mut self,
        old: Region,
        pass: &mut (impl Translate<A, B> + ?Sized),
    ) -> Result<Region, Diagnostic<Origin>> {
        let region = self.to.add_region();
        let (outer, origin, tag) = (self.block, self.origin, self.tag.clone());
        let source = self.from;
        for &block in &source.region(old).blocks {
            let new = self.to.add_block(region);
            self.block = new;
            self.block_args(block, new, pass)?;
            self.block_ops(block, pass)?;
        }
        self.block = outer;
        self.origin = origin;
        self.tag = tag;
        Ok(region)
    }

    /// Builds into another block of the new body, then returns to the current one.
    pub fn within<T>(&mut self, block: Block, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block, block);
        let result = build(self);
        self.block = outer;
        result
    }

    /// The insertion block.
    pub fn current(&self) -> Block {
        self.block
    }

    /// Continues in another block of the new body.
    pub fn go_on_in(&mut self, block: Block) {
        self.block = block;
    }

    /// The new body, for adding regions and blocks.
    pub fn body_mut(&mut self) -> &mut Body<B> {
        &mut self.to
    }

    /// Copies an op: same op, with operands, regions and results translated.
    ///
    /// A list of operands changes its length with the translations of its values; a single operand must have a single
    /// translation.
    pub fn carry<D: Operation + Into<B::Op>>(
        &mut self,
        id: OpId,
        op: &D,
        pass: &mut (impl Translate<A, B> + ?Sized),
    ) -> Translated {
        let mut regions = Few::new();
        for region in op.region_list() {
            regions.push(self.region(region, pass)?);
        }
        let mut op = op.clone();
        op.remap(&mut Carrier {
            values: &self.values,
            regions: regions.into_iter(),
        });
        let old = self.from.op(id);
        let mut counts = Few::new();
        let mut types = Few::new();
        for result in old.results() {
            let new = pass.types(self.from.ty(result))?;
            counts.push((result, new.len()));
            types.extend(new);
        }
        let new = self.build().op(op, types);
        let mut results = self.to.op(new).results();
        for (result, count) in counts {
            let values: Few<_> = results.by_ref().take(count).collect();
            self.set(result, values);
        }
        Ok(())
    }
}

struct Carrier<'a> {
    values: &'a SideTable<Value, Few<Value>>,
    regions: <Few<Region> as IntoIterator>::IntoIter,
}

impl Remap for Carrier<'_> {
    fn value(&mut self, value: Value) -> Value {
        match self.values.get(value).map(Few::as_slice) {
            Some([new]) => *new,
            other => panic!(
                "{value:?} became {:?} where an op that is carried over takes one",
                other.map(<[_]>::len)
            ),
        }
    }
    fn values(&mut self, values: &mut Vec<Value>) {
        let old = std::mem::take(values);
        for value in old {
            values.extend(self.values.get(value).map_or(&[][..], Few::as_slice));
        }
    }
    fn region(&mut self, region: Region) -> Region {
        self.regions.next().unwrap_or(region)
    }
}
