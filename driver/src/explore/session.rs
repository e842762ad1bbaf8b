//! What the page asks, answered from a database of its own.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tilewright_diagnostics::{Diagnostic, Location, Severity};
use tilewright_irs::core::{Family, Origin};
use tilewright_irs::dialects::fast_math::FastMathFlag;
use tilewright_layouts::LinearLayout;
use tilewright_passes::scheduled::predict::Launch;

use super::drawings::drawing;
use super::option_sets::OptionSets;
use super::texts::{self, Texts};
use super::views::SourceView;
use crate::database::Compiler;
use crate::explain::Topic;
use crate::ide::became::Became;
use crate::ide::functions::{Function, functions};
use crate::ide::lines::{Encoding, Lines};
use crate::ide::stage_view::StageView;
use crate::ide::{cost, hover, problems};
use crate::inputs::{Options, Request, Source, is_bytecode};
use crate::pipeline::{self, Pass};
use crate::schedule::{Chart, to_svg};
use crate::targets;
use crate::trace::{self, Wanted};
use crate::units::{Language, Stage};

/// A JSON answer, or a message that says why there is none.
type Answer = Result<Value, String>;

/// A pass whose input or output has more lines than this is not diffed.
const MAX_DIFF: usize = 20_000;

/// The most panes that are compiled.
const MAX_PANES: usize = 4;

/// The database, and the file.
pub(super) struct Session {
    db: Compiler,
    texts: Texts,
    options: OptionSets,
    request: Request,
    path: PathBuf,
    /// The file as it was last read.
    bytes: Vec<u8>,
    modified: Option<SystemTime>,
    /// The number of times that the file has changed.
    version: u64,
    /// The time that each pass took when it last ran, for each kernel and set of options.
    times: HashMap<(Options, &'static str, String), Duration>,
}

/// What a pane shows.
struct Pane {
    stage: Result<Language, String>,
    options: Options,
}

impl Session {
    pub(super) fn new(path: PathBuf, bytes: Vec<u8>, request: Request) -> Self {
        let mut db = Compiler::new();
        db.log_executions();
        Self {
            texts: Texts::new(&mut db, &path.display().to_string(), bytes.clone(), request),
            db,
            options: OptionSets::default(),
            request,
            modified: modified(&path),
            path,
            bytes,
            version: 1,
            times: HashMap::new(),
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
        self.texts.edit(&mut self.db, &self.bytes);
        let text = (!is_bytecode(&self.bytes)).then(|| String::from_utf8_lossy(&self.bytes).into_owned());
        json!({
            "version": self.version,
            "name": self.path.display().to_string(),
            "text": text,
            "languages": Language::ALL.iter().map(|language| language.name()).collect::<Vec<_>>(),
            "targets": targets::SUPPORTED.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "target": self.request.target.unwrap_or(targets::DEFAULT).to_string(),
            "optLevel": self.request.opt_level,
            "fmad": self.request.fast_math.has(FastMathFlag::Contract),
        })
    }

    /// Takes the page's text from a request, and what its panes show; there is at least one pane.
    fn take(&mut self, asked: &Value) -> Result<Vec<Pane>, String> {
        if let Some(text) = asked.get("text").and_then(Value::as_str) {
            self.texts.edit(&mut self.db, text.as_bytes());
        }
        let own = self.own_target().is_some();
        let none = [json!({})];
        let asked = asked.get("panes").and_then(Value::as_array);
        let asked = asked.map(Vec::as_slice).filter(|panes| !panes.is_empty());
        let asked = asked.unwrap_or(&none).iter().take(MAX_PANES);
        asked.map(|pane| self.pane_of(pane, own)).collect()
    }

    /// The target that the text itself names, as texts of the later languages do.
    fn own_target(&self) -> Option<String> {
        let functions = functions(&self.db, self.texts.now);
        let target = functions.iter().find_map(|function| function.body.target());
        target.map(|target| target.to_string())
    }

    /// The options and the stage of a pane. If the text names its target (`own`), the pane does not choose one.
    fn pane_of(&mut self, asked: &Value, own: bool) -> Result<Pane, String> {
        let mut request = self.request;
        if let Some(target) = asked.get("target").and_then(Value::as_str) {
            let target = targets::parse::<Location>(target).map_err(|problem| problem.message)?;
            request.target = Some(target);
        }
        if let Some(level) = asked.get("optLevel").and_then(Value::as_u64) {
            request.opt_level = u8::try_from(level.min(3)).unwrap_or(3);
        }
        if let Some(fmad) = asked.get("fmad").and_then(Value::as_bool) {
            request.fast_math = request.fast_math.with(FastMathFlag::Contract, fmad);
        }
        if own {
            request.target = None;
        }
        let stage = asked.get("stage").and_then(Value::as_str);
        Ok(Pane {
            stage: stage.unwrap_or(Language::Ptx.name()).parse(),
            options: self.options.get(&mut self.db, request),
        })
    }

    /// Takes the page's text from a request, and returns the options of the active pane, to which the request applies.
    fn active(&mut self, asked: &Value) -> Result<Options, String> {
        let panes = self.take(asked)?;
        active(&panes, asked)
    }

    /// The text whose stages the page shows.
    fn source(&self, asked: &Value) -> Source {
        match asked.get("stale").and_then(Value::as_bool) {
            Some(true) => self.texts.good,
            Some(false) | None => self.texts.now,
        }
    }

    /// The kernel that a request is about, in the text whose stages the page shows.
    fn function(&self, asked: &Value) -> Result<Function<'_>, String> {
        chosen(&self.db, self.source(asked), asked).ok_or_else(|| "the file has no kernel".to_owned())
    }

