//! The card of an Android package: its name and version, and what can be done with it.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use wattle_apk::{ApkSet, Manifest};

use crate::command::{line, output};
use crate::exit::{Failure, Outcome};

/// Prints a card of a package.
pub fn run(path: &Path) -> Outcome {
    let set = ApkSet::open(&[path.to_owned()])
        .with_context(|| path.display().to_string())
        .map_err(Failure::Input)?;
    let manifest = set.base().map(|base| &base.manifest);
    let mut text = String::new();
    line::push(&mut text, &headline(&path.display().to_string(), manifest, set.min_sdk()));
    let name = shown(path);
    for (purpose, command) in [
        ("measure it on the attached device", format!("wattle run {name}")),
        ("try that without a device", format!("wattle run {name} --simulate")),
        ("only insert probes", format!("wattle instrument {name}")),
        ("check code and signatures", format!("wattle verify {name}")),
    ] {
        line::push(&mut text, &format!("  {purpose:<34} {command}"));
    }
    output::print(text.as_bytes())
}

/// `this is an Android package: com.example 1.2 (12), from Android API 24, debuggable`.
fn headline(path: &str, manifest: Option<&Manifest>, min_sdk: u32) -> String {
    let mut text = "this is an Android package".to_owned();
    // Writing to a String does not fail.
    let Some(manifest) = manifest else {
        let _ = write!(text, ", a split without its base: {path}");
        return text;
    };
    let _ = write!(text, ": {}", manifest.package);
    if let Some(version) = &manifest.version_name {
        let _ = write!(text, " {version}");
    }
    if let Some(code) = manifest.version_code {
        let _ = write!(text, " ({code})");
    }
    let _ = write!(text, ", for Android API {min_sdk} and later");
    let is_debuggable = manifest.application.as_ref().is_some_and(|it| it.debuggable == Some(true));
    text.push_str(if is_debuggable { ", debuggable" } else { ", not debuggable" });
    text
}

/// The path as a shell takes it.
fn shown(path: &Path) -> String {
    super::super::other_file::quoted(path)
}
