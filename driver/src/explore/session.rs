//! What the page asks, answered from a database of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::core::Origin;
use tilewright_layout_gallery::picture::{Memory, Options as PictureOptions, by_element, by_offset, to_svg};
use tilewright_layouts::{Dim, ElementWidth, LinearLayout};

use crate::database::Compiler;
use crate::ide::became::Became;
use crate::ide::functions::{Function, functions};
use crate::ide::lines::{Encoding, Lines};
use crate::ide::stage_view::StageView;
use crate::ide::{cost, hover, problems};
use crate::inputs::{Options, Request, Source, is_bytecode};
use crate::pipeline::{self, Pass};
use crate::targets;
use crate::units::{Language, Stage};

/// An answer, or why there is none.
type Answer = Result<Value, String>;

/// Lines of a pass's input or output beyond which no difference is made.
const MAX_DIFF: usize = 20_000;

/// The database, and the file.
pub(super) struct Session {
    db: Compiler,
    source: Source,
    options: Options,
    request: Request,
    path: PathBuf,
    /// The file as it was last read.
    bytes: Vec<u8>,
    modified: Option<SystemTime>,
    /// Counts the changes of the file.
    version: u64,
    /// The time of each pass for each kernel when it last ran.
    times: BTreeMap<(&'static str, String), Duration>,
}

impl Session {
    pub(super) fn new(path: PathBuf, bytes: Vec<u8>, request: Request) -> Self {
        let mut db = Compiler::new();
        db.log_executions();
        let source = db.add_source_with(path.display().to_string(), bytes.clone(), request.preview);
        let options = db.options(request);
        Self {
            db,
            source,
            options,
            request,
            modified: modified(&path),
            path,
            bytes,
            version: 1,
            times: BTreeMap::new(),
        }
    }

    /// The file, if it has changed since the page saw it.
    pub(super) fn file(&mut self, asked: &Value) -> Value {
        let now = modified(&self.path);
        if now != self.modified
            && let Ok(bytes) = fs::read(&self.path)
        {
            self.modified = now;
            if bytes != self.bytes {
                self.bytes = bytes;
                self.version += 1;
            }
        }
        if asked.get("since").and_then(Value::as_u64) == Some(self.version) {
            return json!({ "version": self.version });
        }
        self.db.edit(self.source, self.bytes.clone());
        let text = (!is_bytecode(&self.bytes)).then(|| String::from_utf8_lossy(&self.bytes).into_owned());
        json!({
            "version": self.version,
            "name": self.path.display().to_string(),
            "text": text,
            "languages": Language::ALL.iter().map(|language| language.name()).collect::<Vec<_>>(),
            "targets": targets::SUPPORTED.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "target": self.request.target.unwrap_or(targets::DEFAULT).to_string(),
            "optLevel": self.request.opt_level,
            "fmad": self.request.fmad,
        })
    }

    /// Takes the page's text and options.
    fn take(&mut self, asked: &Value) -> Result<(), String> {
        if let Some(text) = asked.get("text").and_then(Value::as_str)
            && self.source.bytes(&self.db) != text.as_bytes()
        {
            self.db.edit(self.source, text.as_bytes());
        }
        let mut request = self.request;
        if let Some(target) = asked.get("target").and_then(Value::as_str) {
            let target = targets::parse::<Location>(target).map_err(|problem| problem.message)?;
            request.target = Some(target);
        }
        if let Some(level) = asked.get("optLevel").and_then(Value::as_u64) {
            request.opt_level = u8::try_from(level.min(3)).unwrap_or(3);
        }
        if let Some(fmad) = asked.get("fmad").and_then(Value::as_bool) {
            request.fmad = fmad;
        }
        // A text after the choice of a target names its own.
        let own = functions(&self.db, self.source)
            .iter()
            .find_map(|function| function.body.target());
        if own.is_some() {
            request.target = None;
        }
        self.db.change_options(self.options, request);
        Ok(())
    }

    /// The kernel that is asked for, by its number.
    fn function(&self, asked: &Value) -> Result<Function<'_>, String> {
        let at = asked.get("kernel").and_then(Value::as_u64).unwrap_or(0);
        let all = functions(&self.db, self.source);
        let chosen = usize::try_from(at).ok().and_then(|at| all.get(at));
        chosen
            .or(all.first())
            .copied()
            .ok_or_else(|| "the file has no kernel".to_owned())
    }

