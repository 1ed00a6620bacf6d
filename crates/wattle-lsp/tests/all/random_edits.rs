//! Figures stay beside their methods while a file is edited: random edits, with the truth beside them.

use std::path::Path;

use wattle_ledger::{CalledLine, FunctionPlace};
use wattle_lsp::digest::{CallRecord, GroupRecord, MethodRecord};
use wattle_lsp::documents::{AnnotatedFile, FileVersions};
use wattle_lsp::energy::{CallDetails, GroupEnergies, MethodTable};
use wattle_lsp::source::Language;
use wattle_lsp::tracking::Freshness;
use wattle_random::SplitMix64 as Rng;
use wattle_store::{CodeVersion, RunFacts};
use wattle_units::{Estimate, Interval, Joules, Provenance};

const FILES: u64 = 100;
const EDITS: usize = 20;

#[derive(Clone, Debug)]
struct Statement {
    id: usize,
    text: String,
    /// The method that it calls, if any.
    callee: Option<String>,
}

#[derive(Clone, Debug)]
struct Method {
    id: usize,
    name: String,
    parameters: usize,
    body: Vec<Statement>,
}

#[derive(Clone, Debug)]
struct Class {
    name: String,
    methods: Vec<Method>,
}

#[derive(Clone, Debug)]
struct File {
    language: Language,
    classes: Vec<Class>,
    next: usize,
    style: Style,
}

#[derive(Clone, Copy, Debug)]
struct Style {
    indent: usize,
    brace_below: bool,
    blank_lines: usize,
    comments: bool,
}

/// The rendered text, with the lines of methods and statements.
struct Rendered {
    text: String,
    methods: Vec<(usize, u32)>,
    statements: Vec<(usize, u32)>,
}

fn below(rng: &mut Rng, end: usize) -> usize {
    rng.below(end.max(1) as u64) as usize
}

const WORDS: [&str; 24] = [
    "load", "parse", "item", "cache", "view", "index", "count", "state", "feed", "image", "score",
    "user", "page", "query", "token", "draw", "sort", "merge", "flush", "store", "limit", "retry",
    "track", "scale",
];

impl File {
    fn new(rng: &mut Rng, language: Language) -> Self {
        let style = Style { indent: 4, brace_below: false, blank_lines: 1, comments: false };
        let mut file = Self { language, classes: Vec::new(), next: 0, style };
        for number in 0..=below(rng, 3) {
            let methods = (0..3 + below(rng, 8)).map(|_| file.method(rng)).collect();
            file.classes.push(Class { name: format!("Screen{number}"), methods });
        }
        file
    }

