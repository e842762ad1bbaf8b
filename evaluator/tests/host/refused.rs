//! Host functions that cannot be evaluated.

use tilewright_diagnostics::Code;
use tilewright_evaluator::host::HostArgument;

use crate::{Program, launching, numbers, view};

/// What is wrong with a body; it is said at an op.
fn refused(params: &str, arguments: &[HostArgument], body: &str) -> (Code, String) {
    let program = Program {
        kernel: &["i32"],
        params,
        arguments,
        body,
        ..Program::EMPTY
    };
    let problem = program.problem();
    let at = problem.primary.as_ref().expect("a place").at;
    assert!(at != tilewright_irs::core::Origin::FUNCTION, "{problem:#?}");
    assert!(
        problem
            .notes
            .iter()
            .any(|note| note.contains("host function `host`"))
    );
    (problem.code, problem.message)
}

#[test]
fn ops_that_are_not_known_are_named() {
    let memory =
        "%v = cute.memref.load(%a, %c) : (!cute.memref<f32, gmem, \"8:1\">, !cute.coord<\"0\">) -> f32";
    let body = format!("%c = cute.make_coord() : () -> !cute.coord<\"0\">\n{memory}");
    let (code, message) = refused("%a: !cute.memref<f32, gmem, \"8:1\">", &[view(&[])], &body);
    assert_eq!(code, Code::HostUnsupported);
    assert_eq!(
        message,
        "`cute.memref.load` cannot be evaluated in a function of the host"
    );
    let thread = "%t = nvvm.read.ptx.sreg.tid.x : i32";
    assert!(
        refused("", &[], thread)
            .1
            .starts_with("`nvvm.read.ptx.sreg.tid.x` cannot")
    );
    let address = "%n = cute.ptrtoint(%a) : !cute.ptr<f32, gmem> to i64";
    let (code, message) = refused("%a: !cute.ptr<f32, gmem>", &[view(&[])], address);
    assert_eq!(code, Code::HostUnsupported);
    assert!(message.contains("argument 0"), "{message}");
}

#[test]
fn endless_loops_end() {
    let body = "%p = scf.while (%q = %one) : (i32) -> i32 {
      %yes = arith.constant true
      scf.condition(%yes) %q : i32
    } do {
    ^bb0(%r: i32):
      scf.yield %r : i32
    }";
    let (code, message) = refused("", &[], body);
    assert_eq!(
        (code, message.as_str()),
        (Code::StepLimit, "the host function has not ended after 10000 ops")
    );
    let body = "%n = arith.constant 2147483647 : i32
    scf.for %i = %ok to %n step %one  : i32 {
      %t = arith.addi %i, %one : i32
    }";
    assert_eq!(refused("", &[], body).0, Code::StepLimit);
    let body = "scf.for %i = %ok to %one step %ok  : i32 {
      %t = arith.addi %i, %one : i32
    }";
    assert_eq!(refused("", &[], body).0, Code::UndefinedResult);
}

#[test]
fn kernels_and_arguments_of_launches_are_checked() {
    let missing = launching("%one", "i32").replace("@kernels::@k<", "@kernels::@other<");
    let (code, message) = refused("", &[], &missing);
    assert_eq!(
        (code, message.as_str()),
        (Code::UnknownSymbol, "the module has no kernel `@kernels::@other`")
    );
    let none = launching("", "");
    assert_eq!(refused("", &[], &none).0, Code::OperandCount);
    let wide = launching("%none", "i64");
    let (code, message) = refused("", &[], &wide);
    assert_eq!(
        (code, message.as_str()),
        (
            Code::TypeMismatch,
            "argument 0 is `i64`, and kernel `k` takes `i32`"
        )
    );
}

