//! The supported GPUs, and aliases of their names.

use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::cuda_tile::{ARCHITECTURES, check_target};
use tilewright_irs::ptx::Target;

use crate::database::Db;
use crate::kernel::Kernel;
use crate::source_map::place;
use crate::units::Stage;

/// The target of bytecode and text that name none.
pub const DEFAULT: Target = Target::sm_a(90);

/// The supported targets.
pub const SUPPORTED: &[Target] = &[
    Target::sm(80),
    Target::sm(86),
    Target::sm(89),
    Target::sm_a(90),
    Target::sm_a(100),
    Target::sm_a(103),
    Target::sm_a(120),
];

/// The target of this name. `sm_90`, `sm_100`, `sm_103` and `sm_120` stand for the names with an `a`.
///
/// # Errors
/// A diagnostic without a location if there is no such target, or it is not supported.
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
        let what = match known::<At>(name) {
            Ok(target) => format!("no code is made for {target} yet"),
            Err(_) => format!("there is no target '{name}'"),
        };
        let message = format!("{what}, expected one of {}", names.join(", "));
        Diagnostic::error(Code::UnknownTarget, message)
    })
}

/// The GPU of this name, whether it is supported or not.
///
/// # Errors
/// A diagnostic without a location if the name is unknown.
pub fn known<At>(name: &str) -> Result<Target, Diagnostic<At>> {
    let same = |target: &Target| {
        let supported = SUPPORTED.contains(target);
        supported || (*target == Target::sm(target.sm) && ARCHITECTURES.contains(&target.sm))
    };
    Target::parse(name).filter(same).ok_or_else(|| {
        let names: Vec<_> = ARCHITECTURES.iter().map(|sm| format!("sm_{sm}")).collect();
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
    let (map, name) = (kernel.source_map(db), kernel.name(db));
    lacks
        .map(|problem| place(problem.diagnostic, map, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_letter_stands_for_the_architecture() {
        for (name, want) in [
            ("sm_90", "sm_90a"),
            ("sm_100", "sm_100a"),
            ("sm_103", "sm_103a"),
            ("sm_120", "sm_120a"),
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
    fn a_gpu_may_be_known_without_code_being_made_for_it() {
        for sm in ARCHITECTURES {
            assert_eq!(known::<()>(&format!("sm_{sm}")), Ok(Target::sm(*sm)));
        }
        assert_eq!(known::<()>("sm_90a"), Ok(Target::sm_a(90)));
        for name in ["sm_95", "sm_80a", "sm_107f", "107", ""] {
            let problem = known::<()>(name).expect_err(name);
            assert_eq!(problem.code, Code::UnknownTarget);
            assert!(problem.message.contains("sm_107, "), "{problem:?}");
        }
        let problem = parse::<()>("sm_107").expect_err("no code yet");
        let start = "no code is made for sm_107 yet, expected one of sm_80, ";
        assert!(problem.message.starts_with(start), "{problem:?}");
    }

    #[test]
    fn other_names_are_refused_with_the_list() {
        for name in ["sm_70", "sm_80a", "sm_90f", "90", "sm_", "", "sm_99999999999"] {
            let problem = parse::<()>(name).expect_err(name);
            assert_eq!(problem.code, Code::UnknownTarget);
            assert!(problem.message.contains("sm_120a"), "{problem:?}");
        }
    }
}
