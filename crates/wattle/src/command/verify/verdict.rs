//! Findings, in the form of the JSON output (`docs/verify-json.md`).

use std::time::Duration;

use serde::Serialize;
use wattle_dex::Defect;

/// The whole result.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Name and version of the form.
    #[cfg_attr(test, schemars(extend("const" = "wattle-verify/1")))]
    schema: &'static str,
    /// Whether there is no defect.
    pub clean: bool,
    /// Findings that are defects.
    pub defects: usize,
    /// Findings that are none.
    pub notes: usize,
    /// Methods whose code was followed.
    pub methods: u64,
    /// Wall time.
    #[cfg_attr(test, schemars(range(min = 0.0)))]
    pub seconds: f64,
    /// Verified subjects, in the order of the command line.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub subjects: Vec<Judged>,
}

/// One file, or the packages of one app together.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Judged {
    /// The file, or the base package of a set that was given as files.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub name: String,
    /// `package`, `set`, `archive` or `dex`.
    #[cfg_attr(test, schemars(extend("enum" = ["package", "set", "archive", "dex"])))]
    pub kind: &'static str,
    /// App by the manifest; `None` if there is no manifest that can be read.
    pub app: Option<App>,
    /// Length of all files.
    pub bytes: u64,
    /// The files with code.
    pub code: Vec<CodeFile>,
    /// The signatures of each package.
    pub signatures: Vec<Signatures>,
    /// Defects found.
    pub defects: Vec<Finding>,
    /// Notable facts.
    pub notes: Vec<Finding>,
}

/// The app of a package.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct App {
    /// Its package name.
    pub package: String,
    /// `versionCode`.
    pub version_code: Option<u64>,
    /// `versionName`.
    pub version_name: Option<String>,
    /// The API level that signatures were verified from.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub min_sdk: u32,
}

/// A logical Dalvik executable.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CodeFile {
    /// The file it lies in: on disk, or a package of an archive.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub file: String,
    /// The entry of that file; nothing for a bare one.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub entry: Option<String>,
    /// Version of the format.
    #[cfg_attr(test, schemars(extend("enum" = [35, 37, 38, 39, 40, 41])))]
    pub version: u16,
    /// Length.
    pub bytes: u32,
    /// Classes that it defines.
    pub classes: u32,
    /// Methods with code that were followed.
    pub methods: u64,
    /// Whether the header's SHA-1 is the file's.
    pub sha1_fits: bool,
    /// Wall time.
    #[cfg_attr(test, schemars(range(min = 0.0)))]
    pub seconds: f64,
}

/// The signatures of one package.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Signatures {
    /// The package.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub file: String,
    /// Whether every platform that it is for would accept it.
    pub verified: bool,
    /// Subject of the certificate that newest platforms see.
    pub certificate: Option<String>,
    /// SHA-256 of that certificate.
    #[cfg_attr(test, schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub certificate_sha256: Option<String>,
    /// The schemes v1, v2, v3 and v3.1.
    #[cfg_attr(test, schemars(length(equal = 4)))]
    pub schemes: Vec<SchemeVerdict>,
}

/// One scheme.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SchemeVerdict {
    /// `v1`, `v2`, `v3` or `v3.1`.
    #[cfg_attr(test, schemars(extend("enum" = ["v1", "v2", "v3", "v3.1"])))]
    pub scheme: String,
    /// Whether there is a signature of it.
    pub present: bool,
    /// Whether it holds.
    pub valid: bool,
    /// Whether some platform decides by it.
    pub deciding: bool,
}

/// One thing that was found.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name in lower case with hyphens.
    #[cfg_attr(test, schemars(regex(pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")))]
    pub rule: String,
    /// The file.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub file: String,
    /// The entry of the file.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub entry: Option<String>,
    /// Section of the Dalvik executable.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub section: Option<String>,
    /// Offset in the Dalvik executable.
    pub offset: Option<u64>,
    /// The class.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub class: Option<String>,
    /// The method, as `Lclass;->name(params)return`.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub method: Option<String>,
    /// Address in the method's code, in 16-bit units.
    pub address: Option<u32>,
    /// Value that the rule requires.
    #[cfg_attr(test, schemars(length(min = 1)))]
    pub expected: String,
    /// Actual value.
    pub found: String,
}

impl Verdict {
    /// From what was found in each subject; `strict` makes defects of notes.
    pub fn new(mut subjects: Vec<Judged>, elapsed: Duration, strict: bool) -> Self {
        if strict {
            for subject in &mut subjects {
                subject.defects.append(&mut subject.notes);
            }
        }
        let defects = subjects.iter().map(|subject| subject.defects.len()).sum();
        Self {
            schema: "wattle-verify/1",
            clean: defects == 0,
            defects,
            notes: subjects.iter().map(|subject| subject.notes.len()).sum(),
            methods: subjects.iter().flat_map(|it| &it.code).map(|code| code.methods).sum(),
            seconds: elapsed.as_secs_f64(),
            subjects,
        }
    }

    /// The sentence of refusal; nothing without defects.
    pub fn refusal(&self) -> Option<String> {
        let bad: Vec<_> =
            self.subjects.iter().filter(|subject| !subject.defects.is_empty()).collect();
        let first = bad.first()?;
        let defects =
            if self.defects == 1 { "1 defect".into() } else { format!("{} defects", self.defects) };
        Some(match bad.len() {
            1 => format!("{}: {defects}", first.name),
            count => format!("{defects} in {count} of {} inputs", self.subjects.len()),
        })
    }
}

impl Finding {
    /// About a file.
    pub fn new(
        rule: &str,
        file: &str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            rule: rule.to_owned(),
            file: file.to_owned(),
            expected: expected.into(),
            found: found.into(),
            ..Self::default()
        }
    }

    /// About an entry of the file.
    #[must_use]
    pub fn of_entry(mut self, entry: Option<&str>) -> Self {
        self.entry = entry.map(str::to_owned);
        self
    }

    /// A defect of bytecode.
    pub fn of_code(file: &str, entry: Option<&str>, defect: &Defect) -> Self {
        let class = defect.method.as_ref().and_then(|method| method.split("->").next());
        Self {
            section: Some(defect.section.to_string()),
            offset: Some(defect.offset),
            class: class.map(str::to_owned),
            method: defect.method.clone(),
            address: defect.unit,
            ..Self::new(defect.rule, file, defect.expected.as_str(), defect.found.as_str())
        }
        .of_entry(entry)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wattle_schema::SchemaFile;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<Verdict>(
            "verify-1",
            "wattle-verify/1",
            "The result of `wattle verify --json`. The keys are explained in docs/verify-json.md.",
        );
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }
}
