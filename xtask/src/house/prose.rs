//! Comments and doc comments.

use super::rust_source::{Kind, Source};

/// The text of a line of a doc comment.
fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim)
}

/// Lines of doc comments that begin with a question word instead of the thing, as `path:line`.
pub fn question_words(sources: &[Source]) -> Vec<String> {
    let begins = |text: &str| {
        ["What", "How", "Where"].iter().any(|word| {
            text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    lines_with(sources, begins)
}

/// Doc comments of a command that say `Does it.`
pub fn does_it(sources: &[Source]) -> Vec<String> {
    lines_with(sources, |text| text == "Does it.")
}

fn lines_with(sources: &[Source], wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources {
        for (number, line) in source.text.lines().enumerate() {
            if doc_text(line).is_some_and(&wanted) {
                places.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    places
}

/// Lines below `src/` that hold a comment of their own which is no doc comment, in per mille of the lines that are not
/// empty.
pub fn comment_density(sources: &[Source]) -> usize {
    let lines = || {
        let library = sources.iter().filter(|source| source.kind == Kind::Library);
        library
            .flat_map(|source| source.text.lines())
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let is_comment = |line: &&str| line.starts_with("//") && doc_text(line).is_none();
    lines().filter(is_comment).count() * 1000 / lines().count().max(1)
}

#[cfg(test)]
mod tests {
    use super::{comment_density, does_it, question_words};
    use crate::house::rust_source::Source;
    use crate::repository::File;

    #[test]
    fn prose_is_counted() {
        let text =
            "//! What it is.\n\n/// Whatever is left.\n// How it works.\n/// Does it.\nfn f() {}\n";
        let file = File { path: "crates/x/src/y.rs".to_owned(), text: text.to_owned() };
        let sources = [Source::from_file(file)];
        assert_eq!(question_words(&sources), ["crates/x/src/y.rs:1: //! What it is."]);
        assert_eq!(does_it(&sources), ["crates/x/src/y.rs:5: /// Does it."]);
        assert_eq!(comment_density(&sources), 200);
    }
}
