//! What passes declare that they do to attributes.

use std::fmt;

use tilewright_irs::core::{AttributeSpec, Carrier, Declared, is_named};

/// What a pass makes of an attribute that it does not keep as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The attribute decides what the pass makes, and ends there.
    Consumes,
    /// Its value goes on under another name, or as a part of another attribute.
    Renames {
        /// Where it stands then.
        carrier: Carrier,
        /// The name.
        name: &'static str,
    },
    /// The pass gives it a value.
    Makes,
    /// Nothing depends on it from here on.
    Drops,
}

/// A change of an attribute by a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What the pass does.
    pub fate: Fate,
    /// Where the attribute stands.
    pub carrier: Carrier,
    /// Its name, after that of an op and a space if it is that op's only.
    pub name: &'static str,
}

impl Change {
    /// Whether it is about an attribute.
    pub fn is_about(&self, spec: &AttributeSpec) -> bool {
        self.carrier == spec.carrier && is_named(spec.op, spec.name, self.name)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fate, carrier, name } = self;
        match fate {
            Fate::Consumes => write!(f, "consumes {carrier} {name}"),
            Fate::Makes => write!(f, "makes {carrier} {name}"),
            Fate::Drops => write!(f, "drops {carrier} {name}"),
            Fate::Renames {
                carrier: to,
                name: new,
            } => write!(f, "renames {carrier} {name} to {to} {new}"),
        }
    }
}

/// The changes of a pass, as its row of the pipeline declares them.
macro_rules! changes {
    ($($fate:ident $carrier:ident $name:literal $(to $new_carrier:ident $new:literal)?),* $(,)?) => {
        &[$($crate::changes::Change {
            fate: $crate::changes::changes!(@fate $fate $($new_carrier $new)?),
            carrier: $crate::changes::changes!(@carrier $carrier),
            name: $name,
        }),*]
    };
    (@fate consumes) => { $crate::changes::Fate::Consumes };
    (@fate makes) => { $crate::changes::Fate::Makes };
    (@fate drops) => { $crate::changes::Fate::Drops };
    (@fate renames $carrier:ident $name:literal) => {
        $crate::changes::Fate::Renames {
            carrier: $crate::changes::changes!(@carrier $carrier),
            name: $name,
        }
    };
    (@carrier function) => { ::tilewright_irs::core::Carrier::Function };
    (@carrier op) => { ::tilewright_irs::core::Carrier::Op };
    (@carrier tag) => { ::tilewright_irs::core::Carrier::Tag };
    (@carrier type) => { ::tilewright_irs::core::Carrier::Type };
    (@carrier module) => { ::tilewright_irs::core::Carrier::Module };
}
pub(crate) use changes;

/// Whether the attributes that a pass changes are ones of the language that it reads, and what it makes ones of the language
/// that it writes.
pub(crate) const fn exist(changes: &[Change], from: &Declared, to: &Declared) -> bool {
    let mut at = 0;
    while at < changes.len() {
        let Change { fate, carrier, name } = changes[at];
        let exists = match fate {
            Fate::Consumes | Fate::Drops => from.has(carrier, name),
            Fate::Makes => to.has(carrier, name),
            Fate::Renames {
                carrier: new,
                name: new_name,
            } => from.has(carrier, name) && to.has(new, new_name),
        };
        if !exists {
            return false;
        }
        at += 1;
    }
    true
}
