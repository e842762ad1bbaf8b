//! Debug information: the source locations of ops in the user's program.
//!
//! It is stored beside a module, so that modules that differ only in it are equal.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::attrs::Attr;
use crate::core::{Entity, Origin};

/// An entry of the table of debug attributes, by its index from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DebugId(pub u32);

impl Entity for DebugId {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A debug attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DebugAttr {
    /// An unknown location.
    Unknown,
    /// A unit of compilation.
    CompileUnit {
        /// Its file.
        file: DebugId,
    },
    /// A file.
    File {
        /// The name, as the front end gave it.
        name: String,
        /// The directory.
        directory: String,
    },
    /// A block in a function.
    LexicalBlock {
        /// A subprogram or another block.
        scope: DebugId,
        /// The file.
        file: DebugId,
        /// The line, from 1.
        line: u64,
        /// The column, from 0.
        column: u64,
    },
    /// A location in a function.
    Loc {
        /// A subprogram or a block.
        scope: DebugId,
        /// The name of the file, which most places share.
        file: Arc<str>,
        /// The line, from 1.
        line: u64,
        /// The column, from 0.
        column: u64,
    },
    /// A function of the user's program.
    Subprogram {
        /// The file.
        file: DebugId,
        /// The line, from 1.
        line: u64,
        /// The name.
        name: String,
        /// The symbol.
        linkage_name: String,
        /// The unit of compilation.
        compile_unit: DebugId,
        /// The line of the function's scope.
        scope_line: u64,
        /// Whether it is declared only (from 13.5 on).
        declaration: bool,
    },
    /// A location in an inlined function.
    CallSite {
        /// The location in the called function; `None` for an unknown one.
        callee: Option<DebugId>,
        /// The location of the call; `None` for an unknown one.
        caller: Option<DebugId>,
    },
    /// A location in a file, outside of functions. Bytecode stores it as an unknown location.
    Place {
        /// The name of the file.
        file: Arc<str>,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: u64,
        /// The line and the column of the end, for a range.
        end: Option<(u64, u64)>,
    },
    /// A named location. Texts only.
    Name {
        /// The name.
        name: String,
        /// The location; `None` for an unknown one.
        place: Option<DebugId>,
    },
    /// A fused location. Texts only.
    Fused {
        /// Its metadata.
        metadata: Option<Attr>,
        /// The locations; `None` for an unknown one.
        places: Vec<Option<DebugId>>,
    },
}

/// The locations of a function and of its ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncLocations {
    /// The function's own location.
    pub func: Option<DebugId>,
    /// The location of each op, by its origin: the op's index in textual order.
    pub ops: Vec<Option<DebugId>>,
}

/// The debug information of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugInfo {
    /// The attributes.
    pub attrs: Vec<DebugAttr>,
    /// The module's own location. Texts only.
    pub module: Option<DebugId>,
    /// One entry for each of the module's functions.
    pub funcs: Vec<FuncLocations>,
    /// The location of each of the module's external functions.
    pub externals: Vec<Option<DebugId>>,
}

/// A location in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file's name, as stored.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 0.
    pub column: u32,
}

/// A location, and the name of the function that it is in, if it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The location.
    pub place: SourceLocation,
    /// The function's name in the user's program.
    pub function: Option<String>,
}

impl DebugInfo {
    /// The attribute `id`.
    pub fn attr(&self, id: DebugId) -> Option<&DebugAttr> {
        self.attrs.get(id.index())
    }

    /// The debug attribute of the op with this origin in the module's `func`-th function, or of the function.
    pub fn id(&self, func: usize, origin: Origin) -> Option<DebugId> {
        let locations = self.funcs.get(func)?;
        if origin == Origin::FUNCTION {
            return locations.func;
        }
        locations
            .ops
            .get(usize::try_from(origin.0).ok()?)
            .copied()
            .flatten()
    }

