//! Synthesises debug scopes for functions without any, so that line tables can be generated.
//!
//! In: a module of `cuda_tile` and its debug information, which may be empty, or have locations with a file and a
//! line but no function (a `loc` whose scope is unknown). Out: debug information in which every function and every op
//! has a location with a scope. The program itself is not changed.
//!
//! - A function that has a scope is unchanged, and so are ops that have one.
//! - Another one gets a subprogram of its own name, which begins at the function's line; without one, at line 1 of
//!   the module's file, or of the file `<unknown>`.
//! - The compile unit of the subprogram has the module's file, which only texts record, or else the function's.
//! - An op with a file and a line keeps them, within the subprogram; for a call site, those of the caller. An op
//!   without a location gets the function's.
//!
//! Names of variables and lexical blocks are not synthesised.

use rustc_hash::FxHashMap;
use tilewright_irs::core::Entity;
use tilewright_irs::cuda_tile::{DebugAttr, DebugId, DebugInfo, SourceLocation, TileModule};

/// Adds scopes to functions and ops without any.
pub fn synthesize_debug_scopes(module: &TileModule, info: &DebugInfo) -> DebugInfo {
    let mut table = Table::new(info);
    table.info.funcs.resize_with(module.funcs.len(), Default::default);
    let whole = info.module.and_then(|id| table.position(id));
    for (at, func) in module.funcs.iter().enumerate() {
        let Some(old) = table.info.funcs.get(at).cloned() else {
            continue;
        };
        if old.func.is_some_and(|id| table.has_scope(id)) {
            continue;
        }
        let place = old.func.and_then(|id| table.position(id));
        let file = |place: &Position| place.file.clone();
        let place = place.unwrap_or(Position {
            file: whole.as_ref().map_or("<unknown>".to_owned(), file),
            line: 1,
            column: 1,
        });
        let unit = whole.as_ref().map_or(file(&place), file);
        let scope = table.subprogram(&func.name, &place, &unit);
        let own = table.place(scope, place);
        let ops = (0..func.body.op_count()).map(|op| {
            let id = old.ops.get(op).copied().flatten();
            match id {
                Some(id) if table.has_scope(id) => id,
                Some(id) => table.position(id).map_or(own, |place| table.place(scope, place)),
                None => own,
            }
        });
        let ops = ops.map(Some).collect();
        if let Some(locations) = table.info.funcs.get_mut(at) {
            locations.func = Some(own);
            locations.ops = ops;
        }
    }
    table.info
}

/// A file, a line and a column.
struct Position {
    file: String,
    line: u64,
    column: u64,
}

struct Table {
    info: DebugInfo,
    numbers: FxHashMap<DebugAttr, DebugId>,
}

impl Table {
    fn new(info: &DebugInfo) -> Self {
        let numbers = info.attrs.iter().cloned().enumerate();
        Self {
            numbers: numbers.map(|(at, attr)| (attr, DebugId::new(at))).collect(),
            info: info.clone(),
        }
    }

    fn add(&mut self, attr: DebugAttr) -> DebugId {
        if let Some(id) = self.numbers.get(&attr) {
            return *id;
        }
        let id = DebugId::new(self.info.attrs.len());
        self.info.attrs.push(attr.clone());
        self.numbers.insert(attr, id);
        id
    }

    /// Whether a location is in a function of the user's program.
    fn has_scope(&self, id: DebugId) -> bool {
        let Some(DebugAttr::Loc { scope, .. }) = self.info.scoped(id).and_then(|id| self.info.attr(id))
        else {
            return false;
        };
        matches!(
            self.info.attr(*scope),
            Some(DebugAttr::Subprogram { .. } | DebugAttr::LexicalBlock { .. })
        )
    }

    fn position(&self, id: DebugId) -> Option<Position> {
        let SourceLocation { file, line, column } = self.info.position(id)?;
        Some(Position {
            file,
            line: line.into(),
            column: column.into(),
        })
    }

    fn place(&mut self, scope: DebugId, place: Position) -> DebugId {
        let Position { file, line, column } = place;
        self.add(DebugAttr::Loc {
            scope,
            file: file.into(),
            line,
            column,
        })
    }

    fn file(&mut self, path: &str) -> DebugId {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.add(DebugAttr::File {
            name: name.to_owned(),
            directory: directory.to_owned(),
        })
    }

