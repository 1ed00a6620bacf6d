//! Flags of the subcommands, read in one way.

use std::slice::Iter;

use anyhow::{Context as _, Result, bail};

/// The value of the flag that was just read.
pub struct FlagValue<'a, 'b> {
    flag: &'a str,
    rest: &'b mut Iter<'a, String>,
}

impl FlagValue<'_, '_> {
    /// The next argument.
    pub fn text(&mut self) -> Result<String> {
        let flag = self.flag;
        self.rest.next().cloned().with_context(|| format!("{flag} needs a value"))
    }

    /// The next argument as a number.
    pub fn number(&mut self) -> Result<u64> {
        let flag = self.flag;
        self.text()?.parse().ok().with_context(|| format!("{flag} needs a number"))
    }

    /// The next argument as a number above 0.
    pub fn count(&mut self) -> Result<usize> {
        let flag = self.flag;
        let number = self.text()?.parse().ok().filter(|number| *number > 0);
        number.with_context(|| format!("{flag} needs a number from 1"))
    }
}

/// Gives each flag to `take`, which returns whether it knows it. Returns whether help is wanted.
pub fn read(
    arguments: &[String],
    help: &str,
    mut take: impl FnMut(&str, &mut FlagValue<'_, '_>) -> Result<bool>,
) -> Result<bool> {
    let mut wants_help = false;
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        if flag == "--help" || flag == "-h" {
            wants_help = true;
        } else if !take(flag, &mut FlagValue { flag, rest: &mut rest })? {
            bail!("unknown argument {flag}\n\n{help}");
        }
    }
    Ok(wants_help)
}

#[cfg(test)]
mod tests {
    use super::read;

    fn found(words: &str) -> Result<(Vec<String>, bool), String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let mut values = Vec::new();
        let wants_help = read(&words, "HELP", |flag, value| {
            match flag {
                "--name" => values.push(value.text()?),
                "--seed" => values.push(value.number()?.to_string()),
                "--runs" => values.push(value.count()?.to_string()),
                _ => return Ok(false),
            }
            Ok(true)
        });
        wants_help.map(|help| (values, help)).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_have_values() {
        let (values, wants_help) = found("--name a --seed 0 --runs 3 -h").expect("valid");
        assert_eq!((values, wants_help), (["a", "0", "3"].map(str::to_owned).to_vec(), true));
        for (words, error) in [
            ("--name", "--name needs a value"),
            ("--seed x", "--seed needs a number"),
            ("--runs 0", "--runs needs a number from 1"),
            ("--fast", "unknown argument --fast\n\nHELP"),
        ] {
            assert_eq!(found(words), Err(error.to_owned()));
        }
    }
}
