//! Prints PTX text.

use super::module::{
    Entry, EntryLinkage, Function, Inlined, Launch, Line, Linkage, Module, Parameter, ParameterType,
    Position, Statement, Variable,
};
use crate::isa::Class;
use std::fmt;

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}", self.version)?;
        writeln!(f, ".target {}", self.target)?;
        writeln!(f, ".address_size 64")?;
        for file in &self.files {
            writeln!(f, ".file {} \"{}\"", file.index, escaped(&file.name))?;
        }
        for function in &self.functions {
            writeln!(f, "{function}")?;
        }
        for variable in &self.variables {
            writeln!(f, "{variable}")?;
        }
        for entry in &self.entries {
            write!(f, "\n{entry}")?;
        }
        f.write_str(&function_names(&self.inlined_functions))
    }
}

/// The section with the names of inlined functions, which ends a module; nothing without any.
pub fn function_names(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut text = "\n.section .debug_str\n{\n".to_owned();
    for (index, name) in names.iter().enumerate() {
        text.push_str(&format!("{NAME_LABEL}{index}:\n.b8 "));
        // A name ends at its first zero byte.
        for byte in name.bytes().filter(|byte| *byte != 0) {
            text.push_str(&format!("{byte}, "));
        }
        text.push_str("0\n");
    }
    text.push_str("}\n");
    text
}

/// The beginning of the labels of function names.
const NAME_LABEL: &str = "$L__info_string";

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(".extern .func ")?;
        if let Some(result) = &self.result {
            write!(f, "({result}) ")?;
        }
        write!(f, "{}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}{parameter}", if index == 0 { "" } else { ", " })?;
        }
        f.write_str(");")
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.linkage {
            Linkage::Internal => {}
            Linkage::Visible => f.write_str(".visible ")?,
            Linkage::Extern => f.write_str(".extern ")?,
        }
        write!(f, ".{} .align {} .b8 {}[", self.space, self.align, self.name)?;
        if let Some(bytes) = self.bytes {
            write!(f, "{bytes}")?;
        }
        f.write_str("]")?;
        for (index, byte) in self.initial.iter().enumerate() {
            write!(f, "{}{byte}", if index == 0 { " = {" } else { ", " })?;
        }
        f.write_str(if self.initial.is_empty() { ";" } else { "};" })
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            ParameterType::Scalar(ty) => write!(f, ".param .{ty} {}", self.name),
            ParameterType::Pointer { space, align } => {
                f.write_str(".param .u64 .ptr ")?;
                if let Some(space) = space {
                    write!(f, ".{space} ")?;
                }
                write!(f, ".align {align} {}", self.name)
            }
            ParameterType::Bytes { align, bytes } => {
                write!(f, ".param .align {align} .b8 {}[{bytes}]", self.name)
            }
        }
    }
}

fn print_shape(f: &mut fmt::Formatter<'_>, directive: &str, shape: Option<[u32; 3]>) -> fmt::Result {
    match shape {
        Some([x, y, z]) => writeln!(f, ".{directive} {x}, {y}, {z}"),
        None => Ok(()),
    }
}

fn print_count(f: &mut fmt::Formatter<'_>, directive: &str, count: Option<u32>) -> fmt::Result {
    match count {
        Some(count) => writeln!(f, ".{directive} {count}"),
        None => Ok(()),
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print_shape(f, "maxntid", self.max_threads)?;
        print_shape(f, "reqntid", self.required_threads)?;
        print_count(f, "minnctapersm", self.min_blocks_per_sm)?;
        print_count(f, "maxnreg", self.max_registers)?;
        if self.explicit_cluster {
            writeln!(f, ".explicitcluster")?;
        }
        print_shape(f, "reqnctapercluster", self.required_cluster)?;
        print_count(f, "maxclusterrank", self.max_cluster_rank)?;
        if self.blocks_are_clusters {
            writeln!(f, ".blocksareclusters")?;
        }
        Ok(())
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.linkage {
            EntryLinkage::Visible => ".visible ",
            EntryLinkage::Weak => ".weak ",
            EntryLinkage::Internal => "",
        })?;
        write!(f, ".entry {}(", self.name)?;
        for (index, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}\n    {parameter}", if index == 0 { "" } else { "," })?;
        }
        f.write_str(if self.parameters.is_empty() {
            ")\n"
        } else {
            "\n)\n"
        })?;
        writeln!(f, "{}{{", self.launch)?;
        for class in Class::ALL {
            match self.registers.of(class) {
                0 => {}
                count => writeln!(f, "    .reg .{} {}<{count}>;", class.declared(), class.prefix())?,
            }
        }
        for variable in &self.variables {
            writeln!(f, "    {variable}")?;
        }
        for parameter in &self.call_parameters {
            writeln!(f, "    {parameter};")?;
        }
        for statement in &self.body {
            writeln!(f, "{statement}")?;
        }
        f.write_str("}\n")
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(label) => write!(f, "{label}:"),
            Self::Instruction(line) => write!(f, "    {line}"),
            Self::Location { at, inlined } => {
                write!(f, "    .loc {at}")?;
                inlined.map_or(Ok(()), |inlined| inlined.fmt(f))
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.file, self.line, self.column)
    }
}

impl fmt::Display for Inlined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            function,
            called_from,
        } = self;
        write!(
            f,
            ", function_name {NAME_LABEL}{function}, inlined_at {called_from}"
        )
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = self.guard {
            write!(f, "@{guard} ")?;
        }
        self.instruction.fmt(f)
    }
}

/// A file's name between quotes. ptxas takes no escapes and no characters beyond ASCII there, so these bytes are
/// written `%XX`.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'"' | b'%' | 0..=31 | 127.. => out.push_str(&format!("%{byte:02X}")),
            byte => out.push(char::from(byte)),
        }
    }
    out
}
