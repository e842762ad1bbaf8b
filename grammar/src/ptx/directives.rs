//! Parses directives: versions, targets, variables, parameters, launch limits.

use super::lexer::Token;
use super::tree::{Line, Piece, Word};
use tilewright_diagnostics::Code;
use tilewright_irs::ptx::{
    Class, Directive, IsaVersion, Launch, Linkage, Parameter, ParameterType, Space, Symbol, Target, Type,
    Variable,
};

/// The reason why a directive is refused, and its byte range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: Code,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) message: String,
}

/// A cursor over the tokens of a directive.
pub(super) struct Pieces<'a, 's> {
    pieces: &'a [Piece<'s>],
    at: usize,
    /// The position of errors at the end of the tokens.
    end: usize,
}

type Read<T> = Result<T, Refusal>;

impl<'a, 's> Pieces<'a, 's> {
    pub(super) fn new(pieces: &'a [Piece<'s>], end: usize) -> Self {
        Self {
            pieces,
            at: 0,
            end: pieces.last().map_or(end, |last| last.end),
        }
    }

    pub(super) fn of(line: &'a Line<'s>) -> Self {
        Self::new(&line.rest, line.first.end)
    }

    pub(super) fn refuse<T>(&self, wanted: &str) -> Read<T> {
        let (start, end) = match self.pieces.get(self.at) {
            Some(piece) => (piece.start, piece.end),
            None => (self.end.saturating_sub(1), self.end),
        };
        Err(Refusal {
            code: Code::UnexpectedToken,
            start,
            end,
            message: format!("expected {wanted}"),
        })
    }

    /// Refuses the token before this one.
    fn refuse_last<T>(&self, code: Code, message: String) -> Read<T> {
        let last = self.at.checked_sub(1).and_then(|at| self.pieces.get(at));
        let (start, end) = last.map_or((self.end, self.end), |piece| (piece.start, piece.end));
        Err(Refusal {
            code,
            start,
            end,
            message,
        })
    }

    fn next<T>(&mut self, read: impl FnOnce(Token<'s>) -> Option<T>) -> Option<T> {
        let value = read(self.pieces.get(self.at)?.token)?;
        self.at += 1;
        Some(value)
    }

    pub(super) fn dotted(&mut self) -> Option<&'s str> {
        self.next(|token| {
            if let Token::Dotted(text) = token {
                Some(text)
            } else {
                None
            }
        })
    }

    fn word<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.next(|token| {
            if let Token::Dotted(text) = token {
                read(text)
            } else {
                None
            }
        })
    }

    pub(super) fn name(&mut self) -> Read<Word<'s>> {
        let at = self.at;
        match self.next(|token| {
            if let Token::Name(text) = token {
                Some(text)
            } else {
                None
            }
        }) {
            Some(text) => {
                let piece = &self.pieces[at];
                Ok(Word {
                    text,
                    start: piece.start,
                    end: piece.end,
                })
            }
            None => self.refuse("a name"),
        }
    }

    /// A name that is a word of the directive itself.
    pub(super) fn keyword(&mut self, wanted: &str) -> Read<()> {
        if self.accept(Token::Name(wanted)) {
            Ok(())
        } else {
            self.refuse(&format!("`{wanted}`"))
        }
    }

    pub(super) fn accept(&mut self, wanted: Token<'_>) -> bool {
        self.next(|token| (token == wanted).then_some(())).is_some()
    }

    pub(super) fn require(&mut self, wanted: Token<'_>) -> Read<()> {
        if self.accept(wanted) {
            Ok(())
        } else {
            self.refuse(&wanted.describe())
        }
    }

    pub(super) fn number<T: TryFrom<i128>>(&mut self) -> Read<T> {
        let number = self.next(|token| {
            if let Token::Integer(text) = token {
                T::try_from(integer(text)?).ok()
            } else {
                None
            }
        });
        match number {
            Some(number) => Ok(number),
            None => self.refuse("a number in range"),
        }
    }

    pub(super) fn string(&mut self) -> Read<&'s str> {
        match self.next(|token| {
            if let Token::String(text) = token {
                Some(text)
            } else {
                None
            }
        }) {
            Some(text) => Ok(text.trim_matches('"')),
            None => self.refuse("a string"),
        }
    }

    pub(super) fn finish(&self) -> Read<()> {
        if self.at < self.pieces.len() {
            self.refuse("the end of the directive")
        } else {
            Ok(())
        }
    }
}