    /// Compiles the page's text: kernels, problems, the stages asked for, the passes.
    pub(super) fn compile(&mut self, asked: &Value) -> Answer {
        self.take(asked)?;
        let mut said = problems::front_end(&self.db, self.source);
        said.extend_from_slice(problems::back_end(&self.db, self.source, self.options));
        let kernels: Vec<_> = functions(&self.db, self.source)
            .iter()
            .map(|one| one.name.to_owned())
            .collect();
        let mut answer = json!({ "kernels": kernels, "problems": self.problems(&said) });
        let Ok(function) = self.function(asked) else {
            return Ok(answer);
        };
        let stages = asked
            .get("stages")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let stages = stages.iter().filter_map(Value::as_str);
        let panes: Vec<_> = stages.map(|stage| self.pane(&function, stage)).collect();
        answer["panes"] = panes.into();
        answer["source"] = self.source_view(&function);
        answer["cost"] = cost::cost(&self.db, &function, self.options)
            .map(|cost| cost.line())
            .into();
        let (name, passes) = (function.name.to_owned(), self.passes(&function));
        for execution in self.db.take_executions() {
            self.times
                .insert((execution.query, execution.subject), execution.time);
        }
        let passes = passes.into_iter().map(|(pass, changed)| {
            let time = self
                .times
                .get(&(pass.name, name.clone()))
                .copied()
                .unwrap_or_default();
            json!({
                "name": pass.name,
                "doc": pass.doc.trim(),
                "from": pass.from.name(),
                "to": pass.to.name(),
                "micros": time.as_secs_f64() * 1e6,
                "changed": changed,
            })
        });
        answer["passes"] = passes.collect::<Vec<_>>().into();
        Ok(answer)
    }

    fn problems(&self, said: &[Diagnostic<Location>]) -> Value {
        let text = std::str::from_utf8(self.source.bytes(&self.db)).unwrap_or_default();
        let lines = Lines::of(text);
        let place = |location: &Location| match location {
            Location::Span(span) => {
                let offset = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
                let start = lines.position(text, offset(span.start), Encoding::Utf16);
                let end = lines.position(text, offset(span.end), Encoding::Utf16);
                json!({ "line": start.line, "column": start.column, "endLine": end.line, "endColumn": end.column })
            }
            Location::Source { path, line, column } => {
                json!({ "path": path, "line": line, "column": column })
            }
            Location::Offset { offset, .. } => json!({ "offset": offset }),
        };
        let one = |problem: &Diagnostic<Location>| {
            json!({
                "severity": problem.severity.word(),
                "code": problem.code.to_string(),
                "message": problem.message,
                "at": problem.primary.as_ref().map(|label| place(&label.at)),
                "label": problem.primary.as_ref().map(|label| label.message.clone()),
                "notes": problem.notes,
                "help": problem.help,
            })
        };
        said.iter().map(one).collect::<Vec<_>>().into()
    }

    /// The text of a stage, and the origin of each line.
    fn pane(&self, function: &Function<'_>, stage: &str) -> Value {
        let language: Language = match stage.parse() {
            Ok(language) => language,
            Err(why) => return json!({ "stage": stage, "error": why }),
        };
        match StageView::of(&self.db, function, self.options, language) {
            Some(view) => view_json(language, &view),
            None => json!({
                "stage": language.name(),
                "error": format!("`{}` does not become `{language}`", function.name),
            }),
        }
    }

    /// The source: the ops of each line of the text, or a text of its own for bytecode.
    fn source_view(&self, function: &Function<'_>) -> Value {
        let bytes = self.source.bytes(&self.db);
        if is_bytecode(bytes) {
            let own = function.body.language();
            return StageView::of(&self.db, function, self.options, own)
                .map_or(Value::Null, |view| view_json(own, &view));
        }
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let lines = Lines::of(text);
        let mut origins = vec![Value::Null; lines.count()];
        for (origin, span) in function.places.op_spans() {
            let line = lines.line(usize::try_from(span.start).unwrap_or(usize::MAX));
            if let Some(slot) = origins.get_mut(line).filter(|slot| slot.is_null()) {
                *slot = origin.0.into();
            }
        }
        json!({ "stage": function.body.language().name(), "origins": origins })
    }

    /// The passes that the kernel goes through, and whether each changed it.
    fn passes(&self, function: &Function<'_>) -> Vec<(&'static Pass, bool)> {
        let Some(kernel) = function.kernel else {
            return Vec::new();
        };
        let mut before = Some(function.body.clone());
        let mut passes = Vec::new();
        for pass in pipeline::route(function.body.language(), Language::Ptx) {
            let after = pipeline::stage_after(&self.db, kernel, self.options, pass);
            passes.push((pass, after != before));
            before = after;
        }
        passes
    }

