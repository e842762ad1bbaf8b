//! Debug information: where in the user's own program the ops stem from.
//!
//! It stands beside a module, not in it: two modules that differ in it alone are equal.

use std::sync::Arc;

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
    /// A place that is not known.
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
    /// A place in a file.
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
    /// A place in a function that was put in place of a call.
    CallSite {
        /// The place in the called function.
        callee: DebugId,
        /// The place of the call.
        caller: DebugId,
    },
}

/// The places of a function and of its ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FuncLocations {
    /// The function's own place.
    pub func: Option<DebugId>,
    /// The place of each op, by its origin: the op's index in textual order.
    pub ops: Vec<Option<DebugId>>,
}

/// The debug information of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugInfo {
    /// The attributes.
    pub attrs: Vec<DebugAttr>,
    /// One entry for each of the module's functions.
    pub funcs: Vec<FuncLocations>,
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// The file's name, as stored.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 0.
    pub column: u32,
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

    /// The places that `id` stands for: the innermost first, then the calls that led there.
    pub fn chain(&self, id: DebugId) -> Vec<SourceLocation> {
        let mut places = Vec::new();
        let mut next = Some(id);
        // A chain of calls is no longer than the table; the bound ends one that runs in a circle.
        for _ in 0..=self.attrs.len() {
            let Some(attr) = next.take().and_then(|id| self.attr(id)) else {
                break;
            };
            if let DebugAttr::CallSite { callee, caller } = attr {
                places.extend(self.place(*callee));
                next = Some(*caller);
            } else if let DebugAttr::Loc {
                file, line, column, ..
            } = attr
            {
                places.push(source(file, *line, *column));
            }
        }
        places
    }

    /// The innermost place of a callee, which may be a call itself.
    fn place(&self, mut id: DebugId) -> Option<SourceLocation> {
        for _ in 0..=self.attrs.len() {
            match self.attr(id)? {
                DebugAttr::CallSite { callee, .. } => id = *callee,
                DebugAttr::Loc {
                    file, line, column, ..
                } => return Some(source(file, *line, *column)),
                DebugAttr::Unknown
                | DebugAttr::CompileUnit { .. }
                | DebugAttr::File { .. }
                | DebugAttr::LexicalBlock { .. }
                | DebugAttr::Subprogram { .. } => return None,
            }
        }
        None
    }

    /// The innermost place of an op, or of a function.
    pub fn location(&self, func: usize, origin: Origin) -> Option<SourceLocation> {
        self.chain(self.id(func, origin)?).into_iter().next()
    }
}

fn source(file: &str, line: u64, column: u64) -> SourceLocation {
    SourceLocation {
        file: file.to_owned(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    }
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
            callee: DebugId(1),
            caller: DebugId(2),
        };
        let info = DebugInfo {
            attrs: vec![DebugAttr::Unknown, loc(10), loc(20), call],
            funcs: vec![FuncLocations {
                func: None,
                ops: vec![Some(DebugId(3)), None],
            }],
        };
        let lines: Vec<_> = info.chain(DebugId(3)).iter().map(|place| place.line).collect();
        assert_eq!(lines, [10, 20]);
        assert_eq!(info.location(0, Origin(0)).map(|place| place.line), Some(10));
        assert_eq!(info.location(0, Origin(1)), None);
    }

    #[test]
    fn a_circle_of_calls_ends() {
        let attrs = vec![DebugAttr::CallSite {
            callee: DebugId(0),
            caller: DebugId(0),
        }];
        let info = DebugInfo {
            attrs,
            funcs: Vec::new(),
        };
        assert!(info.chain(DebugId(0)).is_empty());
    }
}