/// The value of an integer literal, sign included; `None` beyond 64 bits.
pub(super) fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    let lower = digits.to_ascii_lowercase();
    let magnitude = if let Some(hex) = lower.strip_prefix("0x") {
        u64::from_str_radix(hex, 16)
    } else if let Some(binary) = lower.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        u64::from_str_radix(&lower, 8)
    } else {
        lower.parse()
    };
    let magnitude = i128::from(magnitude.ok()?);
    Some(if negative { -magnitude } else { magnitude })
}

/// `.version 8.0`
pub(super) fn version(line: &Line<'_>) -> Read<IsaVersion> {
    let mut pieces = Pieces::of(line);
    let parsed = pieces.next(|token| {
        let Token::Decimal(text) = token else { return None };
        let (major, minor) = text.split_once('.')?;
        Some(IsaVersion::new(major.parse().ok()?, minor.parse().ok()?))
    });
    match parsed {
        Some(version) if !version.exists() => {
            let latest = IsaVersion::LATEST;
            let message = format!("there is no PTX ISA version {version}; known are 6.0 to {latest}");
            pieces.refuse_last(Code::AttributeValue, message)
        }
        Some(version) => pieces.finish().map(|()| version),
        None => pieces.refuse("a version such as 8.0"),
    }
}

/// `.target sm_90a`, and whether the directive ends there.
pub(super) fn target(line: &Line<'_>) -> Read<(Target, Read<()>)> {
    let mut pieces = Pieces::of(line);
    let name = pieces.next(|token| {
        if let Token::Name(text) = token {
            Some(text)
        } else {
            None
        }
    });
    let Some(name) = name else {
        return pieces.refuse("a target such as sm_90a");
    };
    match Target::parse(name).filter(|target| target.is_known()) {
        Some(target) => Ok((target, pieces.finish())),
        None => {
            let message = format!("there is no target `{name}`, such as sm_90a");
            pieces.refuse_last(Code::UnknownTarget, message)
        }
    }
}

/// A name in a register declaration, and its register count; `None` is a single register of this name.
pub(super) type Registers<'s> = (Word<'s>, Option<u32>);

/// A register declaration.
pub(super) fn registers<'s>(line: &Line<'s>) -> Read<(Class, Vec<Registers<'s>>)> {
    let mut pieces = Pieces::of(line);
    let class = match pieces.word(Type::from_word) {
        Some(ty) => ty.class(),
        None => return pieces.refuse("a register type"),
    };
    let mut declared = Vec::new();
    loop {
        let name = pieces.name()?;
        let count = if pieces.accept(Token::Less) {
            let count = pieces.number()?;
            pieces.require(Token::Greater)?;
            Some(count)
        } else {
            None
        };
        declared.push((name, count));
        if !pieces.accept(Token::Comma) {
            return pieces.finish().map(|()| (class, declared));
        }
    }
}

/// The names among the tokens of a declaration.
pub(super) fn names<'s>(pieces: &[Piece<'s>]) -> impl Iterator<Item = &'s str> {
    pieces.iter().filter_map(|piece| match piece.token {
        Token::Name(name) => Some(name),
        _ => None,
    })
}

