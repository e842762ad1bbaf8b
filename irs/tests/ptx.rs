//! PTX as data: targets, needs, verification.

use tilewright_irs::ptx::*;

fn module(target: Target, build: impl FnOnce(&mut Builder)) -> Module {
    let mut b = Builder::new("k");
    build(&mut b);
    let mut module = Module::new(target);
    module.entries.push(b.finish());
    module.with_lowest_version()
}

fn violations(module: &Module) -> Vec<Violation> {
    verify(module)
        .into_iter()
        .map(|finding| finding.violation)
        .collect()
}

#[test]
fn target_names_read_back() {
    for target in [
        Target::sm(80),
        Target::sm_a(90),
        Target::sm_f(100),
        Target::sm_a(120),
        Target::sm(121),
    ] {
        assert_eq!(Target::parse(&target.to_string()), Some(target));
    }
    for text in [
        "sm_",
        "sm_09",
        "90a",
        "sm_a",
        "sm_90b",
        "sm_99999999",
        "compute_90",
    ] {
        assert_eq!(Target::parse(text), None, "{text}");
    }
    for (name, known) in [
        ("sm_90a", true),
        ("sm_90f", false),
        ("sm_91", false),
        ("sm_999", false),
    ] {
        assert_eq!(Target::parse(name).map(Target::is_known), Some(known), "{name}");
    }
}

#[test]
fn targets_provide_what_is_portable_and_their_own() {
    let family = Need::on(8, 8, Target::sm_f(100));
    let own = Need::on(8, 0, Target::sm_a(90));
    assert!(Target::sm(100).provides(Need::new(7, 0, 80)));
    assert!(!Target::sm(75).provides(Need::new(7, 0, 80)));
    assert!(Target::sm_f(103).provides(family) && Target::sm_a(100).provides(family));
    assert!(!Target::sm_a(120).provides(family) && !Target::sm(100).provides(family));
    assert!(
        Target::sm_a(90).provides(own) && !Target::sm(90).provides(own) && !Target::sm_a(100).provides(own)
    );
}

#[test]
fn the_earliest_of_several_requirements_counts() {
    let either = Need::on(8, 6, Target::sm_a(100)).or(8, 8, Target::sm_f(100));
    let version = |need: Need, target| need.version_on(target).map(|version| version.to_string());
    assert_eq!(version(either, Target::sm_a(100)).as_deref(), Some("8.6"));
    assert_eq!(version(either, Target::sm_f(103)).as_deref(), Some("8.8"));
    assert_eq!(version(either, Target::sm(100)), None);
    // What a later portable form adds leaves the ways that are later still.
    let both = either.and(Need::new(8, 7, 90));
    assert_eq!(version(both, Target::sm_a(100)).as_deref(), Some("8.7"));
    assert_eq!(
        version(either.and(Need::on(8, 0, Target::sm_a(90))), Target::sm_a(100)),
        None
    );
    assert_eq!(
        either.to_string(),
        "sm_100a (PTX ISA 8.6) or sm_100f and its family (PTX ISA 8.8)"
    );
}

#[test]
fn the_version_is_the_lowest_that_the_instructions_need() {
    let add = |ty: Type| {
        move |b: &mut Builder| {
            let x = b.mov(if ty == Type::Bf16 { Type::B16 } else { ty }, 0);
            b.add(ty, x, x);
            b.ret();
        }
    };
    assert_eq!(
        module(Target::sm(80), add(Type::S32)).version,
        IsaVersion::new(7, 0)
    );
    assert_eq!(
        module(Target::sm(90), add(Type::Bf16)).version,
        IsaVersion::new(7, 8)
    );
    assert_eq!(
        module(Target::sm_a(90), add(Type::Bf16)).version,
        IsaVersion::new(8, 0)
    );
    let early = module(Target::sm(80), add(Type::Bf16));
    assert_eq!(
        violations(&early),
        [Violation::Target(
            "add.rn.bf16 %rs1, %rs0, %rs0;".to_owned(),
            Need::new(7, 8, 90)
        )]
    );
    let mut old = module(Target::sm(90), add(Type::Bf16));
    old.version = IsaVersion::new(7, 0);
    assert_eq!(
        violations(&old),
        [
            Violation::TargetVersion(Target::sm(90), IsaVersion::new(7, 8)),
            Violation::Version("add.rn.bf16 %rs1, %rs0, %rs0;".to_owned(), IsaVersion::new(7, 8)),
        ]
    );
}