    /// The locations of `id`: the innermost first, then the calls that led there.
    pub fn chain(&self, id: DebugId) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut next = vec![id];
        // A chain of calls is no longer than the table; the bound terminates cycles.
        for _ in 0..=2 * self.attrs.len() {
            let Some(id) = next.pop() else { break };
            match self.known(id) {
                Some(DebugAttr::CallSite { callee, caller }) => next.extend(caller.iter().chain(callee)),
                Some(attr) => frames.extend(source(attr).map(|place| Frame {
                    place,
                    function: self.function_of(attr),
                })),
                None => {}
            }
        }
        frames
    }

    /// The name of the function that a location is in.
    fn function_of(&self, location: &DebugAttr) -> Option<String> {
        let DebugAttr::Loc { scope, .. } = location else {
            return None;
        };
        let mut scope = *scope;
        // Blocks are nested no deeper than the table is long.
        for _ in 0..=self.attrs.len() {
            match self.attr(scope)? {
                DebugAttr::LexicalBlock { scope: outer, .. } => scope = *outer,
                DebugAttr::Subprogram { name, .. } => return Some(name.clone()),
                _ => return None,
            }
        }
        None
    }

    /// The location that determines the function of `id`: that of the caller for a call site, the first one for a
    /// fused location.
    pub fn scoped(&self, id: DebugId) -> Option<DebugId> {
        let is_scoped = |attr: &DebugAttr| matches!(attr, DebugAttr::Loc { .. });
        self.search(id, Follow::Caller, is_scoped)
    }

    /// The file, the line and the column of `id`: those of the caller for a call site; a location in a function
    /// before others.
    pub fn position(&self, id: DebugId) -> Option<SourceLocation> {
        let plain = |attr: &DebugAttr| matches!(attr, DebugAttr::Place { .. });
        let found = self
            .scoped(id)
            .or_else(|| self.search(id, Follow::Caller, plain))?;
        source(self.attr(found)?)
    }

    /// The call site or the location in names and fused locations: a location in a function before others.
    fn known(&self, id: DebugId) -> Option<&DebugAttr> {
        let scoped = |attr: &DebugAttr| matches!(attr, DebugAttr::Loc { .. } | DebugAttr::CallSite { .. });
        let plain = |attr: &DebugAttr| matches!(attr, DebugAttr::Place { .. });
        let found = self.search(id, Follow::Nothing, scoped);
        self.attr(found.or_else(|| self.search(id, Follow::Nothing, plain))?)
    }

    /// The first wanted attribute in `id`, through names and fused locations.
    fn search(&self, id: DebugId, follow: Follow, wanted: impl Fn(&DebugAttr) -> bool) -> Option<DebugId> {
        // Most locations are wanted themselves; they need no allocation.
        if wanted(self.attr(id)?) {
            return Some(id);
        }
        let mut stack = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            let attr = self.attr(id)?;
            if wanted(attr) {
                return Some(id);
            }
            if !seen.insert(id) {
                continue;
            }
            match attr {
                DebugAttr::CallSite { caller, .. } => match follow {
                    Follow::Caller => stack.extend(caller),
                    Follow::Nothing => {}
                },
                DebugAttr::Name { place, .. } => stack.extend(place),
                DebugAttr::Fused { places, .. } => stack.extend(places.iter().rev().flatten()),
                DebugAttr::Unknown
                | DebugAttr::CompileUnit { .. }
                | DebugAttr::File { .. }
                | DebugAttr::LexicalBlock { .. }
                | DebugAttr::Loc { .. }
                | DebugAttr::Subprogram { .. }
                | DebugAttr::Place { .. } => {}
            }
        }
        None
    }

    /// The innermost location of an op, or of a function.
    pub fn location(&self, func: usize, origin: Origin) -> Option<SourceLocation> {
        let innermost = self.chain(self.id(func, origin)?).into_iter().next();
        innermost.map(|frame| frame.place)
    }
}

/// The continuation of a search at a call site.
#[derive(Clone, Copy)]
enum Follow {
    Caller,
    Nothing,
}

/// The file, the line and the column of a location that has them.
fn source(attr: &DebugAttr) -> Option<SourceLocation> {
    let (file, line, column) = match attr {
        DebugAttr::Loc {
            file, line, column, ..
        }
        | DebugAttr::Place {
            file, line, column, ..
        } => (file, *line, *column),
        DebugAttr::Unknown
        | DebugAttr::CompileUnit { .. }
        | DebugAttr::File { .. }
        | DebugAttr::LexicalBlock { .. }
        | DebugAttr::Subprogram { .. }
        | DebugAttr::CallSite { .. }
        | DebugAttr::Name { .. }
        | DebugAttr::Fused { .. } => return None,
    };
    Some(SourceLocation {
        file: file.to_string(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_site_leads_to_its_callee_then_its_caller() {
        let loc = |line| DebugAttr::Loc {
            scope: DebugId(0),
            file: "f.py".into(),
            line,
            column: 2,
        };
        let call = DebugAttr::CallSite {
            callee: Some(DebugId(1)),
            caller: Some(DebugId(2)),
        };
        let info = DebugInfo {
            attrs: vec![DebugAttr::Unknown, loc(10), loc(20), call],
            module: None,
            funcs: vec![FuncLocations {
                func: None,
                ops: vec![Some(DebugId(3)), None],
            }],
            ..DebugInfo::default()
        };
        let lines: Vec<_> = info
            .chain(DebugId(3))
            .iter()
            .map(|frame| frame.place.line)
            .collect();
        assert_eq!(lines, [10, 20]);
        assert_eq!(info.location(0, Origin(0)).map(|place| place.line), Some(10));
        assert_eq!(info.location(0, Origin(1)), None);
    }

    #[test]
    fn a_name_and_a_list_stand_for_the_first_place_in_a_function() {
        let place = |line| DebugAttr::Place {
            file: "f.py".into(),
            line,
            column: 1,
            end: None,
        };
        let list = |places: &[Option<u32>]| DebugAttr::Fused {
            metadata: None,
            places: places.iter().map(|id| id.map(DebugId)).collect(),
        };
        let in_function = DebugAttr::Loc {
            scope: DebugId(9),
            file: "f.py".into(),
            line: 2,
            column: 1,
        };
        let named = DebugAttr::Name {
            name: "n".to_owned(),
            place: Some(DebugId(3)),
        };
        let attrs = vec![
            place(1),
            in_function,
            list(&[None, Some(0), Some(1)]),
            list(&[None, Some(0), Some(3)]),
            named,
        ];
        let info = DebugInfo {
            attrs,
            ..DebugInfo::default()
        };
        let line = |id| info.position(DebugId(id)).map(|place| place.line);
        assert_eq!([0, 1, 2, 3, 4].map(line), [1, 2, 2, 1, 1].map(Some));
        assert_eq!(info.scoped(DebugId(2)), Some(DebugId(1)));
        assert_eq!(info.scoped(DebugId(4)), None);
        assert_eq!(info.chain(DebugId(2)).len(), 1);
    }

    #[test]
    fn a_circle_of_calls_ends() {
        let attrs = vec![DebugAttr::CallSite {
            callee: Some(DebugId(0)),
            caller: Some(DebugId(0)),
        }];
        let info = DebugInfo {
            attrs,
            ..DebugInfo::default()
        };
        assert!(info.chain(DebugId(0)).is_empty());
    }
}
