//! A file of ten thousand lines.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use wattle_lsp::documents::FileVersions;
use wattle_lsp::source::Language;

/// All methods are found and followed; the time is printed, not judged: machines differ.
#[test]
fn ten_thousand_lines_are_followed() {
    let mut text = String::from("package com.example\n\nclass Large {\n");
    for number in 0..1000 {
        writeln!(text, "    fun method{number}(limit: Int): Int {{\n        var sum = {number}")
            .expect("text");
        for line in 0..6 {
            writeln!(text, "        sum += limit * {line} + \"m{number} }} {{\".length")
                .expect("text");
        }
        text.push_str("        return sum\n    }\n");
    }
    text.push_str("}\n");
    let path = Path::new("Large.kt");
    let mut versions = FileVersions::new(path, Language::Kotlin, (Some(&text), &text));
    // A constructor beside the methods.
    assert_eq!(versions.now.all.len(), 1001);
    let edited = text.replacen("return sum", "return sum + 1", 1);
    let mut times: Vec<_> = (0..21)
        .map(|_| {
            let began = Instant::now();
            versions.update(path, Language::Kotlin, &edited);
            began.elapsed()
        })
        .collect();
    times.sort();
    println!("{} lines read and followed: median {:.1?}", text.lines().count(), times[10]);
}
