//! Parameters that are passed by value.

use tilewright_diagnostics::Code;

use crate::core::{Body, Language, OpData, Operation, Origin, Part, Problems, Value};

/// Checks that no block but the first has arguments for which `is_passed` holds.
pub(crate) fn check_passed<L: Language>(
    body: &Body<L>,
    is_passed: impl Fn(Value) -> bool,
    problems: &mut Problems,
) {
    for &block in body.region(body.root()).blocks.iter().skip(1) {
        if body.block(block).args.iter().any(|&arg| is_passed(arg)) {
            let message = "what is passed by value is a parameter of the kernel, and no argument of a block";
            problems.error(Origin::FUNCTION, Code::OperandType, message);
        }
    }
}

/// Whether an op gives what is passed by value, or has it as an operand and does not read a part of it. What a branch passes is
/// an argument of a block.
pub(crate) fn misuses_passed<L: Language>(
    op: &OpData<L>,
    is_passed: impl Fn(Value) -> bool,
    problems: &mut Problems,
) -> bool {
    let mut wrong = Vec::new();
    if op.results().any(&is_passed) {
        wrong.push((
            Part::Op,
            "what is passed by value is a parameter of the kernel, and no result of an op",
        ));
    }
    if !op.kind.is_terminator() && !op.kind.name().ends_with(".read_parameter") {
        op.kind.operand_parts(&mut |part, operand| {
            if wrong.is_empty() && is_passed(operand) {
                wrong.push((
                    part,
                    "of a parameter that is passed by value, only parts are read",
                ));
            }
        });
    }
    for &(part, message) in &wrong {
        problems.error_at(op.origin, part, Code::OperandType, message);
    }
    !wrong.is_empty()
}
