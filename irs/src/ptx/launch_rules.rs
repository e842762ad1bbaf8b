//! Which launch directives a kernel may have: their numbers, which of them go together, and on which target. The attributes of
//! kernels of `llvm_like` and `nvvm` become directives and have the same rules.

use std::fmt::{self, Display};

use tilewright_diagnostics::Code;

use super::directive::Directive;
use super::module::{Launch, volume};
use crate::isa::limits::{self, LANES, Limit, MOST_CLUSTER};
use crate::isa::{IsaVersion, Need, Target};
use crate::machine::{Machine, Multiprocessor};

/// A launch directive that a kernel cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LaunchProblem {
    /// The directive to blame.
    pub directive: Directive,
    /// Why.
    pub wrong: WrongLaunch,
}

/// Why a kernel cannot have a launch directive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WrongLaunch {
    /// Its number is out of range: ptxas refuses or ignores it, or no launch succeeds.
    Limit(Limit),
    /// Another one excludes it. The values of both.
    Excluded(Directive, [String; 2]),
    /// It means nothing without another one.
    Lacks(Directive),
    /// The target does not have it.
    Target(Need, Target),
    /// The version of the PTX ISA does not have it.
    Version(Need, IsaVersion),
}

impl LaunchProblem {
    /// The code of the error.
    pub fn code(&self) -> Code {
        match self.wrong {
            WrongLaunch::Limit(_) => Code::LaunchShape,
            WrongLaunch::Excluded(..) => Code::ConflictingAttributes,
            WrongLaunch::Lacks(_) => Code::MissingAttribute,
            WrongLaunch::Target(..) | WrongLaunch::Version(..) => Code::TargetLacksFeature,
        }
    }

    /// What is wrong, in a language that has these names for the directives.
    pub fn message<N: Display>(&self, name: impl Fn(Directive) -> N) -> String {
        let own = name(self.directive);
        match &self.wrong {
            WrongLaunch::Limit(limit) => format!("`{own}` {limit}"),
            WrongLaunch::Excluded(other, [value, by]) => {
                format!("`{own} {value}` and `{} {by}` exclude each other", name(*other))
            }
            WrongLaunch::Lacks(other) => {
                format!("`{own}` needs `{}`, and the kernel has none", name(*other))
            }
            WrongLaunch::Target(need, target) => format!("`{own}` needs {need}, the target is {target}"),
            WrongLaunch::Version(need, version) => {
                format!("`{own}` needs {need}, the text is of PTX ISA {version}")
            }
        }
    }

    /// What to say of the directive at its place.
    pub fn label(&self) -> String {
        match &self.wrong {
            WrongLaunch::Limit(Limit { most: Some(most), .. }) => format!("1 to {most}"),
            WrongLaunch::Limit(Limit { most: None, .. }) => "at least 1".to_owned(),
            WrongLaunch::Excluded(..) => "one of the two".to_owned(),
            WrongLaunch::Lacks(_) => "means nothing alone".to_owned(),
            WrongLaunch::Target(_, target) => format!("{target} has no such directive"),
            WrongLaunch::Version(_, version) => format!("PTX ISA {version} has no such directive"),
        }
    }
}

impl Display for LaunchProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(|directive| format!(".{directive}")))
    }
}

impl Launch {
    /// The directives of clusters that a kernel has, with their requirements.
    fn of_clusters(&self) -> impl Iterator<Item = (Directive, Need)> {
        let clusters = Need::new(7, 8, 90);
        [
            (Directive::ExplicitCluster, self.explicit_cluster, clusters),
            (
                Directive::RequiredCluster,
                self.required_cluster.is_some(),
                clusters,
            ),
            (Directive::MaxCluster, self.max_cluster_rank.is_some(), clusters),
            (
                Directive::BlocksAreClusters,
                self.blocks_are_clusters,
                Need::new(9, 0, 90),
            ),
        ]
        .into_iter()
        .filter_map(|(directive, given, need)| given.then_some((directive, need)))
    }