/// A variable in any space: `.visible .global .align 4 .b8 name[16] = {1, 2};`
pub(super) fn variable<'s>(line: &Line<'s>) -> Read<(Variable, Word<'s>)> {
    let mut pieces = Pieces::of(line);
    let mut linkage = Linkage::Internal;
    let mut word = Some(line.first.text);
    loop {
        match word.and_then(Directive::from_word) {
            Some(Directive::Visible) => linkage = Linkage::Visible,
            Some(Directive::Extern) => linkage = Linkage::Extern,
            Some(_) | None => break,
        }
        word = pieces.dotted();
    }
    let Some(space) = word.and_then(Space::from_word) else {
        return pieces.refuse("a state space");
    };
    let mut align = None;
    let element = loop {
        match pieces.dotted() {
            Some(word) if Directive::from_word(word) == Some(Directive::Align) => {
                align = Some(alignment(&mut pieces)?);
            }
            Some(word) => match Type::from_word(word).and_then(Type::bytes) {
                Some(bytes) => break bytes,
                None => return pieces.refuse("a type before this"),
            },
            None => return pieces.refuse("a type"),
        }
    };
    let name = pieces.name()?;
    let mut bytes = Some(u64::from(element));
    if pieces.accept(Token::OpenBracket) {
        if pieces.accept(Token::CloseBracket) {
            bytes = None;
        } else {
            let count: u64 = pieces.number()?;
            bytes = Some(
                count
                    .checked_mul(u64::from(element))
                    .map_or_else(|| pieces.refuse("a smaller array"), Ok)?,
            );
            pieces.require(Token::CloseBracket)?;
        }
    }
    let initial = if pieces.accept(Token::Equals) {
        initial(&mut pieces, element)?
    } else {
        Vec::new()
    };
    pieces.finish()?;
    if bytes.is_some_and(|bytes| u64::try_from(initial.len()).is_ok_and(|length| length > bytes)) {
        return pieces.refuse("no more initial values than the variable has room for");
    }
    let align = align.unwrap_or(element);
    Ok((
        Variable {
            linkage,
            space,
            align,
            name: Symbol::from(name.text),
            bytes,
            initial,
        },
        name,
    ))
}

fn alignment(pieces: &mut Pieces<'_, '_>) -> Read<u32> {
    let align: u32 = pieces.number()?;
    if align.is_power_of_two() {
        Ok(align)
    } else {
        pieces.refuse("a power of two before this")
    }
}

/// The bytes of `{1, 2, 3}` with elements of `element` bytes.
fn initial(pieces: &mut Pieces<'_, '_>, element: u32) -> Read<Vec<u8>> {
    pieces.require(Token::OpenBrace)?;
    let width = usize::try_from(element).unwrap_or(8).min(8);
    let mut bytes = Vec::new();
    loop {
        let value: i128 = pieces.number()?;
        let all = value.to_le_bytes();
        bytes.extend(all.iter().take(width));
        if !pieces.accept(Token::Comma) {
            break;
        }
    }
    pieces.require(Token::CloseBrace)?;
    Ok(bytes)
}

/// A parameter, its name, and its byte range.
pub(super) type PlacedParameter<'s> = (Parameter, Word<'s>, (usize, usize));

/// The parameters between parentheses: each one, or why it is refused and its tokens.
pub(super) fn parameters<'a, 's>(
    pieces: &'a [Piece<'s>],
    end: usize,
) -> impl Iterator<Item = Result<PlacedParameter<'s>, (Refusal, &'a [Piece<'s>])>> {
    let parts = pieces.split(|piece| piece.token == Token::Comma);
    let ends = pieces.iter().filter(|piece| piece.token == Token::Comma);
    let ends = ends.map(|comma| comma.end).chain(std::iter::once(end));
    parts.zip(ends).filter(|_| !pieces.is_empty()).map(|(part, end)| {
        let mut pieces = Pieces::new(part, end);
        let read = parameter(&mut pieces).and_then(|(parameter, name)| {
            let start = part.first().map_or(name.start, |piece| piece.start);
            let last = pieces.at.checked_sub(1).and_then(|at| part.get(at));
            let end = last.map_or(name.end, |piece| piece.end);
            match pieces.finish() {
                Ok(()) => Ok((parameter, name, (start, end))),
                Err(_) => Err(Refusal {
                    code: Code::UnexpectedToken,
                    start: last.map_or(name.start, |piece| piece.start),
                    end,
                    message: "expected `,` or `)` after the parameter".to_owned(),
                }),
            }
        });
        read.map_err(|refusal| (refusal, part))
    })
}

