//! All statements about phones.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{AndroidVersion, Citation, CommandStatements, PhoneAnswer, SuiteError, Vendor};

const SOURCES: &str = include_str!("../../phones/sources.toml");
const ANDROID: &str = include_str!("../../phones/android.toml");
const VENDORS: [(Vendor, &str); 4] = [
    (Vendor::Aosp, include_str!("../../phones/aosp.toml")),
    (Vendor::Pixel, include_str!("../../phones/pixel.toml")),
    (Vendor::Samsung, include_str!("../../phones/samsung.toml")),
    (Vendor::Xiaomi, include_str!("../../phones/xiaomi.toml")),
];

/// The statements about phones, with their sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    citations: BTreeMap<String, Citation>,
    by_version: Vec<CommandStatements>,
    by_vendor: BTreeMap<Vendor, Vec<CommandStatements>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatementFile {
    command: Vec<CommandStatements>,
}

impl Suite {
    /// The statements that this program was built with.
    ///
    /// # Errors
    /// If a file is not as the tests of this crate demand: TOML, each version answered once, each answer with sources.
    pub fn built_in() -> Result<Self, SuiteError> {
        let citations = parse("sources", SOURCES)?;
        let StatementFile { command: by_version } = parse("android", ANDROID)?;
        let mut by_vendor = BTreeMap::new();
        for (vendor, text) in VENDORS {
            let StatementFile { command } = parse(vendor.word(), text)?;
            by_vendor.insert(vendor, command);
        }
        let suite = Self { citations, by_version, by_vendor };
        suite.check()?;
        Ok(suite)
    }

    /// The answer of a phone to a command; `None` if there is no statement about it. What is known of the vendor comes before what is
    /// known of the version.
    pub fn answer(
        &self,
        vendor: Vendor,
        android: AndroidVersion,
        command: &str,
    ) -> Option<&PhoneAnswer> {
        let known = self.command(command)?;
        let of_vendor =
            self.of_vendor(vendor).iter().find(|statements| statements.name == known.name);
        of_vendor
            .and_then(|statements| statements.answer(android))
            .or_else(|| known.answer(android))
    }

    /// The statements by version about a command, by its most specific name.
    pub fn command(&self, command: &str) -> Option<&CommandStatements> {
        let named = |statements: &CommandStatements| statements.specificity(command);
        let found = self.by_version.iter().filter(|statements| named(statements).is_some());
        found.max_by_key(|statements| named(statements))
    }

    /// The statements by version, in the order of their file.
    pub fn commands(&self) -> &[CommandStatements] {
        &self.by_version
    }

    /// The statements about phones of this vendor alone.
    pub fn of_vendor(&self, vendor: Vendor) -> &[CommandStatements] {
        self.by_vendor.get(&vendor).map_or(&[], Vec::as_slice)
    }

    /// A source by its name.
    pub fn citation(&self, name: &str) -> Option<&Citation> {
        self.citations.get(name)
    }

    fn check(&self) -> Result<(), SuiteError> {
        let mut cited = BTreeSet::new();
        check_each("android", &self.by_version, &self.citations, &mut cited)?;
        for statements in &self.by_version {
            check_versions(statements)?;
        }
        for (vendor, all) in &self.by_vendor {
            check_each(vendor.word(), all, &self.citations, &mut cited)?;
            let known = |name: &str| self.by_version.iter().any(|command| command.name == name);
            if let Some(unknown) = all.iter().find(|command| !known(&command.name)) {
                return Err(defect(
                    vendor.word(),
                    format!("{} is not in android.toml", unknown.name),
                ));
            }
        }
        match self.citations.keys().find(|name| !cited.contains(name.as_str())) {
            Some(name) => Err(defect("sources", format!("no statement names {name}"))),
            None => Ok(()),
        }
    }
}

fn parse<T: DeserializeOwned>(file: &'static str, text: &str) -> Result<T, SuiteError> {
    toml::from_str(text).map_err(|error| defect(file, error.to_string()))
}

const fn defect(file: &'static str, why: String) -> SuiteError {
    SuiteError { file, why }
}

/// Names are unique, and each answer has known sources, none of a version that it is not about.
fn check_each<'s>(
    file: &'static str,
    all: &'s [CommandStatements],
    citations: &BTreeMap<String, Citation>,
    cited: &mut BTreeSet<&'s str>,
) -> Result<(), SuiteError> {
    let mut names = BTreeSet::new();
    for CommandStatements { name, answers, .. } in all {
        if !names.insert(name) || answers.is_empty() {
            return Err(defect(file, format!("{name} is there twice or has no answer")));
        }
        for answer in answers {
            if answer.sources.is_empty() || answer.since > answer.until {
                return Err(defect(file, format!("{name}: an answer without source or version")));
            }
            for source in &answer.sources {
                let known = citations.get(source);
                let Some(citation) = known else {
                    return Err(defect(file, format!("{name}: there is no source {source}")));
                };
                if citation.android.is_some_and(|android| !answer.covers(android)) {
                    return Err(defect(file, format!("{name}: {source} is about another version")));
                }
                cited.insert(source);
            }
        }
    }
    Ok(())
}

/// Each version has exactly one answer, and the command has a purpose.
fn check_versions(statements: &CommandStatements) -> Result<(), SuiteError> {
    let name = &statements.name;
    let mut next = Some(AndroidVersion::FIRST);
    for answer in &statements.answers {
        if next != Some(answer.since) {
            return Err(defect(
                "android",
                format!("{name}: {} is wrong as a beginning", answer.since),
            ));
        }
        next = answer.until.next();
    }
    if next.is_some() || statements.purpose.is_none() {
        return Err(defect("android", format!("{name}: a version or the purpose is missing")));
    }
    Ok(())
}
