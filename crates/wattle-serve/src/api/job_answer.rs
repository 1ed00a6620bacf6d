//! The answer of a job about a package, in words.

use std::io::Read as _;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wattle_jobs::{JobKind, JobOutput, ProjectId};

use crate::http::WebError;
use crate::site::Site;

/// Bytes of a summary that are read: it was written by a process that has read what somebody uploaded.
const MOST: u64 = 64 << 20;
/// The summaries of a package's job.
const VERIFIED: &str = "verify.json";
const INSTRUMENTED: &str = "instrument.json";
const VERIFIED_AGAIN: &str = "verify-probed.json";
/// The beginning of names of rewritten packages and their probe map.
pub const PROBED: &str = "probed/";

/// The part of `wattle instrument --json` that is told.
#[derive(Clone, Debug, Default, Deserialize)]
struct Instrumented {
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    classes: u64,
    #[serde(default)]
    methods_with_code: u64,
    #[serde(default)]
    methods_probed: u64,
    #[serde(default)]
    own_packages: Vec<String>,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    signed_with: Option<String>,
}

/// The part of `wattle verify --json` that is told.
#[derive(Clone, Debug, Default, Deserialize)]
struct Verified {
    clean: bool,
    #[serde(default)]
    defects: u64,
    #[serde(default)]
    subjects: Vec<VerifiedSubject>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct VerifiedSubject {
    #[serde(default)]
    app: Option<VerifiedApp>,
    #[serde(default)]
    defects: Vec<VerifiedDefect>,
}

#[derive(Clone, Debug, Deserialize)]
struct VerifiedApp {
    package: String,
    #[serde(default)]
    version_name: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct VerifiedDefect {
    rule: String,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    expected: String,
    #[serde(default)]
    found: String,
}

/// Facts of a package, from the files of its job; a job that failed has some of them.
#[derive(Clone, Debug, Default)]
struct PackageFacts {
    verified: Option<Verified>,
    instrumented: Option<Instrumented>,
    again: Option<Verified>,
    /// The name of the rewritten package.
    file: Option<String>,
}

impl Site {
    /// Lines about what a job on a package found; none of other jobs, and none before there is something to say.
    pub async fn package_answer(
        &self,
        project: ProjectId,
        kind: &JobKind,
        outputs: &[JobOutput],
    ) -> Result<Vec<String>, WebError> {
        if !matches!(kind, JobKind::Package) || outputs.is_empty() {
            return Ok(Vec::new());
        }
        let path = |name: &str| {
            let output = outputs.iter().find(|output| output.name == name)?;
            Some(self.data.jobs().output_path(project, output))
        };
        let [verified, instrumented, again] = [VERIFIED, INSTRUMENTED, VERIFIED_AGAIN].map(path);
        let is_package =
            |output: &&JobOutput| output.name.starts_with(PROBED) && !is_map(&output.name);
        let file = outputs.iter().find(is_package);
        let file = file.map(|output| output.name.trim_start_matches(PROBED).to_owned());
        let read = tokio::task::spawn_blocking(move || PackageFacts {
            verified: verified.and_then(read),
            instrumented: instrumented.and_then(read),
            again: again.and_then(read),
            file,
        });
        let facts = read.await.map_err(|error| WebError::internal(&error))?;
        Ok(facts.lines())
    }
}

/// Whether a name is that of a probe map.
fn is_map(name: &str) -> bool {
    std::path::Path::new(name).extension().is_some_and(|ending| ending == "jsonl")
}

/// The content of a summary; `None` where it cannot be read.
fn read<T: DeserializeOwned>(path: PathBuf) -> Option<T> {
    let mut text = Vec::new();
    std::fs::File::open(path).ok()?.take(MOST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

impl PackageFacts {
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.verified.as_ref().map(|of| of.line("the package")));
        lines.extend(self.verified.iter().flat_map(Verified::first_defects));
        if let Some(of) = &self.instrumented {
            lines.push(of.probes());
            lines.extend(of.own_packages_line());
            lines.extend(of.notes.iter().map(|note| format!("note: {note}")));
        }
        lines.extend(self.again.as_ref().map(|of| of.line("the rewritten package")));
        lines.extend(self.again.iter().flat_map(Verified::first_defects));
        lines.extend(self.next());
        lines
    }

    /// The next step with the rewritten package.
    fn next(&self) -> Option<String> {
        let (of, file) = (self.instrumented.as_ref()?, self.file.as_ref()?);
        if of.methods_probed == 0 || self.again.as_ref().is_some_and(|again| !again.clean) {
            return None;
        }
        let signed = match &of.signed_with {
            Some(_) => {
                "it is signed with a debug key that was made for this job: uninstall the app's other builds first, or sign it with \
                 your key"
            }
            None => "sign it first",
        };
        let app = of.package.as_deref().unwrap_or("PACKAGE");
        Some(format!(
            "next: download {file}, adb install it ({signed}), record with `wattle record --app {app}`, and upload the recording \
             together with the probe map; or let `wattle run` do all of it with the original package"
        ))
    }
}

impl Instrumented {
    fn probes(&self) -> String {
        let share = match self.methods_with_code {
            0 => String::new(),
            all => format!(" ({:.1} %)", 100.0 * self.methods_probed as f64 / all as f64),
        };
        format!(
            "{} of {} with code{share} in {} got probes",
            self.methods_probed,
            counted(self.methods_with_code, "method", "methods"),
            counted(self.classes, "class", "classes")
        )
    }