    fn id(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn method(&mut self, rng: &mut Rng) -> Method {
        let id = self.id();
        // One in eight is as short as any other: nothing tells it apart.
        let length = if below(rng, 8) == 0 { 0 } else { 2 + below(rng, 9) };
        let body = (0..length).map(|_| self.statement(rng)).collect();
        let name = format!("{}{id}", WORDS[below(rng, WORDS.len())]);
        Method { id, name, parameters: below(rng, 3), body }
    }

    fn statement(&mut self, rng: &mut Rng) -> Statement {
        let id = self.id();
        let mut word = || WORDS[below(rng, WORDS.len())];
        let (a, b, c, d) = (word(), word(), word(), word());
        let number = below(rng, 30);
        let kind = below(rng, 6);
        let (text, callee) = match kind {
            0 => (format!("{a} = {b} + {number};"), None),
            1 => (format!("if ({a} > {number}) {{ {b}(\"}} {c}\"); }}"), Some(b)),
            2 => (format!("{a}.{b}({c}, {d});"), Some(b)),
            // The same line again and again.
            3 => ("sync();".to_owned(), Some("sync")),
            4 => (format!("{a}({b} * {number});"), Some(a)),
            _ => (format!("{a} = {b}({c}[{number}], '{{'); "), Some(b)),
        };
        Statement { id, text: text.trim().to_owned(), callee: callee.map(str::to_owned) }
    }

    fn render(&self) -> Rendered {
        let mut lines: Vec<String> = vec!["package com.example;".to_owned(), String::new()];
        let (mut methods, mut statements) = (Vec::new(), Vec::new());
        let pad = |depth: usize| " ".repeat(self.style.indent * depth);
        let is_kotlin = self.language == Language::Kotlin;
        let open = |lines: &mut Vec<String>, depth: usize, head: String| {
            if self.style.brace_below {
                lines.push(head);
                lines.push(pad(depth) + "{");
            } else {
                lines.push(head + " {");
            }
        };
        for class in &self.classes {
            open(&mut lines, 0, format!("class {}", class.name));
            for method in &class.methods {
                lines.extend(vec![String::new(); self.style.blank_lines]);
                if self.style.comments {
                    lines.push(pad(1) + "/* fun fake() { class X { */");
                }
                let kotlin = ["a: Int", "b: String", "c: Long"];
                let java = ["int a", "String b", "long c"];
                let parameters = if is_kotlin { kotlin } else { java };
                let parameters = parameters[..method.parameters].join(", ");
                methods.push((method.id, lines.len() as u32));
                let head = if is_kotlin { "fun" } else { "private void" };
                open(&mut lines, 1, format!("{}{head} {}({parameters})", pad(1), method.name));
                for statement in &method.body {
                    if self.style.comments && statement.id % 3 == 0 {
                        lines.push(pad(2) + "// load(); }");
                    }
                    statements.push((statement.id, lines.len() as u32));
                    lines.push(pad(2) + &statement.text);
                }
                lines.push(pad(1) + "}");
            }
            lines.push("}".to_owned());
        }
        Rendered { text: lines.join("\n") + "\n", methods, statements }
    }

    /// Some edit.
    fn edit(&mut self, rng: &mut Rng) {
        let class = below(rng, self.classes.len());
        let count = self.classes[class].methods.len();
        let at = below(rng, count);
        match below(rng, 15) {
            0 => {
                let method = self.method(rng);
                self.classes[class].methods.insert(below(rng, count + 1), method);
            }
            1 if count > 1 => {
                self.classes[class].methods.remove(at);
            }
            // To another place, perhaps in another class.
            2 | 3 if count > 1 => {
                let method = self.classes[class].methods.remove(at);
                let to = below(rng, self.classes.len());
                let place = below(rng, self.classes[to].methods.len() + 1);
                self.classes[to].methods.insert(place, method);
            }
            4 if count > 0 => {
                let id = self.id();
                self.classes[class].methods[at].name = format!("renamed{id}");
            }
            // Two swap their names.
            5 if count > 1 => {
                let other = below(rng, count);
                let name = self.classes[class].methods[at].name.clone();
                let taken = std::mem::replace(&mut self.classes[class].methods[other].name, name);
                self.classes[class].methods[at].name = taken;
            }
            // A new method gets the name of one that gets another.
            6 if count > 0 => {
                let id = self.id();
                let mut new = self.method(rng);
                new.name.clone_from(&self.classes[class].methods[at].name);
                new.parameters = self.classes[class].methods[at].parameters;
                self.classes[class].methods[at].name = format!("{}Old{id}", new.name);
                self.classes[class].methods.insert(below(rng, count + 1), new);
            }
            7 => {
                let id = self.id();
                self.classes[class].name = format!("Renamed{id}");
            }
            8 | 9 => {
                self.style = Style {
                    indent: 1 + below(rng, 8),
                    brace_below: below(rng, 2) == 0,
                    blank_lines: below(rng, 3),
                    comments: below(rng, 2) == 0,
                };
            }
            10 | 11 if count > 0 => {
                let statement = self.statement(rng);
                let body = &mut self.classes[class].methods[at].body;
                body.insert(below(rng, body.len() + 1), statement);
            }
            12 if count > 0 => {
                let body = &mut self.classes[class].methods[at].body;
                if !body.is_empty() {
                    body.remove(below(rng, body.len()));
                }
            }
            // The same method does something else from now on.
            13 if count > 0 => {
                let length = 1 + below(rng, 9);
                let body: Vec<Statement> = (0..length).map(|_| self.statement(rng)).collect();
                self.classes[class].methods[at].body = body;
            }
            _ if count > 0 => {
                let statement = self.statement(rng);
                let body = &mut self.classes[class].methods[at].body;
                if let Some(place) = Some(below(rng, body.len())).filter(|it| *it < body.len()) {
                    // The same line again is no edit.
                    if body[place].text != statement.text {
                        body[place] = statement;
                    }
                }
            }
            _ => {}
        }
    }

    fn methods(&self) -> impl Iterator<Item = (&Class, &Method)> {
        self.classes
            .iter()
            .flat_map(|class| class.methods.iter().map(move |method| (class, method)))
    }
}

fn energy(number: usize) -> Estimate {
    let joules = Joules::new(number as f64);
    Estimate {
        joules,
        interval: Interval { low: joules, high: joules },
        provenance: Provenance::Modelled,
    }
}

/// Figures whose joules are the numbers of methods and statements.
fn figures(file: &File, rendered: &Rendered) -> (GroupEnergies, CallDetails) {
    let facts = RunFacts {
        code: CodeVersion { commit: Some("1234abcd".to_owned()), branch: None, dirty: Some(false) },
        ..RunFacts::default()
    };
    let mut names: Vec<(String, usize)> = file
        .methods()
        .map(|(class, method)| (format!("com.example.{}.{}", class.name, method.name), method.id))
        .collect();
    names.sort();
    let mut methods = MethodTable::default();
    for (name, id) in names {
        let own = energy(id);
        let record = MethodRecord { name, calls: 1.0, runs: 1, own, total: own, changes: None };
        assert!(methods.push(&record));
    }
    let mut details = CallDetails::new(1);
    for (class, method) in file.methods() {
        for statement in &method.body {
            let Some(callee) = &statement.callee else { continue };
            let line =
                rendered.statements.iter().find(|(id, _)| *id == statement.id).expect("rendered").1;
            let line = CalledLine {
                method: format!("com.example.{}.{}", class.name, method.name),
                line: line + 1,
                callees: vec![callee.clone()],
                calls: 1,
                energy: energy(statement.id),
            };
            details.push(CallRecord::Line(line), &methods);
        }
    }
    let runs = GroupRecord { facts, runs: vec![1], ..GroupRecord::default() };
    (GroupEnergies { runs, methods }, details)
}

#[derive(Debug, Default)]
struct Score {
    hints: usize,
    wrong_lines: usize,
    right_marks: usize,
    /// Figures beside methods of which no statement is left.
    rewritten: usize,
    line_hints: usize,
    wrong_line_hints: usize,
    /// Methods that are there and unchanged, with and without a figure.
    unchanged: usize,
    unchanged_shown: usize,
    problems: Vec<String>,
}

impl Score {
    /// Notes a figure on a wrong line, of many the first ones.
    fn problem(&mut self, text: String) {
        if self.problems.len() < 3 {
            self.problems.push(text);
        }
    }
}

fn code(method: &Method) -> Vec<&str> {
    method.body.iter().map(|it| it.text.as_str()).collect()
}

fn compare(before: &File, before_text: &str, now: &File, score: &mut Score) {
    let (group, details) = figures(before, &before.render());
    let rendered = now.render();
    let ending = if now.language == Language::Kotlin { "F.kt" } else { "F.java" };
    let path = Path::new(ending);
    let versions = FileVersions::new(path, now.language, (Some(before_text), &rendered.text));
    let annotated = AnnotatedFile::new(
        (path, now.language),
        &versions,
        (Some(before_text), &rendered.text),
        (&group, Some(&details)),
    );
    for placed in &annotated.methods {
        score.hints += 1;
        let id = group.methods.row(placed.row).expect("a row").own.joules.value() as usize;
        let line = versions.now.all[placed.method].line;
        let find = |file: &File, id: usize| -> Option<(String, Method)> {
            let mut all = file.methods();
            all.find(|(_, it)| it.id == id)
                .map(|(class, method)| (class.name.clone(), method.clone()))
        };
        let shown =
            rendered.methods.iter().find(|(_, it)| *it == line).expect("a method is there").0;
        let ((old_class, old), (class, new)) =
            (find(before, id).expect("it ran"), find(now, shown).expect("it is there"));
        // What has the same class, name and code is the same method for every compiler.
        let is_equal = old_class == class && old.name == new.name && code(&old) == code(&new);
        if shown != id && !is_equal {
            score.wrong_lines += 1;
            score.problem(format!(
                "{:?}: {old:?}\n is {new:?}\n really {:?}",
                placed.freshness,
                find(now, id)
            ));
            continue;
        }
        let is_left = code(&old).iter().any(|text| code(&new).contains(text));
        score.rewritten += usize::from(!is_left && !old.body.is_empty());
        let expected = if code(&old) != code(&new) {
            Freshness::Changed
        } else if old_class != class || old.name != new.name {
            Freshness::Moved
        } else {
            Freshness::Current
        };
        score.right_marks += usize::from(placed.freshness == expected);
    }
    for placed in &annotated.lines {
        score.line_hints += 1;
        let id = placed.run_line.energy.joules.value() as usize;
        let truth = rendered.statements.iter().find(|(it, _)| *it == id);
        // A line that was taken out and written again with the very same text is the same for every reader.
        let ran = before.methods().flat_map(|(_, it)| &it.body).find(|it| it.id == id);
        let is_again = truth.is_none()
            && rendered.text.lines().nth(placed.line as usize).map(str::trim)
                == ran.map(|it| it.text.as_str());
        if truth.is_none_or(|(_, line)| *line != placed.line) && !is_again {
            score.wrong_line_hints += 1;
            let texts = |file: &File| -> Vec<String> {
                let all = file.methods().map(|(_, method)| &method.body);
                let with = all.filter(|body| {
                    body.iter().any(|it| it.callee == placed.run_line.callees.first().cloned())
                });
                with.flatten().map(|it| format!("{} {}", it.id, it.text)).collect()
            };
            score.problem(format!(
                "line {} for {id}: {truth:?}\n{:#?}\n{:#?}",
                placed.line + 1,
                texts(before),
                texts(now)
            ));
        }
    }
    for (class, method) in before.methods() {
        let is_same = |(other, it): &(&Class, &Method)| {
            it.id == method.id
                && other.name == class.name
                && it.name == method.name
                && code(it) == code(method)
        };
        if now.methods().any(|it| is_same(&it)) {
            score.unchanged += 1;
            let is_shown = annotated.methods.iter().any(|placed| {
                group
                    .methods
                    .row(placed.row)
                    .is_some_and(|row| row.own.joules.value() as usize == method.id)
            });
            score.unchanged_shown += usize::from(is_shown);
        }
    }
}

#[test]
fn no_figure_is_on_a_wrong_line() {
    let mut score = Score::default();
    for seed in 0..FILES {
        let mut rng = Rng::new(seed);
        let language = if seed % 2 == 0 { Language::Kotlin } else { Language::Java };
        let before = File::new(&mut rng, language);
        let text = before.render().text;
        let mut now = before.clone();
        for _ in 0..EDITS {
            now.edit(&mut rng);
            compare(&before, &text, &now, &mut score);
        }
    }
    println!("{score:?}");
    assert!(score.hints > 5_000 && score.line_hints > 5_000, "{score:?}");
    assert_eq!((score.wrong_lines, score.wrong_line_hints), (0, 0), "{score:?}");
    // By chance two statements are nearly alike.
    assert!(score.rewritten * 1000 <= score.hints, "{score:?}");
    assert!(score.right_marks * 100 >= score.hints * 99, "{score:?}");
    assert!(score.unchanged_shown * 100 >= score.unchanged * 97, "{score:?}");
}

#[test]
fn places_of_other_files_are_not_taken() {
    let mut details = CallDetails::new(1);
    let place = |file: &str| FunctionPlace {
        function: "f".to_owned(),
        file: file.to_owned(),
        lines: [1, 2],
    };
    details.push(CallRecord::Place(place("/src/a/feed.cc")), &MethodTable::default());
    details.push(CallRecord::Place(place("other_feed.cc")), &MethodTable::default());
    assert_eq!(details.places_in("feed.cc").count(), 1);
}

/// The mark of the only method of a class, after its text became another one; `None` without a figure.
#[track_caller]
fn check_rewritten(before: &str, now: &str, expected: Option<Freshness>) {
    let file = |method: &str| format!("package com.example\nclass Screen0 {{\n{method}\n}}\n");
    let (before, now) = (file(before), file(now));
    let path = Path::new("F.kt");
    let versions = FileVersions::new(path, Language::Kotlin, (Some(&before), &now));
    let found = versions.find("com.example.Screen0", "size");
    assert_eq!(found.map(|(_, freshness)| freshness), expected, "{before}{now}");
}

/// A short method that does something else is another method; one in which a part changed is stale.
#[test]
fn short_methods_that_were_rewritten_have_no_figure() {
    let of = |body: &str| format!("fun size(all: List<String>, limit: Int): Int {body}");
    let before = of("{ return all.size + limit }");
    check_rewritten(&before, &before, Some(Freshness::Current));
    check_rewritten(&before, &of("{ return all.size + limit * 2 }"), Some(Freshness::Changed));
    check_rewritten(
        &before,
        &of("{ log(limit); return all.size + limit }"),
        Some(Freshness::Changed),
    );
    check_rewritten(&before, &of("{ return cache.get(limit).length }"), None);
    check_rewritten(&before, &of("= 7"), None);
    check_rewritten(&of("= all.size + limit"), &of("= store.read(limit, all)"), None);
    check_rewritten(&of("= all.size"), &of("= limit"), None);
}
