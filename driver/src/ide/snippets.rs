//! The text of ops with places to fill in, as snippets of editors have them: `${1:%lhs}, ${2:%rhs} : ${3:type}`.

use tilewright_irs::cuda_tile::enums::EnumCase;
use tilewright_irs::cuda_tile::syntax::{Piece, syntax};
use tilewright_irs::cuda_tile::{AttrKind, FieldKind, TileFieldSpec, TileOpSpec};

/// What follows the name of each op whose text has a parser of its own.
const BY_HAND: &[(&str, &str)] = &[
    ("constant", "<${1:i32}: ${2:0}> : tile<${1:i32}>"),
    (
        "make_tensor_view",
        "${1:%base}, shape = [${2:%size}], strides = [${3:1}] : ${4:tile<i32>} -> ${5:tensor_view<?xf32, strides=[1]>}",
    ),
    (
        "for",
        "%${1:i} in (${2:%lower} to ${3:%upper}, step ${4:%step}) : ${5:tile<i32>} {\n  $0\n\\}",
    ),
    ("if", "${1:%condition} {\n  $0\n\\}"),
    ("loop", "{\n  $0\n\\}"),
    (
        "reduce",
        "${1:%operand} dim=${2:0} identities=[${3:0.0 : f32}] : ${4:tile<64xf32>} -> ${5:tile<f32>} (%${6:left}: ${7:tile<f32>}, %${8:right}: ${7:tile<f32>}) {\n  $0\n\\}",
    ),
    (
        "scan",
        "${1:%operand} dim=${2:0} reverse=${3:false} identities=[${4:0.0 : f32}] : ${5:tile<64xf32>} -> ${6:tile<64xf32>} (%${7:left}: ${8:tile<f32>}, %${9:right}: ${8:tile<f32>}) {\n  $0\n\\}",
    ),
];

/// The text of an item of a module.
pub fn item(word: &str) -> Option<&'static str> {
    match word {
        "entry" => Some("entry @${1:name}($2) {\n  $0\n\\}"),
        "global" => Some("global @${1:name} <${2:i32}: ${3:0}> : ${4:tile<1xi32>}"),
        _ => None,
    }
}

/// The text of an op, without its optional parts.
pub fn op(spec: &'static TileOpSpec) -> String {
    let rest = match syntax(spec) {
        Some(pieces) => {
            let mut snippet = Snippet::default();
            snippet.pieces(spec, pieces);
            snippet.text
        }
        None => {
            let own = BY_HAND.iter().find(|(name, _)| *name == spec.name);
            own.map_or("", |(_, rest)| rest).to_owned()
        }
    };
    format!("{} {rest}", spec.name).trim_end().to_owned()
}

#[derive(Default)]
struct Snippet {
    text: String,
    places: usize,
}

impl Snippet {
    fn pieces(&mut self, spec: &'static TileOpSpec, pieces: &'static [Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(&escaped(text)),
                Piece::Field(index) => {
                    if let Some(field) = spec.fields.get(*index) {
                        self.field(field);
                    }
                }
                Piece::Types(typed) | Piece::FirstType(typed) | Piece::IndexTypes(typed) => {
                    self.place(&format!("type of {}", typed.name));
                }
                // Optional parts.
                Piece::Wrapped(..) | Piece::Group(..) => {}
            }
        }
    }

    fn field(&mut self, field: &TileFieldSpec) {
        let name = field.name;
        match field.kind {
            FieldKind::Operand | FieldKind::OptionalOperand | FieldKind::Operands => {
                self.place(&format!("%{name}"));
            }
            FieldKind::Attr(kind) | FieldKind::OptionalAttr(kind) => match kind {
                AttrKind::Enum(cases) => {
                    let allowed =
                        |case: &&EnumCase| field.allowed.is_empty() || field.allowed.contains(&case.code);
                    let words = cases.cases.iter().filter(allowed).map(|case| case.word);
                    let words: Vec<_> = words.collect();
                    self.places += 1;
                    self.text
                        .push_str(&format!("${{{}|{}|}}", self.places, words.join(",")));
                }
                AttrKind::String => {
                    self.text.push('"');
                    self.place(name);
                    self.text.push('"');
                }
                AttrKind::Symbol => {
                    self.text.push('@');
                    self.place(name);
                }
                AttrKind::I32s | AttrKind::Bools | AttrKind::Attrs | AttrKind::Exprs => {
                    self.text.push('[');
                    self.place(name);
                    self.text.push(']');
                }
                AttrKind::I64
                | AttrKind::I32
                | AttrKind::Bool
                | AttrKind::Dense
                | AttrKind::Predicate
                | AttrKind::Hints => self.place(name),
            },
            FieldKind::Flag | FieldKind::Region => {}
        }
    }

    /// Adds a place to fill in.
    fn place(&mut self, text: &str) {
        self.places += 1;
        self.text
            .push_str(&format!("${{{}:{}}}", self.places, escaped(text)));
    }
}

