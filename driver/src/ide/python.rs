//! The lines of a Python file that the ops of modules were compiled from, according to the modules' debug information.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use tilewright_diagnostics::Location;
use tilewright_irs::core::Origin;

use super::functions::{Function, functions};
use crate::database::Compiler;
use crate::inputs::Source;

/// A Python file.
#[derive(Clone, Debug)]
pub struct PythonFile {
    path: PathBuf,
    /// The path with symbolic links resolved, if that is another one.
    target: Option<PathBuf>,
}

impl PythonFile {
    /// A file with this path. Symbolic links are resolved now, and not again.
    pub fn new(path: PathBuf) -> Self {
        let target = path.canonicalize().ok().filter(|target| *target != path);
        Self { path, target }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a path in debug information means this file: it is the file's path, or the end of it.
    fn is_named(&self, said: &Path) -> bool {
        match said.is_absolute() {
            true => self.path == said || self.target.as_deref() == Some(said),
            false => self.path.ends_with(said.strip_prefix(".").unwrap_or(said)),
        }
    }
}

/// A place in a Python file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 0.
    pub line: u32,
    /// The column in bytes, from 0.
    pub column: u32,
}

/// A place, and an op that was compiled from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The place.
    pub place: Place,
    /// The op.
    pub origin: Origin,
}

/// The place of a location in a file, if it is in that file.
pub fn place_in(location: &Location, file: &PythonFile) -> Option<Place> {
    match location {
        Location::Source { path, line, column } if file.is_named(Path::new(path)) => Some(Place {
            line: line.checked_sub(1)?,
            column: *column,
        }),
        Location::Source { .. } | Location::Span(_) | Location::Offset { .. } => None,
    }
}

/// The kernels of modules that were compiled from a file, with their places in it. Of several kernels of one name, only that of
/// the first module counts.
pub fn kernels<'db>(db: &'db Compiler, modules: &[Source], file: &PythonFile) -> Vec<(Function<'db>, Place)> {
    let mut names = FxHashSet::default();
    let all = modules.iter().flat_map(|&module| functions(db, module));
    let placed = all.filter_map(|function| {
        let place = place_of(&function, Origin::FUNCTION, file)?;
        names.insert(function.name).then_some((function, place))
    });
    placed.collect()
}

/// The modules with such a kernel, and those without any kernel, whose errors may be of interest.
pub fn current_modules(db: &Compiler, modules: &[Source], file: &PythonFile) -> Vec<Source> {
    let mut names = FxHashSet::default();
    let mut is_current = |module: Source| {
        let all = functions(db, module);
        let fresh = all.iter().filter(|function| {
            place_of(function, Origin::FUNCTION, file).is_some() && names.insert(function.name)
        });
        all.is_empty() || fresh.count() > 0
    };
    let mut current = modules.to_vec();
    current.retain(|&module| is_current(module));
    current
}

/// The ops of a kernel that were compiled from a file.
pub fn sites(function: &Function<'_>, file: &PythonFile) -> Vec<Site> {
    let origins = (0..).map(Origin).take(function.places.op_count());
    let sites = origins.filter_map(|origin| {
        let place = place_of(function, origin, file)?;
        Some(Site { place, origin })
    });
    sites.collect()
}

/// The innermost place in a file among the calls that led to an op or, with [`Origin::FUNCTION`], to a kernel.
fn place_of(function: &Function<'_>, origin: Origin, file: &PythonFile) -> Option<Place> {
    let frames = function.places.frames(origin).into_iter();
    frames.filter_map(|frame| place_in(&frame.location, file)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_its_path_or_the_end_of_it() {
        let file = PythonFile::new("/home/me/kernels/sum.py".into());
        let named = |said| file.is_named(Path::new(said));
        assert!(named("/home/me/kernels/sum.py") && named("sum.py") && named("./kernels/sum.py"));
        assert!(!named("/home/you/kernels/sum.py") && !named("um.py") && !named("other/sum.py"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_named_by_the_path_that_a_link_leads_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("it is there");
        let (own, link) = (folder.join("own.py"), folder.join("link.py"));
        std::fs::write(&own, "").expect("it is written");
        std::os::unix::fs::symlink(&own, &link).expect("it is linked");
        let file = PythonFile::new(link.clone());
        assert!(file.is_named(&own) && file.is_named(&link));
        assert!(!file.is_named(&folder.join("other.py")));
    }
}
