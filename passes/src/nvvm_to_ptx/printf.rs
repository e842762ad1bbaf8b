//! Calls of `vprintf`: the format is a string in global memory, the values are in a list in local memory, each aligned to
//! its size. (PTX Writer's Guide to Interoperability, "System Calls"; CUDA C++ Programming Guide, "Formatted Output".)

use tilewright_irs::ptx::{
    Builder, Class, Entry, Function, Instruction, Linkage, Module, Parameter, ParameterType, Register, Space,
    Symbol, To, Type, Uni, Variable,
};

/// What the calls of a kernel need.
#[derive(Default)]
pub(super) struct PrintfCalls {
    /// The formats.
    formats: Vec<Variable>,
    /// The size of the longest list of values in bytes.
    list: u32,
}

/// The names of the list of values, and of the parameters and the result of the calls.
fn names(kernel: &str) -> [Symbol; 4] {
    ["values", "format", "arguments", "result"].map(|part| Symbol(format!("{kernel}_printf_{part}")))
}

impl PrintfCalls {
    /// Emits a call. The values have 32 or 64 bits.
    pub(super) fn printf(&mut self, b: &mut Builder, kernel: &str, format: &str, values: &[Register]) {
        let text: Vec<u8> = format.bytes().chain([0]).collect();
        let known = self.formats.iter().find(|known| known.initial == text);
        let text = match known {
            Some(known) => known.name.clone(),
            None => {
                let name = Symbol(format!("{kernel}_text_{}", self.formats.len()));
                self.formats.push(Variable {
                    linkage: Linkage::Internal,
                    space: Space::Global,
                    align: 1,
                    name: name.clone(),
                    bytes: Some(text.len() as u64),
                    initial: text,
                });
                name
            }
        };
        let [list, format, arguments, result] = names(kernel);
        let mut end = 0u32;
        for &value in values {
            let ty = match value.class {
                Class::B32 => Type::B32,
                Class::F64 => Type::F64,
                _ => Type::B64,
            };
            let size = if ty == Type::B32 { 4 } else { 8 };
            let place = end.next_multiple_of(size);
            end = place + size;
            let offset = i32::try_from(place).unwrap_or(i32::MAX);
            b.store(Space::Local, ty, (list.clone(), offset), &[value.into()]);
        }
        // An empty list is passed as well: the function takes two addresses.
        self.list = self.list.max(end).max(8);
        for (parameter, space, variable) in [(&format, Space::Global, text), (&arguments, Space::Local, list)]
        {
            let address = b.mov(Type::U64, variable);
            let generic = b.register(Class::B64);
            b.emit(Instruction::Cvta {
                to: To(false),
                space,
                ty: Type::U64,
                d: generic,
                a: address.into(),
            });
            b.store(Space::Param, Type::B64, parameter.clone(), &[generic.into()]);
        }
        b.emit(Instruction::Call {
            uni: Uni(false),
            results: vec![result],
            function: Function::vprintf().name,
            arguments: vec![format, arguments],
        });
    }

    /// Declares what the calls need, if there are any.
    pub(super) fn declare(self, entry: &mut Entry, module: &mut Module, kernel: &str) {
        if self.formats.is_empty() {
            return;
        }
        let [list, format, arguments, result] = names(kernel);
        entry.variables.push(Variable {
            linkage: Linkage::Internal,
            space: Space::Local,
            align: 8,
            name: list,
            bytes: Some(u64::from(self.list)),
            initial: Vec::new(),
        });
        for (name, ty) in [(format, Type::B64), (arguments, Type::B64), (result, Type::B32)] {
            let ty = ParameterType::Scalar(ty);
            entry.call_parameters.push(Parameter { name, ty });
        }
        module.functions.push(Function::vprintf());
        module.variables.extend(self.formats);
    }
}