#[test]
fn every_rule_is_verified() {
    let far = Register {
        class: Class::B32,
        index: 7,
    };
    let pred = Register {
        class: Class::Pred,
        index: 3,
    };
    let found = violations(&module(Target::sm(80), |b| {
        let label = b.label();
        let float = b.register(Class::F32);
        b.emit(Instruction::Add {
            rounding: Some(Rounding::Rn),
            ftz: Ftz(false),
            sat: Sat(false),
            ty: Type::S32,
            d: far,
            a: 1.into(),
            b: 2.into(),
        });
        b.bra_if(pred, label);
        b.emit_if(float, Instruction::Exit {});
        b.load(Space::Shared, Type::F32, 1, Symbol::from("nowhere"));
        let twice = b.label();
        b.place(twice);
        b.place(twice);
        b.shared("s", 4, 4);
        b.shared("s", 4, 4);
        b.entry().launch = Launch {
            max_threads: Some([32, 1, 1]),
            required_threads: Some([64, 1, 1]),
            required_cluster: Some([2, 1, 1]),
            max_cluster_rank: Some(2),
            ..Launch::default()
        };
    }));
    let label = |number| Label(number);
    assert_eq!(
        found,
        [
            Violation::DuplicateName("s".into()),
            Violation::Launch(LaunchProblem {
                directive: Directive::MaxThreads,
                wrong: WrongLaunch::Excluded(
                    Directive::RequiredThreads,
                    ["32, 1, 1", "64, 1, 1"].map(str::to_owned),
                ),
            }),
            Violation::Launch(LaunchProblem {
                directive: Directive::RequiredCluster,
                wrong: WrongLaunch::Target(Need::new(7, 8, 90), Target::sm(80)),
            }),
            Violation::PlacedTwice(label(1)),
            Violation::Undeclared(far),
            Violation::NoSuchForm("add.rn.s32 %r7, 1, 2;".to_owned()),
            Violation::Undeclared(pred),
            Violation::Unplaced(label(0)),
            Violation::Guard(Register {
                class: Class::F32,
                index: 0
            }),
            Violation::UnknownName("nowhere".into()),
        ]
    );
}

