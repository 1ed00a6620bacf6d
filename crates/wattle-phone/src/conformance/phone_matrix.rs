//! The page of the documentation that shows the statements.

use std::fmt::Write as _;

use super::{AndroidVersion, CommandStatements, PhoneAnswer, Suite, Vendor, Verdict};

const HEAD: &str = "# Phones

Every command that Wattle sends to a phone, and how stock phones answer it to the shell user (`adb shell`, no root): permissions, formats,
services and options that are missing. The statements are data, `crates/wattle-phone/phones/*.toml`, each with public sources; nothing is
here that no source says. Versions between two sources are taken to be like both.

Written by `WATTLE_WRITE_DOCS=1 cargo test -p wattle-phone --test all conformance`.

";
const LEGEND: &str = "*yes*: works; *if*: under a condition; *empty*: succeeds and says nothing of use; *no*: refused; *absent*: does not \
exist. A word with `/` stands for the file and all below it.
";

/// The page, as Markdown.
pub fn matrix_page(suite: &Suite) -> String {
    let mut page = HEAD.to_owned();
    page += "## By version\n\nStock user builds of AOSP. ";
    page += LEGEND;
    page += &by_version(suite);
    page += "\n## Left out, and why\n\nWhat is refused, missing, or works under a condition, and what Wattle does then.\n\n";
    page += "| command | Android | answer | why | then | sources |\n|---|---|---|---|---|---|\n";
    for statements in suite.commands() {
        for answer in statements.answers.iter().filter(|answer| answer.verdict != Verdict::Works) {
            let then = statements.without.as_deref().unwrap_or("–");
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {}{} | {then} | {} |",
                statements.name,
                range(answer),
                answer.verdict.word(),
                answer.says,
                error(answer),
                sources(suite, answer)
            );
        }
    }
    page += "\n## Vendors\n\nWhere phones of a vendor answer otherwise, or more can be said of them. Everywhere else, and in versions that \
        are not named, the answer is that of AOSP.\n\n";
    page += "| vendor | command | Android | answer | says | sources |\n|---|---|---|---|---|---|\n";
    for vendor in Vendor::ALL {
        for statements in suite.of_vendor(vendor) {
            rows(&mut page, suite, statements, |answer| {
                format!("{vendor} | `{}` | {}", statements.name, range(answer))
            });
        }
    }
    page += "\n## What works\n\n| command | Android | answer | says | sources |\n|---|---|---|---|---|\n";
    for statements in suite.commands() {
        let works = CommandStatements {
            answers: statements
                .answers
                .iter()
                .filter(|a| a.verdict == Verdict::Works)
                .cloned()
                .collect(),
            ..statements.clone()
        };
        rows(&mut page, suite, &works, |answer| format!("`{}` | {}", works.name, range(answer)));
    }
    page
}

fn by_version(suite: &Suite) -> String {
    let mut table = "\n| command | for |".to_owned();
    for android in AndroidVersion::all() {
        let _ = write!(table, " {} |", android.number());
    }
    table += "\n|---|---|";
    table += &"---|".repeat(AndroidVersion::all().count());
    table.push('\n');
    for statements in suite.commands() {
        let purpose = statements.purpose.as_deref().unwrap_or_default();
        let _ = write!(table, "| `{}` | {purpose} |", statements.name);
        for android in AndroidVersion::all() {
            let word = statements.answer(android).map_or("?", |answer| answer.verdict.word());
            let _ = write!(table, " {word} |");
        }
        table.push('\n');
    }
    table
}

fn rows(
    page: &mut String,
    suite: &Suite,
    statements: &CommandStatements,
    first_cells: impl Fn(&PhoneAnswer) -> String,
) {
    for answer in &statements.answers {
        let _ = writeln!(
            page,
            "| {} | {} | {}{} | {} |",
            first_cells(answer),
            answer.verdict.word(),
            answer.says,
            error(answer),
            sources(suite, answer)
        );
    }
}

fn error(answer: &PhoneAnswer) -> String {
    answer.error.as_ref().map_or_else(String::new, |error| format!(" `{error}`"))
}

fn range(answer: &PhoneAnswer) -> String {
    let (since, until) = (answer.since.number(), answer.until.number());
    if since == until { since.to_string() } else { format!("{since}–{until}") }
}

fn sources(suite: &Suite, answer: &PhoneAnswer) -> String {
    let link = |name: &String| {
        suite.citation(name).map_or_else(
            || name.clone(),
            |citation| format!("[{}]({})", citation.title, citation.url),
        )
    };
    answer.sources.iter().map(link).collect::<Vec<_>>().join(", ")
}