    /// A subprogram that begins at `place`, in the compile unit of the file `unit`.
    fn subprogram(&mut self, name: &str, place: &Position, unit: &str) -> DebugId {
        let file = self.file(&place.file);
        let unit = self.file(unit);
        let compile_unit = self.add(DebugAttr::CompileUnit { file: unit });
        self.add(DebugAttr::Subprogram {
            file,
            line: place.line,
            name: name.to_owned(),
            linkage_name: name.to_owned(),
            compile_unit,
            scope_line: place.line,
            declaration: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilewright_irs::core::{Body, Func, Origin};
    use tilewright_irs::cuda_tile::{ControlOp, EntryAttrs, FuncLocations, Version};

    /// A module of two functions of two ops each.
    fn module() -> TileModule {
        let mut body = Body::default();
        let root = body.root();
        let block = body.add_block(root);
        for _ in 0..2 {
            let op = ControlOp::Return { operands: Vec::new() };
            body.add_op(block, op.into(), [], Origin(0), ());
        }
        let func = |name: &str| Func {
            name: name.to_owned(),
            attrs: EntryAttrs::default(),
            body: body.clone(),
        };
        let mut module = TileModule::new(Version::LATEST);
        module.funcs = vec![func("first"), func("second")];
        module
    }

    fn scope_of(info: &DebugInfo, func: usize, origin: Origin) -> &DebugAttr {
        let id = info.id(func, origin).expect("a place");
        match info.attr(id).expect("an attribute") {
            DebugAttr::Loc { scope, .. } => info.attr(*scope).expect("a scope"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn functions_without_anything_get_a_subprogram_of_an_unknown_file() {
        let info = synthesize_debug_scopes(&module(), &DebugInfo::default());
        for (at, name) in ["first", "second"].into_iter().enumerate() {
            for origin in [Origin::FUNCTION, Origin(0), Origin(1)] {
                let DebugAttr::Subprogram {
                    name: has,
                    line,
                    scope_line,
                    ..
                } = scope_of(&info, at, origin)
                else {
                    panic!("no subprogram");
                };
                assert_eq!((has.as_str(), *line, *scope_line), (name, 1, 1));
                let place = info.location(at, origin).expect("a place");
                assert_eq!((place.file.as_str(), place.line), ("<unknown>", 1));
            }
        }
        // One file and one compile unit for both.
        let files = info
            .attrs
            .iter()
            .filter(|attr| matches!(attr, DebugAttr::File { .. }));
        assert_eq!(files.count(), 1);
    }

    #[test]
    fn places_without_a_scope_keep_their_lines() {
        let loc = |file: &str, line| DebugAttr::Loc {
            scope: DebugId(0),
            file: file.into(),
            line,
            column: 4,
        };
        let call = DebugAttr::CallSite {
            callee: Some(DebugId(0)),
            caller: Some(DebugId(2)),
        };
        let old = DebugInfo {
            attrs: vec![
                DebugAttr::Unknown,
                loc("dir/file.py", 10),
                loc("dir/file.py", 12),
                call,
            ],
            module: None,
            funcs: vec![FuncLocations {
                func: Some(DebugId(1)),
                ops: vec![Some(DebugId(3)), None],
            }],
            ..DebugInfo::default()
        };
        let info = synthesize_debug_scopes(&module(), &old);
        let line = |origin| info.location(0, origin).map(|place| (place.file, place.line));
        assert_eq!(line(Origin::FUNCTION), Some(("dir/file.py".to_owned(), 10)));
        assert_eq!(line(Origin(0)), Some(("dir/file.py".to_owned(), 12)));
        assert_eq!(line(Origin(1)), Some(("dir/file.py".to_owned(), 10)));
        assert!(matches!(
            scope_of(&info, 0, Origin(0)),
            DebugAttr::Subprogram { name, line: 10, .. } if name == "first"
        ));
        let file = DebugAttr::File {
            name: "file.py".to_owned(),
            directory: "dir".to_owned(),
        };
        assert!(info.attrs.contains(&file));
    }

    #[test]
    fn the_compile_unit_is_of_the_modules_file() {
        let place = |file: &str, line| DebugAttr::Place {
            file: file.into(),
            line,
            column: 4,
            end: None,
        };
        let old = DebugInfo {
            attrs: vec![place("dir/file.py", 10), place("lib/other.py", 3)],
            module: Some(DebugId(1)),
            funcs: vec![FuncLocations {
                func: Some(DebugId(0)),
                ops: Vec::new(),
            }],
            ..DebugInfo::default()
        };
        let info = synthesize_debug_scopes(&module(), &old);
        let name_of = |file: DebugId| match info.attr(file) {
            Some(DebugAttr::File { name, directory }) => format!("{directory}/{name}"),
            other => panic!("{other:?}"),
        };
        for (func, own, line) in [(0, "dir/file.py", 10), (1, "lib/other.py", 1)] {
            let DebugAttr::Subprogram {
                file,
                compile_unit,
                line: has,
                ..
            } = scope_of(&info, func, Origin::FUNCTION)
            else {
                panic!("no subprogram");
            };
            assert_eq!((name_of(*file).as_str(), *has), (own, line));
            let Some(DebugAttr::CompileUnit { file }) = info.attr(*compile_unit) else {
                panic!("no compile unit");
            };
            assert_eq!(name_of(*file), "lib/other.py");
            let place = info.location(func, Origin::FUNCTION).expect("a place");
            assert_eq!((place.file.as_str(), u64::from(place.line)), (own, line));
        }
    }

    #[test]
    fn what_has_a_scope_stays() {
        let once = synthesize_debug_scopes(&module(), &DebugInfo::default());
        assert_eq!(synthesize_debug_scopes(&module(), &once), once);
    }
}
