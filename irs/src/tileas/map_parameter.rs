//! Tensor maps that the host makes, and hands to the kernel.

use tilewright_layouts::SwizzleMode;

use crate::core::{Arg, Args, Term, TermCodec, TermError};
use crate::element::ScalarType;

/// What the host says of a tensor map to the driver, as far as copies depend on it: `tensor_map<f16, box = [64, 128],
/// swizzle = "128B">`. (CUDA driver API, `cuTensorMapEncodeTiled`.)
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapParameter {
    /// The element type; loads by a map of `tf32` round numbers of type `f32`.
    pub element: ScalarType,
    /// The extents of a box, the innermost first.
    pub extents: Vec<u32>,
    /// The swizzle mode of a box in shared memory.
    pub swizzle: SwizzleMode,
}

impl TermCodec for MapParameter {
    fn write(&self) -> Term {
        let mut args = vec![
            self.element.write().into(),
            Arg::named("box", Term::ints(&self.extents)),
        ];
        if self.swizzle != SwizzleMode::None {
            args.push(Arg::named("swizzle", self.swizzle.write()));
        }
        Term::call("tensor_map", args)
    }

    fn read(term: &Term) -> Result<Self, TermError> {
        let Some(("tensor_map", args)) = term.as_call() else {
            return Err(term.wrong("`tensor_map<element, box = […]>`"));
        };
        let mut args = Args::new(term, args);
        let element = ScalarType::read(args.next("an element type")?)?;
        let extents = args.required("box")?.to_ints("the extents of a box")?;
        let swizzle = match args.named("swizzle") {
            None => SwizzleMode::None,
            Some(term) => SwizzleMode::read(term)?,
        };
        args.finish()?;
        Ok(Self {
            element,
            extents,
            swizzle,
        })
    }
}