    fn own_packages_line(&self) -> Option<String> {
        let own = self.own_packages.join(", ");
        (!own.is_empty()).then(|| format!("the app's own packages: {own}"))
    }
}

impl Verified {
    fn line(&self, subject: &str) -> String {
        let apps = self.subjects.iter().filter_map(|subject| subject.app.as_ref());
        let app = apps.map(VerifiedApp::title).next();
        let app = app.map_or_else(String::new, |app| format!(" ({app})"));
        if self.clean {
            format!("{subject}{app} is verified: signatures, alignment and bytecode are sound")
        } else {
            let defects = counted(self.defects, "defect", "defects");
            format!("{subject}{app} is not verified: {defects}")
        }
    }

    /// The first defects, one a line; the JSON has all.
    fn first_defects(&self) -> Vec<String> {
        const FIRST: usize = 5;
        let all = self.subjects.iter().flat_map(|subject| &subject.defects);
        let mut lines: Vec<String> = all.clone().take(FIRST).map(VerifiedDefect::line).collect();
        let more = all.count().saturating_sub(FIRST);
        if more > 0 {
            lines.push(format!("and {more} more, see verify.json"));
        }
        lines
    }
}

impl VerifiedApp {
    fn title(&self) -> String {
        match &self.version_name {
            // A number of a resource says nothing.
            Some(version) if !version.starts_with('@') => format!("{} {version}", self.package),
            _ => self.package.clone(),
        }
    }
}

impl VerifiedDefect {
    fn line(&self) -> String {
        let place = self.method.as_ref().map_or_else(String::new, |it| format!(" in {it}"));
        format!("{}{place}: expected {}, found {}", self.rule, self.expected, self.found)
    }
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(verified: &str, instrumented: &str, again: &str) -> PackageFacts {
        PackageFacts {
            verified: serde_json::from_str(verified).ok(),
            instrumented: serde_json::from_str(instrumented).ok(),
            again: serde_json::from_str(again).ok(),
            file: Some("a.traced.apk".to_owned()),
        }
    }

    #[test]
    fn a_sound_package_is_told_with_what_to_do_next() {
        let clean = r#"{"clean":true,"defects":0,"subjects":[{"app":{"package":"a.b","version_name":"1.2"}}]}"#;
        let code = r#"{"package":"a.b","classes":2,"methods_with_code":8,"methods_probed":2,"signed_with":"k","own_packages":["a.b"]}"#;
        let lines = facts(clean, code, clean).lines();
        assert_eq!(
            lines[..4],
            [
                "the package (a.b 1.2) is verified: signatures, alignment and bytecode are sound",
                "2 of 8 methods with code (25.0 %) in 2 classes got probes",
                "the app's own packages: a.b",
                "the rewritten package (a.b 1.2) is verified: signatures, alignment and bytecode are sound",
            ]
        );
        assert!(lines[4].starts_with("next: download a.traced.apk"), "{lines:?}");
    }

    #[test]
    fn a_package_with_defects_is_not_recommended() {
        let bad = r#"{"clean":false,"defects":1,"subjects":[{"defects":[{"rule":"v2-signature","expected":"x","found":"y"}]}]}"#;
        let lines =
            facts(bad, r#"{"methods_probed":1,"methods_with_code":1,"classes":1}"#, bad).lines();
        assert_eq!(lines[0], "the package is not verified: 1 defect");
        assert_eq!(lines[1], "v2-signature: expected x, found y");
        assert!(!lines.iter().any(|line| line.starts_with("next")), "{lines:?}");
    }

    #[test]
    fn what_is_no_summary_says_nothing() {
        assert!(facts("[", "null", "{}").lines().is_empty());
    }
}