#[test]
fn operands_without_a_result() {
    let of = |op: &str| refused("", &[], &format!("%r = {op}")).0;
    assert_eq!(of("arith.divsi %one, %ok : i32"), Code::UndefinedResult);
    assert_eq!(of("arith.remui %one, %ok : i32"), Code::UndefinedResult);
    let shift = "%n = arith.constant 32 : i32\n%r = arith.shli %one, %n : i32";
    assert_eq!(refused("", &[], shift).0, Code::UndefinedResult);
    let wraps = "%n = arith.constant 2147483647 : i32\n%r = arith.addi %n, %one overflow<nsw> : i32";
    assert_eq!(refused("", &[], wraps).0, Code::BrokenPromise);
    let divisor = "%r = cute.fast_divmod.create_divisor(%ok) : i32 -> !cute.fast_divmod_divisor<32>";
    assert_eq!(refused("", &[], divisor).0, Code::UndefinedResult);
    let (code, message) = refused("%n: i1", &[numbers(&[0])], "cf.assert %n, \"must hold\"");
    assert_eq!(code, Code::AssertionFailed);
    assert!(message.ends_with("must hold"));
}

#[test]
fn numbers_that_are_not_as_their_types_say() {
    let body = "%t = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"?{div=8}\">";
    let (code, message) = refused("%n: i32", &[numbers(&[12])], body);
    assert_eq!(
        (code, message.as_str()),
        (
            Code::BrokenPromise,
            "12 is no multiple of 8, as `?{div=8}` in `cute.int_tuple<\"?{div=8}\">` says"
        )
    );
    let body = "%t = cute.make_int_tuple(%n) : (i32) -> !cute.int_tuple<\"?\">
    %m = cute.tuple_mul(%t, %t) : (!cute.int_tuple<\"?\">, !cute.int_tuple<\"?\">) -> !cute.int_tuple<\"?\">";
    let (code, message) = refused("%n: i32", &[numbers(&[100_000])], body);
    assert_eq!(code, Code::UndefinedResult);
    assert!(
        message.starts_with("10000000000 does not fit the 32 bits"),
        "{message}"
    );
    let body = "%a = cute.assume(%n) : (i32) -> !cute.i32<divby 4>";
    assert_eq!(refused("%n: i32", &[numbers(&[6])], body).0, Code::BrokenPromise);
    let body = "%shape = cute.make_shape(%n) : (i32) -> !cute.shape<\"?\">
    %lay = cute.make_layout(%shape) : !cute.layout<\"?:1\">";
    assert_eq!(
        refused("%n: i32", &[numbers(&[0])], body).0,
        Code::UndefinedResult
    );
}

#[test]
fn arguments_that_do_not_fit() {
    let refused = |params: &str, arguments: &[HostArgument]| {
        let program = Program {
            params,
            arguments,
            ..Program::EMPTY
        };
        let problem = program.problem();
        (problem.code, problem.message)
    };
    assert_eq!(
        refused("%a: i32", &[]),
        (
            Code::ArgumentCount,
            "the function has 1 parameter, and is given 0 arguments".to_owned()
        )
    );
    let ty = "!cute.memref<f32, gmem, \"(?,?{div=4}):(?{i64},1)\">";
    let param = format!("%a: {ty}");
    let (code, message) = refused(&param, &[view(&[5, 6, 7])]);
    assert_eq!(code, Code::BadArgument);
    assert!(message.contains("6 is no multiple of 4"), "{message}");
    let (_, message) = refused(&param, &[view(&[1 << 40, 8, 7])]);
    assert!(
        message.contains("1099511627776 does not fit the 32 bits"),
        "{message}"
    );
    let (_, message) = refused(&param, &[view(&[5, 8])]);
    assert!(
        message.ends_with("it leaves 3 numbers open, and 2 are given"),
        "{message}"
    );
    let (_, message) = refused(&param, &[numbers(&[5, 8, 8])]);
    assert!(
        message.ends_with("only a view and a pointer have an address"),
        "{message}"
    );
    assert_eq!(refused("%a: i32", &[HostArgument::Stream]).0, Code::BadArgument);
    assert_eq!(refused("%a: f32", &[numbers(&[1])]).0, Code::BadArgument);
}