/// What is wrong with an entry of these launch directives.
fn launched(launch: Launch) -> Vec<String> {
    let found = violations(&module(Target::sm_a(90), |b| b.entry().launch = launch));
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn launch_directives_hold_numbers_that_a_launch_can_have() {
    for shape in [[1, 1, 1], [1024, 1, 1], [1, 1024, 1], [16, 1, 64], [32, 32, 1]] {
        let launch = Launch {
            required_threads: Some(shape),
            min_blocks_per_sm: Some(1),
            max_registers: Some(1),
            ..Launch::default()
        };
        assert_eq!(launched(launch), [""; 0], "{shape:?}");
    }
    for (shape, said) in [
        ([0, 1, 1], "`.reqntid` asks for 0 threads along x, of 1 to 1024"),
        (
            [1025, 1, 1],
            "`.reqntid` asks for 1025 threads along x, of 1 to 1024",
        ),
        (
            [1, 1025, 1],
            "`.reqntid` asks for 1025 threads along y, of 1 to 1024",
        ),
        ([1, 1, 65], "`.reqntid` asks for 65 threads along z, of 1 to 64"),
        ([32, 33, 1], "`.reqntid` asks for 1056 threads, of 1 to 1024"),
        (
            [u32::MAX; 3],
            "`.reqntid` asks for 4294967295 threads along x, of 1 to 1024",
        ),
    ] {
        let launch = Launch {
            required_threads: Some(shape),
            ..Launch::default()
        };
        assert_eq!(launched(launch), [said]);
    }
    let launch = Launch {
        max_threads: Some([2048, 0, 1]),
        min_blocks_per_sm: Some(0),
        max_registers: Some(0),
        ..Launch::default()
    };
    let said = [
        "`.maxntid` asks for 0 threads, of at least 1",
        "`.minnctapersm` asks for 0 blocks, of 1 to 32",
        "`.maxnreg` asks for 0 registers, of 1 to 255",
    ];
    assert_eq!(launched(launch), said);
    // A multiprocessor has room for 64 warps.
    for (threads, most) in [(32, 32), (64, 32), (96, 21), (128, 16), (1024, 2)] {
        for blocks in [most, most + 1] {
            let launch = Launch {
                required_threads: Some([threads, 1, 1]),
                min_blocks_per_sm: Some(blocks),
                ..Launch::default()
            };
            let said = format!("`.minnctapersm` asks for {blocks} blocks, of 1 to {most}");
            let said = (blocks > most).then_some(said);
            assert_eq!(launched(launch), said.into_iter().collect::<Vec<_>>());
        }
    }
    for registers in [255, 256] {
        let launch = Launch {
            max_registers: Some(registers),
            ..Launch::default()
        };
        let said = (registers > 255).then_some("`.maxnreg` asks for 256 registers, of 1 to 255");
        assert_eq!(launched(launch), said.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn directives_of_clusters_go_together() {
    let cluster = Launch {
        required_threads: Some([128, 1, 1]),
        required_cluster: Some([4, 2, 2]),
        blocks_are_clusters: true,
        ..Launch::default()
    };
    assert_eq!(launched(cluster.clone()), [""; 0]);
    let none = |launch: Launch| launched(launch).join("; ");
    assert_eq!(
        none(Launch {
            required_threads: None,
            ..cluster.clone()
        }),
        "`.blocksareclusters` needs `.reqntid`, and the kernel has none"
    );
    assert_eq!(
        none(Launch {
            required_cluster: None,
            ..cluster.clone()
        }),
        "`.blocksareclusters` needs `.reqnctapercluster`, and the kernel has none"
    );
    assert_eq!(
        none(Launch {
            max_cluster_rank: Some(8),
            ..cluster.clone()
        }),
        "`.maxclusterrank 8` and `.reqnctapercluster 4, 2, 2` exclude each other"
    );
    assert_eq!(
        none(Launch {
            max_cluster_rank: Some(17),
            explicit_cluster: true,
            ..Launch::default()
        }),
        "`.maxclusterrank` asks for 17 blocks, of 1 to 16"
    );
    // What the target or the version lacks is said once.
    let texts = |target, version| -> Vec<String> {
        let problems = cluster.problems(target, version);
        problems.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        texts(Target::sm(80), None),
        ["`.reqnctapercluster` needs sm_90 and later (PTX ISA 7.8), the target is sm_80"]
    );
    assert_eq!(
        texts(Target::sm_a(90), Some(IsaVersion::new(8, 0))),
        ["`.blocksareclusters` needs sm_90 and later (PTX ISA 9.0), the text is of PTX ISA 8.0"]
    );
    assert_eq!(texts(Target::sm_a(90), None), [""; 0]);
    assert_eq!(cluster.need(), Need::new(9, 0, 90));
}

#[test]
fn an_entry_declares_no_more_shared_memory_than_a_block_has() {
    for (target, limit) in [
        (Target::sm(80), 48 * 1024),
        (Target::sm(90), 48 * 1024),
        (Target::sm_a(90), 227 * 1024),
        (Target::sm_f(100), 48 * 1024),
        (Target::sm_a(103), 227 * 1024),
        (Target::sm_a(120), 99 * 1024),
    ] {
        for over in [0, 1] {
            let entry = module(target, |b| {
                b.shared("s", 16, limit - 8 + over);
                b.shared("t", 16, 8);
            });
            let want = (over > 0).then_some(Violation::SharedMemory(limit + 1, target));
            assert_eq!(violations(&entry), want.into_iter().collect::<Vec<_>>());
        }
    }
    // Variables of the module count where they are named.
    for (named, count) in [(false, 0), (true, 1)] {
        let mut module = module(Target::sm(80), |b| {
            if named {
                b.load(Space::Shared, Type::F32, 1, Symbol::from("s"));
            }
        });
        module.variables.push(Variable::shared("s", 16, 50_000));
        assert_eq!(violations(&module).len(), count);
    }
}

#[test]
fn the_version_knows_the_target() {
    let mut module = module(Target::sm_a(90), |b| b.ret());
    module.version = IsaVersion::new(7, 8);
    let want = Violation::TargetVersion(Target::sm_a(90), IsaVersion::new(8, 0));
    assert_eq!(violations(&module), [want]);
}

#[test]
fn registers_are_visited_with_what_is_done_to_them() {
    let register = |class, index| Register { class, index };
    let (a, d) = (register(Class::B64, 1), register(Class::F32, 2));
    let mut seen = Vec::new();
    let load = Instruction::load(Some(Space::Global), Type::F32, vec![d, d], (a, 8));
    load.registers(&mut |register, access, _| seen.push((register, access)));
    assert_eq!(seen, [(d, Access::Write), (d, Access::Write), (a, Access::Read)]);
    assert_eq!(load.to_string(), "ld.global.v2.f32 {%f2, %f2}, [%rd1+8];");
    assert_eq!(load.mnemonic(), "ld");
}

#[test]
fn registers_are_as_wide_as_their_instruction_wants() {
    let register = |class| Register { class, index: 0 };
    let (narrow, wide) = (register(Class::B32), register(Class::B64));
    let found = violations(&module(Target::sm(80), |b| {
        for class in [Class::B32, Class::B64, Class::Pred] {
            b.register(class);
        }
        b.add(Type::S64, wide, narrow);
        b.assign(Type::U32, wide, 1);
        b.emit(Instruction::load(
            Some(Space::Global),
            Type::U64,
            vec![narrow],
            wide,
        ));
        b.emit(Instruction::load(Some(Space::Global), Type::U8, vec![wide], wide));
        b.shl(Type::B64, wide, wide);
        b.mul_wide(Type::U32, narrow, narrow);
    }));
    let wrong: Vec<Register> = found
        .into_iter()
        .map(|violation| match violation {
            Violation::Operand(Value::Register(register), _, _) => register,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(wrong, [narrow, wide, narrow, wide]);
}

#[test]
fn operands_are_registers_and_constants_of_the_right_size() {
    let range = |least, most, step| Want::Range { least, most, step };
    for (want, no, yes) in [
        (range(0, 15, 1), [-1, 16], [0, 15]),
        (range(32, 1024, 32), [33, 1056], [32, 1024]),
        (range(32, 1024, 32), [0, 48], [64, 992]),
        (Want::Constant { least: 24, most: 256 }, [23, 257], [24, 256]),
    ] {
        for (values, holds) in [(no, false), (yes, true)] {
            for value in values {
                let constant = Immediate::Int(value);
                assert_eq!(want.admits_constant(constant), holds, "{want}: {value}");
            }
        }
        assert!(!want.admits_constant(Immediate::F32(1)), "{want}");
        assert!(want.takes_constants(), "{want}");
    }
    for (want, classes, constants) in [
        (Want::Exactly(Type::U32), vec![Class::B32], true),
        (Want::Exactly(Type::B32), vec![Class::B32, Class::F32], true),
        (Want::Exactly(Type::F32), vec![Class::B32, Class::F32], true),
        (Want::Exactly(Type::Pred), vec![Class::Pred], true),
        (Want::Exactly(Type::F16x2), vec![Class::B32], false),
        (Want::Exactly(Type::Bf16), vec![Class::B16], false),
        (
            Want::AtLeast(Type::U32),
            vec![Class::B32, Class::B64, Class::B128],
            true,
        ),
        (
            Want::AtLeast(Type::S8),
            vec![Class::B16, Class::B32, Class::B64, Class::B128],
            true,
        ),
        (Want::Address(None), vec![Class::B64], false),
        (Want::Address(Some(Space::Global)), vec![Class::B64], false),
        (
            Want::Address(Some(Space::SharedCta)),
            vec![Class::B32, Class::B64],
            false,
        ),
        (range(0, 15, 1), vec![Class::B32], true),
        (Want::Constant { least: 0, most: 1 }, vec![], true),
        (Want::Name, vec![], false),
    ] {
        let all = [
            Class::Pred,
            Class::B16,
            Class::B32,
            Class::B64,
            Class::B128,
            Class::F32,
            Class::F64,
        ];
        let admitted: Vec<Class> = all.into_iter().filter(|class| want.admits(*class)).collect();
        assert_eq!(admitted, classes, "{want:?}");
        assert_eq!(want.takes_constants(), constants, "{want:?}");
    }
}

#[test]
fn combined_requirements_take_the_later_version_and_target() {
    let families = Need::on(8, 6, Target::sm_a(100)).or(8, 8, Target::sm_f(100));
    let later = families.and(Need::new(9, 0, 90));
    for (name, version) in [
        ("sm_90a", None),
        ("sm_100", None),
        ("sm_100a", Some((9, 0))),
        ("sm_103f", Some((9, 0))),
    ] {
        let target = Target::parse(name).expect("a target");
        assert_eq!(
            later.version_on(target),
            version.map(|(major, minor)| IsaVersion::new(major, minor)),
            "{name}"
        );
    }
    let portable = Need::new(7, 8, 90).and(Need::new(8, 1, 80));
    assert_eq!(portable.to_string(), "sm_90 and later (PTX ISA 8.1)");
    assert_eq!(Need::new(8, 1, 80).and(Need::new(7, 8, 90)), portable);
    assert_eq!(families.and(Need::BASE), families);
    // A family is that of the tens: later members have what earlier ones have, and not the other way round.
    let family = Need::on(8, 8, Target::sm_f(103));
    for (name, has) in [
        ("sm_103f", true),
        ("sm_103a", true),
        ("sm_100f", false),
        ("sm_110f", false),
        ("sm_120a", false),
    ] {
        assert_eq!(
            Target::parse(name).expect("a target").provides(family),
            has,
            "{name}"
        );
    }
    for (version, other, holds) in [
        ((8, 3), (8, 3), true),
        ((8, 3), (8, 4), false),
        ((9, 0), (8, 4), true),
        ((7, 8), (8, 0), false),
    ] {
        let of = |(major, minor)| IsaVersion::new(major, minor);
        assert_eq!(of(version).at_least(of(other)), holds);
    }
}

#[test]
fn the_call_of_an_inlined_function_is_located_before() {
    let position = |line| Position {
        file: 1,
        line,
        column: 1,
    };
    let location = |line, call: Option<u32>| Statement::Location {
        at: position(line),
        inlined: call.map(|call| Inlined {
            function: 0,
            called_from: position(call),
        }),
    };
    let mut module = module(Target::sm(80), |b| {
        let locations = [location(9, None), location(3, Some(9)), location(4, Some(8))];
        b.entry().body.extend(locations);
        b.ret();
    });
    assert_eq!(module.version, IsaVersion::new(7, 2));
    module.inlined_functions.push("f".to_owned());
    assert_eq!(violations(&module), [Violation::CallNotLocated(position(8))]);
    module.entries[0].body.remove(2);
    module.version = IsaVersion::new(7, 0);
    module.inlined_functions.clear();
    let version = Violation::Version("inlined_at".to_owned(), IsaVersion::new(7, 2));
    assert_eq!(violations(&module), [Violation::NoFunctionName(0), version]);
}
