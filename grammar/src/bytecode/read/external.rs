//! Reads the entries of external functions.

use tilewright_diagnostics::{Code, counted};
use tilewright_irs::cuda_tile::preview::{
    ConstParam, Expr, ExternFunc, ExternImpl, ExternalKind, PreviewAttr,
};
use tilewright_irs::cuda_tile::{AnyType, Attr, Dict, PreviewSynchronization, Signature};

use super::attrs::Tables;
use super::cursor::{Cursor, Read, fault};

/// How many parts of an implementation are optional; each has a presence bit.
const PARTS: u32 = 10;

impl<'a> Tables<'a> {
    /// Reads the entry of a function after its location: the dictionaries of its arguments, an empty body, its constant
    /// parameters.
    pub(super) fn extern_func(
        &mut self,
        name: String,
        signature: Signature,
        cursor: &mut Cursor<'a>,
    ) -> Read<ExternalKind> {
        let (at, arg_attrs) = self.array(cursor, "the argument attributes")?;
        let arg_attrs = dicts(at, arg_attrs)?;
        empty_body(cursor)?;
        let (at, params) = self.array(cursor, "the constant parameters")?;
        Ok(ExternalKind::Func(ExternFunc {
            name,
            const_params: const_params(at, params)?,
            inputs: signature.inputs,
            results: signature.results,
            arg_attrs,
        }))
    }

    /// Reads the entry of an implementation after its location: an op without its opcode, and an empty body.
    pub(super) fn extern_impl(
        &mut self,
        name: &str,
        signature: &Signature,
        cursor: &mut Cursor<'a>,
    ) -> Read<ExternalKind> {
        let at = cursor.at();
        let mut flags = cursor.varint("an op's flags")?;
        if flags >> PARTS != 0 {
            let message = format!(
                "`cuda_tile.preview$extern_impl` has the flags {flags:#x}, of which some are unknown"
            );
            return fault(at, Code::UnknownFlags, message);
        }
        let mut next = || {
            let set = flags & 1 == 1;
            flags >>= 1;
            set
        };
        let at = cursor.at();
        let own = self.string(cursor)?;
        if own != name {
            let message =
                format!("the entry of `@{name}` holds an implementation `@{own}`, expected the same name");
            return fault(at, Code::AttributeValue, message);
        }
        let at = cursor.at();
        let implements = self.string(cursor)?;
        if implements.is_empty() {
            return fault(
                at,
                Code::AttributeValue,
                format!("`@{name}` implements a function without a name"),
            );
        }
        let const_params = self
            .list(next(), cursor)?
            .map(|(at, list)| const_params(at, list));
        let const_args = self.list(next(), cursor)?.map(|(at, list)| exprs(at, list));
        let at = cursor.at();
        if !matches!(self.any_type(cursor)?, AnyType::Func(own) if own == *signature) {
            let message = format!("the signature of `@{name}` is not that of its entry");
            return fault(at, Code::MalformedType, message);
        }
        let arg_attrs = self.list(next(), cursor)?.map(|(at, list)| dicts(at, list));
        let res_attrs = self.list(next(), cursor)?.map(|(at, list)| dicts(at, list));
        let scratch_smem = next().then(|| self.types.scratch(cursor)).transpose()?;
        let config = next().then(|| self.dict(cursor)).transpose()?;
        let arch = self.list(next(), cursor)?.map(|(at, list)| strings(at, list));
        let frontend_abi = next().then(|| self.dict(cursor)).transpose()?;
        let synchronization = next().then(|| level(cursor)).transpose()?;
        let score = next().then(|| cursor.varint("a score")).transpose()?;
        let at = cursor.at();
        let (regions, blocks) = (
            cursor.varint("a number of regions")?,
            cursor.varint("a number of blocks")?,
        );
        if (regions, blocks) != (1, 0) {
            let message = format!(
                "`cuda_tile.preview$extern_impl` has {}, the first of {}; expected one of none",
                counted(regions, "region"),
                counted(blocks, "block")
            );
            return fault(at, Code::RegionCount, message);
        }
        empty_body(cursor)?;
        Ok(ExternalKind::Impl(Box::new(ExternImpl {
            name: own,
            implements,
            const_params: const_params.transpose()?,
            const_args: const_args.transpose()?,
            inputs: signature.inputs.clone(),
            results: signature.results.clone(),
            arg_attrs: arg_attrs.transpose()?,
            res_attrs: res_attrs.transpose()?,
            scratch_smem,
            config,
            arch: arch.transpose()?,
            frontend_abi,
            synchronization,
            provider_score: score.map(u64::cast_signed),
        })))
    }

