//! Writes attribute values.

use tilewright_diagnostics::Code;
use tilewright_irs::cuda_tile::{Attr, Dict, Hints, Predicate, TileType, Version};
use tilewright_irs::element::ScalarType;

use super::super::container::attr_tag;
use super::super::sink::Sink;
use super::pools::{Pools, Written};
use tilewright_irs::cuda_tile::AnyType;

impl Pools {
    /// A self-describing value with its tag.
    pub(super) fn attr(&mut self, sink: &mut Sink, attr: &Attr) -> Written<()> {
        match attr {
            Attr::Number(number) => {
                let ty = self.any_type(&AnyType::Scalar(number.ty))?;
                sink.varint(if number.ty.is_int() {
                    attr_tag::INTEGER
                } else {
                    attr_tag::FLOAT
                });
                sink.varint(ty);
                match number.ty {
                    ScalarType::I1 => sink.u8(u8::from(number.bits != 0)),
                    ty if ty.is_int() => sink.varint(number.bits),
                    ty if ty.bits() <= 8 => sink.u8((number.bits & 0xFF) as u8),
                    _ => sink.zigzag(number.bits.cast_signed()),
                }
            }
            Attr::Bool(value) => {
                sink.varint(attr_tag::BOOL);
                sink.u8(u8::from(*value));
            }
            Attr::Type(ty) => {
                sink.varint(attr_tag::TYPE);
                sink.varint(self.any_type(ty)?);
            }
            Attr::String(text) => {
                sink.varint(attr_tag::STRING);
                sink.varint(self.string(text));
            }
            Attr::Array(items) => {
                sink.varint(attr_tag::ARRAY);
                self.attrs(sink, items)?;
            }
            Attr::Dense(tile, dense) => {
                sink.varint(attr_tag::DENSE);
                sink.varint(self.value_type(&TileType::Tile(tile.clone()))?);
                sink.varint(self.dense(dense));
            }
            Attr::Predicate(predicate) => write_predicate(sink, predicate),
            Attr::Dict(dict) => {
                sink.varint(attr_tag::DICT);
                self.dict(sink, dict)?;
            }
            Attr::Hints(hints) => {
                sink.varint(attr_tag::HINTS);
                self.hints(sink, hints)?;
            }
            Attr::Reduction(kind) => {
                self.since(|| "a reduction as an attribute".to_owned(), Version::V13_5)?;
                sink.varint(attr_tag::REDUCTION);
                sink.varint(kind.code().into());
            }
            Attr::Preview(attr) => self.preview_attr(sink, attr)?,
        }
        Ok(())
    }

    pub(super) fn attrs(&mut self, sink: &mut Sink, items: &[Attr]) -> Written<()> {
        sink.len(items.len());
        items.iter().try_for_each(|item| self.attr(sink, item))
    }

    fn key(&mut self, sink: &mut Sink, key: &str) -> Written<()> {
        if key.is_empty() {
            return Err((Code::AttributeValue, "a dictionary has an empty key".to_owned()));
        }
        sink.varint(self.string(key));
        Ok(())
    }

    pub(super) fn dict(&mut self, sink: &mut Sink, dict: &Dict) -> Written<()> {
        sink.len(dict.0.len());
        for (key, value) in &dict.0 {
            self.key(sink, key)?;
            self.attr(sink, value)?;
        }
        Ok(())
    }

    /// Hints without a tag.
    pub(super) fn hints(&mut self, sink: &mut Sink, hints: &Hints) -> Written<()> {
        sink.len(hints.0.len());
        for (key, dict) in &hints.0 {
            if !self.arranged {
                self.known_hints(key, dict)?;
            }
            self.key(sink, key)?;
            sink.varint(attr_tag::DICT);
            self.dict(sink, dict)?;
        }
        Ok(())
    }
}

impl Pools {
    /// Older versions do not have newer hints.
    fn known_hints(&self, architecture: &str, dict: &Dict) -> Written<()> {
        let since = match architecture {
            // A dictionary without hints is empty.
            _ if dict.0.is_empty() => Version::V13_1,
            "default" => Version::V13_3,
            "sm_107" => Version::V13_4,
            _ => Version::V13_1,
        };
        self.since(|| format!("the key `{architecture}` of hints"), since)?;
        let warps = "num_worker_warps_per_cta";
        if dict.get(warps).is_some() {
            self.since(|| format!("the hint `{warps}`"), Version::V13_3)?;
        }
        Ok(())
    }
}

/// A predicate with its tag.
pub(super) fn write_predicate(sink: &mut Sink, predicate: &Predicate) {
    let flags = |a: bool, b: bool| u8::from(a) | u8::from(b) << 1;
    match predicate {
        Predicate::DivBy {
            divisor,
            every,
            along,
        } => {
            sink.varint(attr_tag::DIV_BY);
            sink.varint(*divisor);
            sink.u8(flags(every.is_some(), along.is_some()));
            every.iter().chain(along).for_each(|&n| sink.zigzag(n));
        }
        Predicate::SameElements(groups) => {
            sink.varint(attr_tag::SAME_ELEMENTS);
            sink.len(groups.len());
            groups.iter().for_each(|n| sink.extend(&n.to_le_bytes()));
        }
        Predicate::Bounded { lower, upper } => {
            sink.varint(attr_tag::BOUNDED);
            sink.u8(flags(lower.is_some(), upper.is_some()));
            lower.iter().chain(upper).for_each(|&n| sink.zigzag(n));
        }
    }
}