/// A variable of parameter space in a body, `.param .b64 name`.
pub(super) fn call_parameter<'s>(line: &Line<'s>) -> Read<(Parameter, Word<'s>)> {
    let mut pieces = Pieces::of(line);
    let parameter = typed_parameter(&mut pieces)?;
    pieces.finish().map(|()| parameter)
}

fn parameter<'s>(pieces: &mut Pieces<'_, 's>) -> Read<(Parameter, Word<'s>)> {
    if pieces.word(|word| (word == "param").then_some(())).is_none() {
        return pieces.refuse("`.param`");
    }
    typed_parameter(pieces)
}

/// The rest of a `.param` declaration.
fn typed_parameter<'s>(pieces: &mut Pieces<'_, 's>) -> Read<(Parameter, Word<'s>)> {
    let (mut ty, mut align, mut space, mut pointer) = (None, None, None, false);
    while let Some(word) = pieces.dotted() {
        match Directive::from_word(word) {
            Some(Directive::Align) => align = Some(alignment(pieces)?),
            Some(Directive::Ptr) => pointer = true,
            _ => match (Type::from_word(word), Space::from_word(word)) {
                (Some(found), _) => ty = Some(found),
                (None, Some(found)) if pointer => space = Some(found),
                (None, _) => return pieces.refuse("a parameter type before this"),
            },
        }
    }
    let Some((ty, bytes)) = ty.and_then(|ty| Some((ty, ty.bytes()?))) else {
        return pieces.refuse("a parameter type");
    };
    let name = pieces.name()?;
    let array = if pieces.accept(Token::OpenBracket) {
        let count: u32 = pieces.number()?;
        pieces.require(Token::CloseBracket)?;
        Some(
            count
                .checked_mul(bytes)
                .map_or_else(|| pieces.refuse("a smaller array"), Ok)?,
        )
    } else {
        None
    };
    let ty = match array {
        Some(bytes) => ParameterType::Bytes {
            align: align.unwrap_or(1),
            bytes,
        },
        None if pointer => ParameterType::Pointer {
            space,
            align: align.unwrap_or(1),
        },
        None => ParameterType::Scalar(ty),
    };
    Ok((
        Parameter {
            name: Symbol::from(name.text),
            ty,
        },
        name,
    ))
}

/// Adds one launch directive to `launch`; `None` if it is another directive.
pub(super) fn launch(line: &Line<'_>, launch: &mut Launch) -> Read<Option<Directive>> {
    let mut pieces = Pieces::of(line);
    let directive = Directive::from_word(line.first.text);
    match directive {
        Some(Directive::MaxThreads) => launch.max_threads = Some(shape(&mut pieces)?),
        Some(Directive::RequiredThreads) => launch.required_threads = Some(shape(&mut pieces)?),
        Some(Directive::MinBlocks) => launch.min_blocks_per_sm = Some(pieces.number()?),
        Some(Directive::MaxRegisters) => launch.max_registers = Some(pieces.number()?),
        Some(Directive::ExplicitCluster) => launch.explicit_cluster = true,
        Some(Directive::RequiredCluster) => launch.required_cluster = Some(shape(&mut pieces)?),
        Some(Directive::MaxCluster) => launch.max_cluster_rank = Some(pieces.number()?),
        Some(Directive::BlocksAreClusters) => launch.blocks_are_clusters = true,
        _ => return Ok(None),
    }
    pieces.finish().map(|()| directive)
}

/// One to three numbers; missing ones are one.
fn shape(pieces: &mut Pieces<'_, '_>) -> Read<[u32; 3]> {
    let mut shape = [pieces.number()?, 1, 1];
    for extent in shape.iter_mut().skip(1) {
        if !pieces.accept(Token::Comma) {
            break;
        }
        *extent = pieces.number()?;
    }
    Ok(shape)
}
