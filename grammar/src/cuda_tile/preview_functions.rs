//! Parses declarations of external functions, and descriptions of their implementations.

use tilewright_diagnostics::{Code, Span};
use tilewright_irs::cuda_tile::preview::{ConstParam, ExternFunc, ExternImpl, External, ExternalKind};
use tilewright_irs::cuda_tile::{AnyType, Dict};
use tilewright_irs::element::ScalarType;

use super::ModuleReader;
use super::body::argument_name;
use super::cursor::{Cursor, Parse, fail};
use super::entries::dictionary;
use super::literals::{string, symbol};
use super::places::Places;
use super::preview::constants;
use super::preview::{any_type, kind, param_name};
use super::preview::{scratch, synchronization};
use super::types::integer;
use super::values::dict;

/// `<[N: index, S: !cuda_tile<preview$shape>]>`; `None` if there are none.
fn const_params(cursor: &mut Cursor<'_, '_>) -> Parse<Option<Vec<ConstParam>>> {
    if !cursor.eat("<") {
        return Ok(None);
    }
    cursor.expect("[")?;
    let params = cursor.list("]", |cursor| {
        let name = param_name(cursor)?;
        cursor.expect(":")?;
        Ok(ConstParam {
            name,
            kind: kind(cursor)?,
        })
    })?;
    cursor.expect(">")?;
    Ok(Some(params))
}

/// `-> T` or `-> (T, T)`; empty if there are no results.
fn results(cursor: &mut Cursor<'_, '_>) -> Parse<Vec<AnyType>> {
    if !cursor.eat("->") {
        return Ok(Vec::new());
    }
    if cursor.eat("(") {
        return cursor.list(")", any_type);
    }
    Ok(vec![any_type(cursor)?])
}

/// Stores an optional part of a statement, which may be given once.
fn once<T>(place: &mut Option<T>, value: T, word: &str, at: Span) -> Parse<()> {
    if place.is_some() {
        return fail(
            Code::AttributeValue,
            format!("`{word}` is given twice"),
            at,
            "given again here",
        );
    }
    *place = Some(value);
    Ok(())
}

impl<'t, 'input> ModuleReader<'t, 'input> {
    /// `(%arg0: tile<8xf32> {…}, …)`: types and dictionaries.
    fn inputs(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<(Vec<AnyType>, Vec<Dict>)> {
        cursor.expect("(")?;
        let mut dicts = Vec::new();
        let inputs = cursor.list(")", |cursor| {
            argument_name(cursor)?;
            cursor.expect(":")?;
            let ty = any_type(cursor)?;
            dicts.push(match cursor.peek() {
                "{" => dict(cursor, ScalarType::I64, &mut Places::ignored())?,
                _ => Dict::default(),
            });
            self.locations.trailing(cursor)?;
            Ok(ty)
        })?;
        Ok((inputs, dicts))
    }

    /// Adds a function to the module; `first` says whether its symbol has not been defined before.
    fn external(
        &mut self,
        kind: ExternalKind,
        (at, first): (Span, bool),
        cursor: &mut Cursor<'t, 'input>,
    ) -> Parse<()> {
        let place = self.locations.trailing(cursor)?;
        cursor.finish()?;
        if !first {
            return Ok(());
        }
        let external = External {
            before: self.parsed.module.funcs.len(),
            kind,
        };
        self.partial.symbols.remove(external.name());
        self.parsed.module.externals.push(external);
        self.parsed.debug.externals.push(place);
        self.parsed.externals.push(at);
        Ok(())
    }

    /// `extern @f<[N: index]>(%arg0: tile<8xf32> {…}) -> tile<8xf32>`
    pub(super) fn extern_func(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        cursor.expect("extern")?;
        let (name, at, first) = self.name(cursor)?;
        // Until all of it has been parsed.
        self.partial.symbols.insert(name.clone());
        let const_params = const_params(cursor)?.unwrap_or_default();
        let (inputs, arg_attrs) = self.inputs(cursor)?;
        let func = ExternFunc {
            name,
            const_params,
            inputs,
            results: results(cursor)?,
            arg_attrs,
        };
        self.external(ExternalKind::Func(func), (at, first), cursor)
    }

    /// `@i<[N: index]> implements @f<[N]> (%arg0: preview$fragment<…> {…}) arch = ["sm_90"] …`
    pub(super) fn extern_impl(&mut self, cursor: &mut Cursor<'t, 'input>) -> Parse<()> {
        let (name, at, first) = self.name(cursor)?;
        // Until all of it has been parsed.
        self.partial.symbols.insert(name.clone());
        let const_params = const_params(cursor)?;
        cursor.expect("implements")?;
        let implements = symbol(cursor)?;
        let const_args = constants(cursor, &mut Places::ignored())?;
        let (inputs, arg_attrs) = self.inputs(cursor)?;
        let mut it = ExternImpl {
            name,
            implements,
            const_params,
            const_args,
            inputs,
            results: results(cursor)?,
            arg_attrs: Some(arg_attrs),
            res_attrs: None,
            scratch_smem: None,
            config: None,
            arch: None,
            frontend_abi: None,
            synchronization: None,
            provider_score: None,
        };
        loop {
            let at = cursor.span();
            match cursor.peek() {
                word @ "synchronization" => {
                    cursor.take();
                    cursor.expect("=")?;
                    once(&mut it.synchronization, synchronization(cursor)?, word, at)?;
                }
                word @ "arch" => {
                    cursor.take();
                    cursor.expect("=")?;
                    cursor.expect("[")?;
                    once(&mut it.arch, cursor.list("]", string)?, word, at)?;
                }
                word @ "scratch" => {
                    cursor.take();
                    cursor.expect("{")?;
                    let scratch = scratch(cursor)?;
                    cursor.expect("}")?;
                    once(&mut it.scratch_smem, scratch, word, at)?;
                }
                _ => break,
            }
        }
        let at_dict = cursor.span();
        let entries = dictionary(cursor)?;
        if let Some(mut value) = entries.get("config") {
            it.config = Some(dict(&mut value, ScalarType::I64, &mut Places::ignored())?);
        }
        if let Some(mut value) = entries.get("frontendABI") {
            it.frontend_abi = Some(dict(&mut value, ScalarType::I64, &mut Places::ignored())?);
        }
        if let Some(mut value) = entries.get("provider_score") {
            it.provider_score = Some(integer(&mut value)?);
        }
        let known = ["config", "frontendABI", "provider_score"];
        if let Some(name) = entries.names().find(|name| !known.contains(name)) {
            let message = format!("`preview$extern_impl` has no attribute `{name}`");
            return fail(Code::UnknownAttribute, message, cursor.since(at_dict), "unknown");
        }
        self.external(ExternalKind::Impl(Box::new(it)), (at, first), cursor)
    }
}