    /// The requirements of the directives on the target.
    pub fn need(&self) -> Need {
        self.of_clusters()
            .fold(Need::BASE, |all, (_, need)| all.and(need))
    }

    /// The directives that a kernel for this target cannot have; of texts, also those that their version of the PTX ISA lacks.
    pub fn problems(&self, target: Target, version: Option<IsaVersion>) -> Vec<LaunchProblem> {
        let Self {
            max_threads,
            required_threads,
            min_blocks_per_sm,
            max_registers,
            explicit_cluster: _,
            required_cluster,
            max_cluster_rank,
            blocks_are_clusters,
        } = *self;
        let limit = |directive, checked: Result<(), Limit>| {
            let wrong = WrongLaunch::Limit(checked.err()?);
            Some(LaunchProblem { directive, wrong })
        };
        let count = |directive, what, asked: Option<u32>, most| {
            limit(directive, limits::within(what, u64::from(asked?), Some(most)))
        };
        let threads = max_threads.map(|shape| {
            let mut extents = shape.into_iter();
            extents.try_for_each(|extent| limits::within("threads", u64::from(extent), None))
        });
        let mut problems: Vec<_> = [
            threads.and_then(|checked| limit(Directive::MaxThreads, checked)),
            required_threads.and_then(|shape| limit(Directive::RequiredThreads, limits::block(shape))),
            count(
                Directive::MinBlocks,
                "blocks",
                min_blocks_per_sm,
                most_blocks(required_threads.or(max_threads), target),
            ),
            count(
                Directive::MaxRegisters,
                "registers",
                max_registers,
                Multiprocessor::THREAD_REGISTERS.0,
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut report = |directive, wrong| problems.push(LaunchProblem { directive, wrong });
        if let (Some(most), Some(required)) = (max_threads, required_threads) {
            let values = [most, required].map(shape);
            report(
                Directive::MaxThreads,
                WrongLaunch::Excluded(Directive::RequiredThreads, values),
            );
        }
        for (directive, need) in self.of_clusters() {
            match (need.version_on(target), version) {
                (None, _) => report(directive, WrongLaunch::Target(need, target)),
                (Some(least), Some(version)) if version < least => {
                    report(directive, WrongLaunch::Version(need, version));
                }
                (Some(_), _) => continue,
            }
            // What it lacks first, it lacks all of.
            return problems;
        }
        let blocks =
            required_cluster.map(|shape| limits::within("blocks", volume(shape), Some(MOST_CLUSTER)));
        problems.extend(blocks.and_then(|checked| limit(Directive::RequiredCluster, checked)));
        problems.extend(count(
            Directive::MaxCluster,
            "blocks",
            max_cluster_rank,
            MOST_CLUSTER,
        ));
        let mut report = |directive, wrong| problems.push(LaunchProblem { directive, wrong });
        if let (Some(required), Some(most)) = (required_cluster, max_cluster_rank) {
            let values = [most.to_string(), shape(required)];
            report(
                Directive::MaxCluster,
                WrongLaunch::Excluded(Directive::RequiredCluster, values),
            );
        }
        if blocks_are_clusters {
            let lacking = [
                (Directive::RequiredThreads, required_threads),
                (Directive::RequiredCluster, required_cluster),
            ];
            if let Some((other, _)) = lacking.into_iter().find(|(_, given)| given.is_none()) {
                report(Directive::BlocksAreClusters, WrongLaunch::Lacks(other));
            }
        }
        problems
    }
}

/// The most blocks with so many threads that a multiprocessor of the target has room for.
fn most_blocks(threads: Option<[u32; 3]>, target: Target) -> u32 {
    let multiprocessor = Machine::of(target).multiprocessor;
    let warps = threads.map_or(1, |shape| volume(shape).div_ceil(u64::from(LANES)));
    let by_warps = u64::from(multiprocessor.warps) / warps.max(1);
    let blocks = u64::from(multiprocessor.blocks).min(by_warps).max(1);
    u32::try_from(blocks).unwrap_or(u32::MAX)
}

fn shape([x, y, z]: [u32; 3]) -> String {
    format!("{x}, {y}, {z}")
}
