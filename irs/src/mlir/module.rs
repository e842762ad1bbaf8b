//! Modules of MLIR text: kernels, the functions of the host that launch them, and the language itself.

use super::attribute::Dictionary;
use super::ops::MlirOp;
use super::types::Type;
use crate::core::{Func, Language, Problems};
use crate::cute_types::Dialect;

/// The language of MLIR text with `cute`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mlir;

crate::attributes! {
    /// Attributes of a kernel or of a function.
    #[derive(Default)]
    pub struct FunctionAttributes {
        /// Whose `cute` its ops are of.
        dialect in Meaning: Dialect,
        /// The types of the results.
        results in Meaning: Vec<Type>,
        /// The properties and attributes besides its name and its type.
        attributes in Meaning: Dictionary,
    }
}

impl Language for Mlir {
    const NAME: &'static str = "cute";
    type Type = Type;
    type Op = MlirOp;
    type Tag = Dictionary;
    type FuncAttrs = FunctionAttributes;

    fn verify(func: &Func<Self>, problems: &mut Problems) {
        super::verify::verify(func, problems);
    }
}

/// A module of the GPU: its kernels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GpuModule {
    /// The symbol.
    pub name: String,
    /// Its other attributes.
    pub attributes: Dictionary,
    /// The kernels, in order.
    pub kernels: Vec<Func<Mlir>>,
}

/// A part of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// Kernels.
    Gpu(GpuModule),
    /// A function of the host.
    Function(Func<Mlir>),
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MlirModule {
    /// The attributes of the module.
    pub attributes: Dictionary,
    /// Its parts, in order.
    pub items: Vec<Item>,
}

impl MlirModule {
    /// The dialect of its functions: the open one, if all are of it.
    pub fn dialect(&self) -> Dialect {
        let mut functions = self.in_order().peekable();
        let open = |(function, _): (&Func<Mlir>, bool)| function.attrs.dialect == Dialect::Open;
        match functions.peek().is_some() && functions.all(open) {
            true => Dialect::Open,
            false => Dialect::Library,
        }
    }

    /// The module with only this kernel, in its place.
    #[must_use]
    pub fn with_kernel(&self, kernel: Func<Mlir>) -> Self {
        let mut module = self.clone();
        module.place(kernel);
        module
    }

    /// Puts a kernel behind the others of the first module of the GPU; of one of its own if there is none.
    pub fn place(&mut self, kernel: Func<Mlir>) {
        let gpu = self.items.iter_mut().find_map(|item| match item {
            Item::Gpu(gpu) => Some(gpu),
            Item::Function(_) => None,
        });
        match gpu {
            Some(gpu) => gpu.kernels.push(kernel),
            None => self.items.push(Item::Gpu(GpuModule {
                name: "kernels".to_owned(),
                attributes: Dictionary::default(),
                kernels: vec![kernel],
            })),
        }
    }

    /// Takes all kernels out of the module.
    pub fn take_kernels(&mut self) -> Vec<Func<Mlir>> {
        let gpu = self.items.iter_mut().filter_map(|item| match item {
            Item::Gpu(gpu) => Some(std::mem::take(&mut gpu.kernels)),
            Item::Function(_) => None,
        });
        gpu.flatten().collect()
    }

    /// Every kernel, in order.
    pub fn kernels(&self) -> impl Iterator<Item = &Func<Mlir>> {
        let gpu = self.items.iter().filter_map(|item| match item {
            Item::Gpu(module) => Some(&module.kernels),
            Item::Function(_) => None,
        });
        gpu.flatten()
    }

    /// Every kernel and function, in the order of the text, and whether it is a kernel.
    pub fn in_order(&self) -> impl Iterator<Item = (&Func<Mlir>, bool)> {
        self.items.iter().flat_map(|item| {
            let (functions, is_kernel) = match item {
                Item::Gpu(module) => (module.kernels.as_slice(), true),
                Item::Function(function) => (std::slice::from_ref(function), false),
            };
            functions.iter().map(move |function| (function, is_kernel))
        })
    }

    /// Every function of the host, in order.
    pub fn functions(&self) -> impl Iterator<Item = &Func<Mlir>> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Gpu(_) => None,
        })
    }
}