    /// Compiles the page's text: kernels, problems, the stages asked for, the passes.
    pub(super) fn compile(&mut self, asked: &Value) -> Answer {
        let panes = self.take(asked)?;
        let active = active(&panes, asked)?;
        let said = self.all_problems(&panes);
        let compiles = |db: &Compiler, source| {
            chosen(db, source, asked).is_some_and(|function| {
                let mut panes = panes.iter();
                !concerned(db, source, &function) && panes.all(|pane| reaches(db, &function, pane))
            })
        };
        let shown = self.texts.shown(&mut self.db, compiles);
        // What ran for the last good text has run before, and its times are known.
        self.db.take_executions();
        let kernels: Vec<_> = functions(&self.db, shown.source)
            .iter()
            .map(|one| one.name.to_owned())
            .collect();
        let mut answer = json!({
            "kernels": kernels,
            "problems": self.problems(&said),
            "stale": shown.moved.is_some(),
            "ownTarget": self.own_target(),
        });
        let Some(function) = chosen(&self.db, shown.source, asked) else {
            return Ok(answer);
        };
        let name = function.name.to_owned();
        let source = SourceView::of(&self.db, &function, active, &shown);
        answer["kernel"] = name.as_str().into();
        answer["source"] = source.json(&cost::by_op(&self.db, &function, active));
        let views = panes.iter().map(|pane| self.pane(&function, pane, &source));
        answer["panes"] = views.collect::<Vec<_>>().into();
        let passes = self.passes(&function, active).into_iter();
        let passes = passes.map(|(pass, changed)| {
            let time = self.times.get(&(active, pass.name, name.clone()));
            json!({
                "name": pass.name,
                "doc": pass.doc.trim(),
                "from": pass.from.name(),
                "to": pass.to.name(),
                "micros": time.copied().unwrap_or_default().as_secs_f64() * 1e6,
                "changed": changed,
            })
        });
        answer["passes"] = passes.collect::<Vec<_>>().into();
        let attributes: BTreeSet<_> = function
            .body
            .attributes()
            .into_iter()
            .filter(|found| found.family != Family::Meaning)
            .map(|found| (found.family.word(), found.name))
            .collect();
        let attributes = attributes.into_iter();
        let attributes = attributes.map(|(family, name)| json!({ "family": family, "name": name }));
        answer["attributes"] = attributes.collect::<Vec<_>>().into();
        Ok(answer)
    }

    /// The problems of the front end, and those of the back end for all panes, each once.
    fn all_problems(&mut self, panes: &[Pane]) -> Vec<Diagnostic<Location>> {
        let mut said = problems::front_end(&self.db, self.texts.now);
        for pane in panes {
            self.db.take_executions();
            let more = problems::back_end(&self.db, self.texts.now, pane.options);
            for problem in more {
                if !said.contains(problem) {
                    said.push(problem.clone());
                }
            }
            for execution in self.db.take_executions() {
                let pass = (pane.options, execution.query, execution.subject);
                self.times.insert(pass, execution.time);
            }
        }
        said
    }

