//! The measures: a number each, its goal, and the places behind it.

use std::collections::BTreeMap;

use super::modules;
use super::prose;
use super::rust_source::{Kind, Source};
use super::syntax::{Item, Shapes};

/// Fields that a struct may have.
const FIELDS: usize = 20;
/// Parameters that a function may have besides `self`.
const PARAMETERS: usize = 5;
/// Lines that a file may have before its tests.
const LINES: usize = 600;

/// One number, measured.
pub struct Measure {
    /// The key in `house.toml`, and the argument of `--list`.
    pub key: &'static str,
    pub title: &'static str,
    pub value: usize,
    pub direction: Direction,
    /// Places that the number counts, for a reader who wants to reduce it.
    pub places: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    LessIsBetter,
    MoreIsBetter,
}

impl Direction {
    pub fn is_worse(self, value: usize, than: usize) -> bool {
        match self {
            Self::LessIsBetter => value > than,
            Self::MoreIsBetter => value < than,
        }
    }
}

/// All measures of a set of files.
pub fn all(sources: &[Source]) -> Vec<Measure> {
    let shapes = Shapes::from_sources(sources);
    let (roots, folders): (Vec<_>, Vec<_>) =
        modules::folders(sources).into_iter().partition(|folder| folder.path.is_empty());
    let mut measures = Vec::new();
    let mut less = |key, title, places: Vec<String>| {
        let value = places.len();
        let direction = Direction::LessIsBetter;
        measures.push(Measure { key, title, value, direction, places });
    };
    less("arrows-back", "arrows back between the top modules of a crate", arrows(&roots));
    less("arrows-back-folders", "arrows back between modules in folders", arrows(&folders));
    let widest = shapes.structs.iter().map(|item| item.size).max().unwrap_or(0);
    let wide = larger_than(shapes.structs, FIELDS);
    less("wide-structs", "structs of more than 20 fields", show(&wide));
    let long = larger_than(shapes.functions, PARAMETERS);
    less("many-parameters", "functions of more than 5 parameters", show(&long));
    let early = shapes.early_returns.iter().map(|test| format!("{} {}", test.place, test.name));
    less("early-returns", "tests that can return before their end", early.collect());
    less("question-words", "doc lines that begin What, How, Where", prose::question_words(sources));
    less("does-it", "doc lines that say Does it.", prose::does_it(sources));
    less("repeated-names", "files with the name of another one below src", repeated_names(sources));
    less("long-files", "files of more than 600 lines before their tests", long_files(sources));
    measures.push(Measure {
        key: "widest-struct",
        title: "fields of the widest struct",
        value: widest,
        direction: Direction::LessIsBetter,
        places: show(&wide).into_iter().take(1).collect(),
    });
    measures.push(Measure {
        key: "comment-density",
        title: "lines of comments beside docs, per mille",
        value: prose::comment_density(sources),
        direction: Direction::MoreIsBetter,
        places: Vec::new(),
    });
    measures
}

fn arrows(folders: &[modules::Folder]) -> Vec<String> {
    let mut places = Vec::new();
    for folder in folders {
        let (back, all) = (folder.back.len(), folder.arrows.len());
        let path =
            [std::slice::from_ref(&folder.package), folder.path.as_slice()].concat().join("::");
        let name = format!("{path} ({back} of {all})");
        places.extend(folder.back.iter().map(|(from, to)| format!("{name}: {from} → {to}")));
    }
    places
}

/// Items above a size, the largest first.
fn larger_than(mut items: Vec<Item>, limit: usize) -> Vec<Item> {
    items.retain(|item| item.size > limit);
    items.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.place.cmp(&b.place)));
    items
}

fn show(items: &[Item]) -> Vec<String> {
    items.iter().map(|item| format!("{} {} ({})", item.place, item.name, item.size)).collect()
}

/// Names that say which part of a crate a file is, not what it is about.
const NAMES_OF_ROOTS: [&str; 3] = ["mod.rs", "lib.rs", "main.rs"];

fn repeated_names(sources: &[Source]) -> Vec<String> {
    let mut paths: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.kind == Kind::Library) {
        if !NAMES_OF_ROOTS.contains(&source.file_name()) {
            paths.entry(source.file_name()).or_default().push(&source.path);
        }
    }
    let mut groups: Vec<(&str, Vec<&str>)> =
        paths.into_iter().filter(|(_, paths)| paths.len() > 1).collect();
    groups.sort_by_key(|(_, paths)| std::cmp::Reverse(paths.len()));
    let line = |(name, paths): (&str, Vec<&str>)| {
        let count = paths.len();
        // The first of a name is no repetition.
        paths
            .into_iter()
            .skip(1)
            .map(move |path| format!("{name} ({count}): {path}"))
            .collect::<Vec<_>>()
    };
    groups.into_iter().flat_map(line).collect()
}

fn long_files(sources: &[Source]) -> Vec<String> {
    let mut files: Vec<(usize, &str)> = sources
        .iter()
        .map(|source| (source.lines_without_tests(), source.path.as_str()))
        .filter(|(lines, _)| *lines > LINES)
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files.into_iter().map(|(lines, path)| format!("{path} ({lines})")).collect()
}
