//! The page of rules is what the table says.

use std::fmt::Write as _;
use std::path::Path;

use wattle_diagnose::{FindingSeverity, rules};

/// The part of the page that is made from the table.
fn generated() -> String {
    let mut page = String::new();
    for rule in rules() {
        let severity = match rule.severity {
            FindingSeverity::Note => "note",
            FindingSeverity::Warning => "warning",
            FindingSeverity::Error => "error",
        };
        writeln!(page, "## {}\n\n**{}** ({severity})\n", rule.id, rule.title).unwrap();
        writeln!(page, "*Looks for:* {}\n", rule.looks_for).unwrap();
        writeln!(page, "*Why:* {}\n", rule.why).unwrap();
        writeln!(page, "*Remedy:* {}\n", rule.remedy).unwrap();
        writeln!(page, "*Example:* {}\n", rule.example).unwrap();
        writeln!(page, "*No example:* {}\n", rule.counter_example).unwrap();
        writeln!(page, "| threshold | value | unit | meaning |\n|---|---|---|---|").unwrap();
        for it in rule.thresholds {
            writeln!(
                page,
                "| `{}.{}` | {} | {} | {} |",
                rule.id, it.name, it.value, it.unit, it.meaning
            )
            .unwrap();
        }
        writeln!(page, "\nReferences:\n").unwrap();
        for reference in rule.references {
            writeln!(page, "* {reference}").unwrap();
        }
        writeln!(page).unwrap();
    }
    page
}

#[test]
fn the_page_is_of_the_table() {
    const MARK: &str = "<!-- from here on: made from the table of rules -->\n\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = page.split_once(MARK).expect("the mark");
    let made = generated();
    if std::env::var_os("WATTLE_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{head}{MARK}{made}")).unwrap();
    } else {
        assert_eq!(rest, made, "run it with WATTLE_WRITE_DOCS=1 to write the page");
    }
}