    fn problems(&self, said: &[Diagnostic<Location>]) -> Value {
        let text = std::str::from_utf8(self.texts.now.bytes(&self.db)).unwrap_or_default();
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

    /// What a pane shows of a function.
    fn pane(&self, function: &Function<'_>, pane: &Pane, source: &SourceView) -> Value {
        let language = match &pane.stage {
            Ok(language) => *language,
            Err(why) => return json!({ "error": why }),
        };
        let Some(view) = StageView::of(&self.db, function, pane.options, language) else {
            return json!({
                "stage": language.name(),
                "error": format!("`{}` does not become `{language}`", function.name),
            });
        };
        let mut answer = source.stage_json(language, &view);
        let cost = cost::cost(&self.db, function, pane.options);
        answer["cost"] = cost.map(|cost| cost.line()).into();
        answer
    }

    /// The passes that the kernel goes through, and for each whether it changed the kernel.
    fn passes(&self, function: &Function<'_>, options: Options) -> Vec<(&'static Pass, bool)> {
        let Some(kernel) = function.kernel else {
            return Vec::new();
        };
        let mut before = Some(function.body.clone());
        let mut passes = Vec::new();
        for pass in pipeline::route(function.body.language(), Language::Ptx) {
            let after = pipeline::stage_after(&self.db, kernel, options, pass);
            passes.push((pass, after != before));
            before = after;
        }
        passes
    }

    /// The diff of a pass's input and output: lines that are equal, removed, added.
    pub(super) fn pass(&mut self, asked: &Value) -> Answer {
        let options = self.active(asked)?;
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
                Some(pass) => pipeline::stage_after(&self.db, kernel, options, pass),
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

    /// The lives of an attribute of the kernel, or of all of them, in lines.
    pub(super) fn attribute(&mut self, asked: &Value) -> Answer {
        let options = self.active(asked)?;
        let name = asked.get("attribute").and_then(Value::as_str);
        let function = self.function(asked)?;
        let kernel = function.kernel.ok_or("the kernel has errors")?;
        let wanted = name.map_or(Wanted::All, Wanted::Named);
        let all = trace::lives(&self.db, kernel, options);
        let lives = trace::placed(&self.db, kernel, Some(self.source(asked)), &wanted.of(all));
        let text = trace::to_text(function.name, wanted, &lives, all);
        Ok(json!({ "attribute": name, "lines": text.lines().collect::<Vec<_>>() }))
    }

    /// What an op of the source was compiled to: a description, and a drawing of its tile's layout.
    pub(super) fn about(&mut self, asked: &Value) -> Answer {
        let options = self.active(asked)?;
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
        let (mut layout, mut svg) = (None, None);
        if let Some(became) = Became::of(&self.db, &function, options, origin) {
            lines.extend(hover::lines(&became));
            if let Some(tile) = became.tile() {
                lines.push(format!("`{}`", tile.layout));
                layout = Some(tile.layout.to_string());
                svg = drawing(&tile.layout, tile.element.bits()).ok();
            }
        }
        Ok(json!({ "lines": lines, "layout": layout, "svg": svg }))
    }

    /// The predicted schedule of a kernel, drawn, with what is known of it in words.
    pub(super) fn schedule(&mut self, asked: &Value) -> Answer {
        let options = self.active(asked)?;
        let function = self.function(asked)?;
        let kernel = function.kernel.ok_or("the kernel has errors")?;
        match pipeline::stage(&self.db, kernel, options, Language::Scheduled) {
            Some(Stage::Scheduled(func)) => {
                let chart = Chart::of(&func, function.name, &Launch::default());
                let words = chart.facts().into_iter().find(|(name, _)| *name == "time");
                let words = words.map_or_else(String::new, |(_, words)| words);
                Ok(json!({ "title": chart.title, "words": words, "svg": to_svg(&[chart], None) }))
            }
            _ => Err("the kernel has no schedule".to_owned()),
        }
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
        let topic = Topic::named(code).map_err(|unknown| unknown.to_string())?;
        Ok(json!({ "text": topic.text() }))
    }
}

/// The options of the pane that the page calls active.
fn active(panes: &[Pane], asked: &Value) -> Result<Options, String> {
    let at = asked.get("active").and_then(Value::as_u64).unwrap_or(0);
    let pane = usize::try_from(at).ok().and_then(|at| panes.get(at));
    let pane = pane.or(panes.first()).ok_or("there is no pane")?;
    Ok(pane.options)
}

/// The function that is asked for by its name or, if none has that name, by its number.
fn chosen<'db>(db: &'db Compiler, source: Source, asked: &Value) -> Option<Function<'db>> {
    let name = asked.get("kernel").and_then(Value::as_str);
    let at = asked.get("kernelNumber").and_then(Value::as_u64);
    let at = at.and_then(|at| usize::try_from(at).ok());
    texts::function(db, source, name, at.unwrap_or(0))
}

/// Whether an error of the parser or the verifier may concern a function: all but those in other functions do.
fn concerned(db: &Compiler, source: Source, function: &Function<'_>) -> bool {
    let others = functions(db, source);
    let others = others.iter().filter(|other| other.whole() != function.whole());
    let others: Vec<_> = others.filter_map(Function::whole).collect();
    let elsewhere = |problem: &Diagnostic<Location>| match problem.primary.as_ref().map(|label| &label.at) {
        Some(Location::Span(at)) => others
            .iter()
            .any(|whole| whole.start <= at.start && at.end <= whole.end),
        Some(Location::Source { .. } | Location::Offset { .. }) | None => false,
    };
    let said = problems::front_end(db, source);
    let mut errors = said.iter().filter(|problem| problem.severity == Severity::Error);
    errors.any(|problem| !elsewhere(problem))
}

/// Whether a function can be shown in the stage of a pane, if that is one that it goes through.
fn reaches(db: &Compiler, function: &Function<'_>, pane: &Pane) -> bool {
    let (Some(kernel), Ok(stage)) = (function.kernel, &pane.stage) else {
        return function.kernel.is_some();
    };
    !pipeline::leads(function.body.language(), *stage)
        || pipeline::stage(db, kernel, pane.options, *stage).is_some()
}

fn modified(path: &PathBuf) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}