    /// Reads a list with its tag. Also returns the list's offset in the file.
    fn array(&mut self, cursor: &mut Cursor<'a>, what: &str) -> Read<(usize, Vec<Attr>)> {
        let at = cursor.at();
        match self.attr(cursor)? {
            Attr::Array(list) => Ok((at, list)),
            _ => fault(
                at,
                Code::AttributeKind,
                format!("{what} of `cuda_tile.preview$func` are no list"),
            ),
        }
    }

    /// Reads a list without a tag, and its offset in the file; `None` if it is not `there`.
    fn list(&mut self, there: bool, cursor: &mut Cursor<'a>) -> Read<Option<(usize, Vec<Attr>)>> {
        let at = cursor.at();
        there.then(|| Ok((at, self.attrs(cursor)?))).transpose()
    }
}

fn empty_body(cursor: &mut Cursor<'_>) -> Read<()> {
    let at = cursor.at();
    match cursor.varint("the length of a function's body")? {
        0 => Ok(()),
        length => fault(
            at,
            Code::RegionCount,
            format!(
                "a function that is implemented outside has a body of {}, expected none",
                counted(length, "byte")
            ),
        ),
    }
}

fn level(cursor: &mut Cursor<'_>) -> Read<PreviewSynchronization> {
    let at = cursor.at();
    let code = cursor.varint("a synchronization")?;
    match u8::try_from(code)
        .ok()
        .and_then(PreviewSynchronization::from_code)
    {
        Some(level) => Ok(level),
        None => fault(
            at,
            Code::BadEnumValue,
            format!("`synchronization` is {code}, which stands for nothing"),
        ),
    }
}

/// Converts the entries of a list that must all be of one kind, which `what` names.
fn all<T>(at: usize, list: Vec<Attr>, what: &str, one: impl Fn(Attr) -> Option<T>) -> Read<Vec<T>> {
    let mut items = Vec::with_capacity(list.len());
    for (i, attr) in list.into_iter().enumerate() {
        match one(attr) {
            Some(item) => items.push(item),
            None => {
                let message = format!("entry {i} of a list is of another kind, expected {what}");
                return fault(at, Code::AttributeKind, message);
            }
        }
    }
    Ok(items)
}

fn dicts(at: usize, list: Vec<Attr>) -> Read<Vec<Dict>> {
    all(at, list, "a dictionary", |attr| {
        if let Attr::Dict(dict) = attr {
            Some(dict)
        } else {
            None
        }
    })
}

fn strings(at: usize, list: Vec<Attr>) -> Read<Vec<String>> {
    all(at, list, "a string", |attr| {
        if let Attr::String(text) = attr {
            Some(text)
        } else {
            None
        }
    })
}

fn preview(attr: Attr) -> Option<PreviewAttr> {
    if let Attr::Preview(attr) = attr {
        Some(*attr)
    } else {
        None
    }
}

fn const_params(at: usize, list: Vec<Attr>) -> Read<Vec<ConstParam>> {
    all(at, list, "a constant parameter", |attr| {
        if let Some(PreviewAttr::ConstParam(param)) = preview(attr) {
            Some(param)
        } else {
            None
        }
    })
}

/// Converts the entries of a list that must all be expressions.
pub(super) fn exprs(at: usize, list: Vec<Attr>) -> Read<Vec<Expr>> {
    all(at, list, "a symbolic expression", |attr| {
        if let Some(PreviewAttr::Expr(expr)) = preview(attr) {
            Some(expr)
        } else {
            None
        }
    })
}
