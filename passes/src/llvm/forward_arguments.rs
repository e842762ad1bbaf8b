//! Replaces arguments of blocks by the array that all branches pass.
//!
//! In and out: `llvm_like`. The address of a thread's array that a loop carries unchanged, or that both sides of a branch give, is
//! the array's wherever it is used, so that [`promote_locals`](fn@super::promote_locals) can keep the array in registers: an
//! argument that is one value on all ways in, or itself on those that go round a loop, is that value. Dead code is removed.

use tilewright_diagnostics::Diagnostic;
use tilewright_irs::core::{Body, Func, Operation, Origin, SideTable, Value, reverse_postorder};
use tilewright_irs::llvm::{AddressSpace, Llvm, LlvmType};

use super::promote_locals::is_array;
use crate::cleanup::substitute::{Resolve, resolved};
use crate::cleanup::without_dead_code;

/// Replaces arguments; see [the module](self).
///
/// # Errors
/// None; the type is that of all passes.
pub fn forward_arguments(func: &Func<Llvm>) -> Result<Func<Llvm>, Vec<Diagnostic<Origin>>> {
    if !func.body.ops().any(|(_, op)| is_array(&op.kind)) {
        return Ok(func.clone());
    }
    let Some(replaced) = replaced(&func.body) else {
        return Ok(func.clone());
    };
    let mut body = func.body.clone();
    for id in func.body.walk() {
        body.op_mut(id).kind.remap(&mut Resolve(&replaced));
    }
    Ok(Func {
        name: func.name.clone(),
        attrs: func.attrs.clone(),
        body: without_dead_code(body),
    })
}

/// The arguments that are one other value, with that value; `None` if there are none.
fn replaced(body: &Body<Llvm>) -> Option<SideTable<Value, Value>> {
    let is_address = |argument: Value| *body.ty(argument) == LlvmType::Ptr(AddressSpace::Local);
    let mut passed: SideTable<Value, Vec<Value>> = body.value_table();
    let mut arguments = Vec::new();
    for block in reverse_postorder(body, body.root()) {
        let own = body.block(block).args.iter().copied();
        arguments.extend(own.filter(|&argument| is_address(argument)));
        let Some(last) = body.terminator(block) else {
            continue;
        };
        body.op(last).kind.successors(&mut |successor| {
            let own = body.block(successor.block).args.iter();
            let addresses = own
                .zip(&successor.args)
                .filter(|&(&argument, _)| is_address(argument));
            for (&argument, &value) in addresses {
                match passed.get_mut(argument) {
                    Some(values) => values.push(value),
                    None => passed.set(argument, vec![value]),
                }
            }
        });
    }
    let all = arguments.len();
    let mut replaced: SideTable<Value, Value> = body.value_table();
    // What one argument is may tell what another one is: that of an inner loop, and then that of the loop around it.
    loop {
        let before = arguments.len();
        arguments.retain(|&argument| {
            let values = passed.get(argument).map(Vec::as_slice).unwrap_or_default();
            match only(&replaced, argument, values) {
                Some(value) => {
                    replaced.set(argument, value);
                    false
                }
                None => true,
            }
        });
        if arguments.len() == before {
            break;
        }
    }
    (arguments.len() < all).then_some(replaced)
}

/// The only value besides itself that an argument is.
fn only(replaced: &SideTable<Value, Value>, argument: Value, passed: &[Value]) -> Option<Value> {
    let mut others = passed
        .iter()
        .map(|&value| resolved(replaced, value))
        .filter(|&value| value != argument);
    let first = others.next()?;
    others.all(|value| value == first).then_some(first)
}
