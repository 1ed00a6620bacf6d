//! The arguments of `am instrument`.

/// Tests to run, and the form of the report.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    pub(super) raw: bool,
    pub(super) wait: bool,
    pub(super) component: String,
    classes: Vec<String>,
    not_classes: Vec<String>,
    package: Option<String>,
    pub(super) only_listed: bool,
}

impl Arguments {
    /// Reads the words behind `am`.
    pub(super) fn parse(words: &[String]) -> Self {
        let mut arguments = Self::default();
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "-r" => arguments.raw = true,
                "-w" => arguments.wait = true,
                "-m"
                | "--no-window-animation"
                | "--no-hidden-api-checks"
                | "--no-isolated-storage" => {}
                "--user" | "--abi" | "-p" => drop(words.next()),
                "-e" => {
                    let (key, value) = (words.next(), words.next().cloned().unwrap_or_default());
                    let list = || value.split(',').map(str::to_owned).collect();
                    match key.map(String::as_str) {
                        Some("class") => arguments.classes = list(),
                        Some("notClass") => arguments.not_classes = list(),
                        Some("package") => arguments.package = Some(value),
                        Some("log") => arguments.only_listed = value == "true",
                        _ => {}
                    }
                }
                _ => word.clone_into(&mut arguments.component),
            }
        }
        arguments
    }

    /// Whether a test was asked for.
    pub(super) fn wants(&self, class: &str, method: &str) -> bool {
        let whole = format!("{class}#{method}");
        let is_of = |wanted: &String| *wanted == class || *wanted == whole;
        (self.classes.is_empty() || self.classes.iter().any(is_of))
            && !self.not_classes.iter().any(is_of)
            && self.package.as_ref().is_none_or(|package| class.starts_with(&format!("{package}.")))
    }
}