/// The text with the special characters of snippets escaped.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

#[cfg(test)]
mod tests {
    use tilewright_diagnostics::FileId;
    use tilewright_grammar::cuda_tile::parse_tile_text;
    use tilewright_irs::cuda_tile::TileOp;

    use super::*;

    /// A snippet with its placeholders replaced by their default texts.
    fn filled(snippet: &str) -> String {
        let mut out = String::new();
        let mut rest = snippet;
        while let Some(at) = rest.find(['$', '\\']) {
            out.push_str(&rest[..at]);
            let special = &rest[at..];
            if let Some(after) = special.strip_prefix('\\') {
                out.push_str(&after[..1]);
                rest = &after[1..];
            } else if let Some(place) = special.strip_prefix("${") {
                let (inside, after) = place.split_once('}').expect("it ends");
                out.push_str(inside.split_once(':').map_or(inside, |(_, text)| text));
                rest = after;
            } else {
                rest = &special[2..];
            }
        }
        out + rest
    }

    #[test]
    fn every_op_has_its_operands_in_the_order_of_its_text() {
        let text = |name: &str| op(TileOp::by_mnemonic(name).expect(name));
        assert_eq!(text("addi"), "addi ${1:%lhs}, ${2:%rhs} : ${3:type of result}");
        assert_eq!(text("make_token"), "make_token : ${1:type of result}");
        let store = text("store_view_tko");
        assert!(
            store.starts_with("store_view_tko ${1|weak,") && store.contains("${2:%tile}, ${3:%view}["),
            "{store}"
        );
        let own = TileOp::tile_specs().filter(|spec| spec.syntax == "@" && !spec.is_preview());
        for spec in own {
            assert!(
                BY_HAND.iter().any(|(name, _)| *name == spec.name),
                "{}",
                spec.name
            );
        }
    }

    #[test]
    fn the_ops_with_a_parser_of_their_own_can_be_read() {
        for (name, rest) in BY_HAND {
            let end = match *name {
                "loop" => "break",
                "reduce" | "scan" => "yield %left : tile<f32>",
                _ => "",
            };
            let body = filled(&rest.replace("$0", end));
            let results = match *name {
                "constant" | "make_tensor_view" | "reduce" | "scan" => "%made = ",
                _ => "",
            };
            let text = format!(
                "cuda_tile.module @m {{\n  entry @k(%base: tile<ptr<f32>>, %size: tile<i32>, %lower: tile<i32>, %upper: tile<i32>, \
                 %step: tile<i32>, %condition: tile<i1>) {{\n    %operand = constant <f32: 0.0> : tile<64xf32>\n    \
                 {results}{name} {body}\n    return\n  }}\n}}\n"
            );
            let parsed = parse_tile_text(&text, FileId(0));
            assert_eq!(parsed.diagnostics, [], "{text}");
        }
        for word in ["entry", "global"] {
            let body = filled(
                &item(word)
                    .expect("it has one")
                    .replace("$2", "")
                    .replace("$0", "return"),
            );
            let parsed = parse_tile_text(&format!("cuda_tile.module @m {{\n{body}\n}}\n"), FileId(0));
            assert_eq!(parsed.diagnostics, [], "{body}");
        }
    }
}