    /// What a pass changed: lines that are equal, removed, added.
    pub(super) fn pass(&mut self, asked: &Value) -> Answer {
        self.take(asked)?;
        let name = asked.get("pass").and_then(Value::as_str).unwrap_or_default();
        let function = self.function(asked)?;
        let kernel = function.kernel.ok_or("the kernel has errors")?;
        let route = pipeline::route(function.body.language(), Language::Ptx);
        let at = route
            .iter()
            .position(|pass| pass.name == name)
            .ok_or("there is no such pass")?;
        let stage = |at: Option<usize>| -> Option<Stage> {
            match at.and_then(|at| route.get(at)) {
                Some(pass) => pipeline::stage_after(&self.db, kernel, self.options, pass),
                None => Some(function.body.clone()),
            }
        };
        let text = |stage: Option<Stage>| {
            stage
                .map(|stage| crate::annotate::with_origins(&stage).0)
                .ok_or("the kernel does not get there")
        };
        let (before, after) = (text(stage(at.checked_sub(1)))?, text(stage(Some(at)))?);
        if before.lines().count().max(after.lines().count()) > MAX_DIFF {
            return Err(format!("the texts have more than {MAX_DIFF} lines"));
        }
        let diff = similar::TextDiff::configure()
            .timeout(Duration::from_secs(2))
            .diff_lines(&before, &after);
        let lines = diff.iter_all_changes().map(|change| {
            let tag = match change.tag() {
                similar::ChangeTag::Equal => " ",
                similar::ChangeTag::Delete => "-",
                similar::ChangeTag::Insert => "+",
            };
            json!([tag, change.value().trim_end_matches('\n')])
        });
        Ok(json!({ "pass": name, "lines": lines.collect::<Vec<_>>() }))
    }

    /// What an op of the source became: words, and the drawing of its tile's layout.
    pub(super) fn about(&mut self, asked: &Value) -> Answer {
        self.take(asked)?;
        let function = self.function(asked)?;
        let origin = asked.get("origin").and_then(Value::as_u64);
        let origin = origin.and_then(|origin| u32::try_from(origin).ok());
        let origin = Origin(origin.ok_or("there is no such op")?);
        let op = function.op(origin).ok_or("there is no such op")?;
        let types = op.results.iter().filter_map(|&value| function.type_of(value));
        let types: Vec<_> = types.map(|ty| format!("`{ty}`")).collect();
        let mut lines = vec![match types.is_empty() {
            true => format!("`{}`", op.name),
            false => format!("`{}`: {}", op.name, types.join(", ")),
        }];
        let mut svg = None;
        if let Some(kernel) = function.kernel {
            let became = Became::of(&self.db, kernel, self.options, origin);
            lines.extend(hover::lines(&became));
            if let Some(tile) = &became.form.tile {
                lines.push(format!("`{}`", tile.layout));
                svg = drawing(&tile.layout, tile.element.bits()).ok();
            }
        }
        Ok(json!({ "lines": lines, "svg": svg }))
    }

    /// The drawing of a layout.
    pub(super) fn layout(asked: &Value) -> Answer {
        let text = asked.get("layout").and_then(Value::as_str).unwrap_or_default();
        let layout: LinearLayout = text.parse().map_err(|error| format!("{error}"))?;
        let bits = asked
            .get("bits")
            .and_then(Value::as_u64)
            .and_then(|bits| u32::try_from(bits).ok());
        Ok(json!({ "svg": drawing(&layout, bits.unwrap_or(32))? }))
    }

    pub(super) fn explain(asked: &Value) -> Answer {
        let code = asked.get("code").and_then(Value::as_str).unwrap_or_default();
        let code = Code::parse(code).map_err(|unknown| unknown.to_string())?;
        Ok(json!({ "text": code.explain() }))
    }
}

/// The drawing of a layout for elements of this many bits: by element, or by address if it is one of memory.
///
/// # Errors
/// Why it has none.
fn drawing(layout: &LinearLayout, bits: u32) -> Result<String, String> {
    let options = PictureOptions::default();
    let in_memory = layout.in_bits(Dim::Offset) > 0 || layout.out_size(Dim::Offset).is_some();
    let picture = if in_memory {
        let width = ElementWidth::of_bits(bits).ok_or("no element has this width")?;
        let memory = Memory::from_linear(layout, width).map_err(|error| error.to_string())?;
        by_offset(&memory, &options)
    } else {
        by_element(layout, &options)
    };
    Ok(to_svg(&[picture]))
}

fn view_json(language: Language, view: &StageView) -> Value {
    let origins: Vec<_> = view
        .origins
        .iter()
        .map(|origin| origin.map(|Origin(origin)| origin))
        .collect();
    json!({ "stage": language.name(), "text": view.text, "origins": origins })
}

fn modified(path: &PathBuf) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
