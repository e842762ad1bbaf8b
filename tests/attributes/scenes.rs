//! The kernels of golden cases, as trees that can be changed and read again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tilewright::{Compiler, Stage, TileKernel, reading};
use tilewright_irs::core::{Func, FuncTree, Language, Mark, OpTree, RegionTree, Term, func_tree, read_func};
use tilewright_irs::cuda_tile::CudaTile;
use tilewright_irs::cute_desugared::CuteDesugared;
use tilewright_irs::llvm::Llvm;
use tilewright_irs::nvvm::Nvvm;
use tilewright_irs::scheduled::Scheduled;
use tilewright_irs::tileaa::TileAa;
use tilewright_irs::tileas::TileAs;

/// The syntax trees of kernels, whatever their language is.
pub(crate) trait Trees {
    /// Its tree; `None` in PTX and `cute`, whose texts have other forms.
    fn tree(&self) -> Option<FuncTree>;
    /// A kernel of the same module with this tree, which need not obey the rules of its language, and the marks of its ops by their
    /// origins.
    fn reread(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)>;
    /// Such a kernel that obeys them.
    fn with(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)>;
}

fn read<L: Language>(tree: &FuncTree) -> Option<(Func<L>, Vec<Mark>)> {
    read_func(tree).ok().map(|read| (read.func, read.marks))
}

macro_rules! trees {
    ($($language:ident),+) => {
        impl Trees for Stage {
            fn tree(&self) -> Option<FuncTree> {
                match self {
                    Self::CudaTile(kernel) => Some(func_tree(&kernel.func)),
                    $(Self::$language(func) => Some(func_tree(func)),)+
                    Self::Cute(_) | Self::Ptx(_) => None,
                }
            }
            fn reread(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)> {
                match self {
                    Self::CudaTile(kernel) => {
                        let (func, marks) = read::<CudaTile>(tree)?;
                        let module = Arc::clone(&kernel.module);
                        Some((Arc::new(TileKernel { func, module }).into(), marks))
                    }
                    $(Self::$language(_) => {
                        let (func, marks) = read::<$language>(tree)?;
                        Some((Arc::new(func).into(), marks))
                    })+
                    Self::Cute(_) | Self::Ptx(_) => None,
                }
            }
            fn with(&self, tree: &FuncTree) -> Option<(Stage, Vec<Mark>)> {
                self.reread(tree).filter(|(stage, _)| stage.verify().is_empty())
            }
        }
    };
}

trees!(TileAa, TileAs, Scheduled, CuteDesugared, Llvm, Nvvm);

/// Every op of a tree, each before those in it.
pub(crate) fn each_op(region: &mut RegionTree, visit: &mut dyn FnMut(&mut OpTree)) {
    for op in region.blocks.iter_mut().flat_map(|block| &mut block.ops) {
        visit(op);
        op.regions
            .iter_mut()
            .for_each(|(_, region)| each_op(region, visit));
    }
}

/// The input files of golden cases, with the pass that each is about.
pub(crate) fn inputs() -> Vec<(String, PathBuf)> {
    let golden = tilewright_tests::repository().join("golden");
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let mut all = Vec::new();
    for folder in entries(&golden).into_iter().filter(|path| path.is_dir()) {
        let name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let Some((_, pass)) = name.split_once('.') else {
            continue;
        };
        let is_input = |path: &PathBuf| path.to_string_lossy().contains(".in.");
        all.extend(
            entries(&folder)
                .into_iter()
                .filter(is_input)
                .map(|path| (pass.to_owned(), path)),
        );
    }
    all
}

/// A kernel, read from its tree, in which ops have their numbers as marks.
pub(crate) struct Scene {
    /// The pass whose golden case it is.
    pub(crate) of: String,
    pub(crate) file: String,
    pub(crate) tree: FuncTree,
    pub(crate) stage: Stage,
    /// The mark of each op by its origin.
    pub(crate) marks: Vec<Mark>,
    /// The ops with their numbers, which may have attributes, and the function.
    pub(crate) ops: Vec<(Option<u32>, &'static str)>,
}

/// The kernels of files, each with the pass whose golden case it is.
pub(crate) fn scenes(inputs: Vec<(String, PathBuf)>) -> Vec<Scene> {
    let mut compiler = Compiler::new();
    let mut all = Vec::new();
    for (of, path) in inputs {
        let file = path.strip_prefix(tilewright_tests::repository()).unwrap_or(&path);
        let file = file.display().to_string();
        let source = compiler.add_source(&file, fs::read(&path).unwrap_or_default());
        let parsed = reading::parse(&compiler, source);
        let scene = |&kernel: &tilewright::Kernel<'_>| {
            let mut tree = kernel.body(&compiler).tree()?;
            let names: BTreeSet<_> = kernel
                .language(&compiler)
                .declared()
                .attributes()
                .iter()
                .map(|spec| spec.op)
                .collect();
            let mut number = 0;
            let mut ops = vec![(None, "")];
            each_op(&mut tree.body, &mut |op| {
                op.name.mark = Mark(number);
                ops.extend(names.get(op.name.text.as_str()).map(|&name| (Some(number), name)));
                number += 1;
            });
            let (stage, marks) = kernel.body(&compiler).with(&tree)?;
            Some(Scene {
                of: of.clone(),
                file: file.clone(),
                tree,
                stage,
                marks,
                ops,
            })
        };
        all.extend(parsed.kernels.iter().filter_map(scene));
    }
    all
}

/// The values that an attribute of an op has somewhere.
pub(crate) type Values = BTreeMap<(&'static str, &'static str), Vec<Term>>;

pub(crate) fn values(scenes: &[Scene]) -> Values {
    let mut all = Values::new();
    for found in scenes.iter().flat_map(|scene| scene.stage.attributes()) {
        let values = all.entry((found.op, found.name)).or_default();
        if let Some(value) = found.value
            && values.len() < 6
            && !values.contains(&value)
        {
            values.push(value);
        }
    }
    all
}
