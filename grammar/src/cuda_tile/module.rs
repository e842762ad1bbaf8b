//! Parses the module of a text, and its globals.

use tilewright_diagnostics::{Code, Diagnostic, Span};
use tilewright_irs::cuda_tile::Global;

use super::ModuleReader;
use super::cursor::{Cursor, Parse, fail};
use super::dense::dense;
use super::entries::{Entries, dictionary};
use super::functions::frame_name;
use super::literals::{string, symbol};
use super::tree::{Item, Region};
use super::types::{integer, tile};

/// The module structure seen so far.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// None.
    Nothing,
    /// Entries and globals outside of a module, the first of them here.
    Bare(Span),
    /// This module, and whether the parser is inside of its braces.
    Module(Span, bool),
}

impl<'t, 'input> ModuleReader<'t, 'input> {
    /// Records an item that belongs in a module.
    pub(super) fn in_module(&mut self, at: Span) -> Parse<()> {
        match self.frame {
            Frame::Nothing => self.frame = Frame::Bare(at),
            Frame::Module(module, false) if !self.options.testing => {
                let message = "this stands outside of the text's module: a text has one, or all of it is one";
                let problem = Diagnostic::error(Code::MisplacedOp, message)
                    .at(at, "outside of the module")
                    .also(module, "the module");
                return Err(Some(Box::new(problem)));
            }
            Frame::Bare(_) | Frame::Module(..) => {}
        }
        Ok(())
    }

    /// `@name attributes {…} {…}`; `own` tells that it is a module of this language, not an enclosing one.
    pub(super) fn module(&mut self, cursor: &mut Cursor<'t, 'input>, at: Span, own: bool) -> Parse<()> {
        if cursor.peek().starts_with('@') {
            symbol(cursor)?;
        }
        let mut entries = Entries::default();
        if cursor.eat("attributes") {
            entries.read(cursor)?;
        }
        let region: &Region<'input> = cursor.region()?;
        let whole = self.module_of(&entries, region, at, own)?;
        self.module_place(cursor, whole)
    }

    /// The location at the end of a module, which is that of the text's module if `whole`.
    pub(super) fn module_place(&mut self, cursor: &mut Cursor<'t, 'input>, whole: bool) -> Parse<()> {
        let place = self.locations.trailing(cursor)?;
        cursor.finish()?;
        if whole {
            self.parsed.debug.module = place;
        }
        Ok(())
    }

    /// The items of a module, and its attributes, of which bytecode has the producer. Returns whether it is the
    /// text's module, not an enclosing one.
    pub(super) fn module_of(
        &mut self,
        entries: &Entries<'t, 'input>,
        region: &'t Region<'input>,
        at: Span,
        own: bool,
    ) -> Parse<bool> {
        let is_around = |item: &Item<'_>| match item {
            Item::Statement(statement) => frame_name(statement.name) == "module",
            Item::Alias { .. } => true,
            Item::Broken(regions) => regions.is_empty(),
        };
        self.parsed
            .diagnostics
            .extend(entries.ignored(&["producer", "sym_name"]));
        if !own && region.items.iter().all(is_around) {
            self.items(&region.items, false);
            self.read_to = region.end;
            return Ok(false);
        }
        let first = match self.frame {
            Frame::Nothing => None,
            Frame::Bare(first) | Frame::Module(first, _) => Some(first),
        };
        if let Some(first) = first.filter(|_| !self.options.testing) {
            let message = "the text has more than one module, and bytecode holds one";
            let problem = Diagnostic::error(Code::MisplacedOp, message)
                .at(at, "another module")
                .also(first, "what stands before it")
                .help("put each module in a file of its own");
            self.read_to = region.end;
            return Err(Some(Box::new(problem)));
        }
        if let Some(mut producer) = entries.get("producer") {
            match string(&mut producer) {
                Ok(producer) => self.parsed.module.producer = Some(producer),
                Err(failure) => self.fail(failure),
            }
        }
        self.frame = Frame::Module(at, true);
        self.items(&region.items, false);
        self.read_to = region.end;
        self.frame = Frame::Module(at, false);
        Ok(true)
    }

    pub(super) fn global(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let private = !cursor.eat("public") && cursor.eat("private");
        let constant = cursor.eat("constant");
        let (name, at, sound) = self.name(cursor)?;
        // Until all of it has been parsed.
        if sound {
            self.partial.symbols.insert(name.clone());
        }
        let mut alignment = 0;
        if cursor.eat("alignment") {
            cursor.expect("=")?;
            alignment = integer(cursor)?;
        }
        let entries = dictionary(cursor)?;
        self.parsed.diagnostics.extend(entries.ignored(&[]));
        let start = cursor.span();
        let literal = dense(cursor)?;
        let end = cursor.since(start);
        cursor.expect(":")?;
        let start = cursor.span();
        let ty = tile(cursor)?;
        if ty.shape.len() != 1 {
            let message = format!("the type of the global `@{name}` is `{ty}`, expected a tile of rank 1");
            return fail(Code::OperandType, message, cursor.since(start), "not of rank 1");
        }
        let value = literal.of_shape(&ty.shape, end)?;
        let start = cursor.span();
        if self.locations.trailing(cursor)?.is_some() {
            let message = format!(
                "invalid operation debug info scope: the global `@{name}` has one, expected a place in no function"
            );
            return fail(
                Code::MalformedDebugInfo,
                message,
                cursor.since(start),
                "in a function",
            );
        }
        cursor.finish()?;
        let global = Global {
            name,
            ty,
            value,
            alignment,
            private,
            constant,
        };
        self.add_global(global, at, sound);
        Ok(())
    }

    /// Adds a global to the module, unless its symbol is defined before.
    pub(super) fn add_global(&mut self, global: Global, at: Span, sound: bool) {
        if sound {
            self.partial.symbols.remove(&global.name);
            self.parsed.globals.push(at);
            self.parsed.module.globals.push(global);
        } else {
            self.partial.globals.push((global, at));
        }
    }
}
