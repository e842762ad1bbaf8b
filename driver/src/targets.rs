//! The supported GPUs, and aliases of their names.

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::cuda_tile::check_target;
use tilewright_irs::ptx::Target;

use crate::database::Db;
use crate::kernel::Kernel;
use crate::source_map::place;
use crate::units::Stage;

/// The target for bytecode, and for text that names no target.
pub const DEFAULT: Target = Target::sm_a(90);

/// The supported targets: one for each GPU that programs may name, architecture-specific (`sm_NNa`) where there is such
/// a target.
pub const SUPPORTED: &[Target] = &[
    Target::sm(80),
    Target::sm(86),
    Target::sm(87),
    Target::sm(88),
    Target::sm(89),
    Target::sm_a(90),
    Target::sm_a(100),
    Target::sm_a(103),
    Target::sm_a(107),
    Target::sm_a(110),
    Target::sm_a(120),
    Target::sm_a(121),
];

/// The target of this name. From `sm_90` on, a name without a letter stands for the one with an `a`.
///
/// # Errors
/// A diagnostic without a location if there is no such target.
pub fn parse<At>(name: &str) -> Result<Target, Diagnostic<At>> {
    let found = Target::parse(name).and_then(|target| {
        let same = |known: &&Target| {
            **known == target
                || (known.sm == target.sm
                    && target == Target::sm(target.sm)
                    && **known == Target::sm_a(target.sm))
        };
        SUPPORTED.iter().find(same).copied()
    });
    found.ok_or_else(|| {
        let names: Vec<_> = SUPPORTED.iter().map(ToString::to_string).collect();
        let message = format!(
            "there is no target '{name}', expected one of {}",
            names.join(", ")
        );
        Diagnostic::error(Code::UnknownTarget, message)
    })
}

/// The requirements of a `cuda_tile` kernel that a target does not meet.
pub(crate) fn lacking<'db>(
    db: &'db dyn Db,
    kernel: Kernel<'db>,
    target: Target,
) -> Vec<Diagnostic<Location>> {
    let Stage::CudaTile(unit) = kernel.body(db) else {
        return Vec::new();
    };
    let lacks = check_target(&unit.func, target).into_iter();
    let (places, name) = (kernel.places(db), kernel.name(db));
    lacks.map(|problem| place(problem, places, name)).collect()
}

#[cfg(test)]
mod tests {
    use tilewright_irs::cuda_tile::ARCHITECTURES;

    use super::*;

    #[test]
    fn a_name_without_a_letter_stands_for_the_architecture() {
        for (name, want) in [
            ("sm_90", "sm_90a"),
            ("sm_100", "sm_100a"),
            ("sm_103", "sm_103a"),
            ("sm_107", "sm_107a"),
            ("sm_110", "sm_110a"),
            ("sm_120", "sm_120a"),
            ("sm_121", "sm_121a"),
        ] {
            assert_eq!(
                parse::<()>(name).map(|target| target.to_string()),
                Ok(want.to_owned())
            );
        }
        assert_eq!(parse::<()>("sm_80"), Ok(Target::sm(80)));
        assert_eq!(parse::<()>("sm_90a"), Ok(Target::sm_a(90)));
    }

    #[test]
    fn there_is_code_for_every_gpu_that_hints_may_name() {
        let targets: Vec<u16> = SUPPORTED.iter().map(|target| target.sm).collect();
        assert_eq!(targets, ARCHITECTURES);
        assert!(SUPPORTED.iter().all(|target| target.is_known()));
    }

    #[test]
    fn other_names_are_refused_with_the_list() {
        for name in [
            "sm_70",
            "sm_80a",
            "sm_90f",
            "sm_95",
            "sm_107f",
            "90",
            "sm_",
            "",
            "sm_99999999999",
        ] {
            let problem = parse::<()>(name).expect_err(name);
            assert_eq!(problem.code, Code::UnknownTarget);
            assert!(problem.message.contains("sm_120a"), "{problem:?}");
        }
    }
}
