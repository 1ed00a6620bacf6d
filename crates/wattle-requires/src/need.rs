//! Requirement of a test, and its availability.

use std::path::{Path, PathBuf};

use proc_macro::{Delimiter, TokenStream, TokenTree};

/// One thing that a test needs.
pub(crate) enum Need {
    /// The folder of real recordings.
    Data,
    /// A program on `PATH`.
    Program(String),
    /// An environment variable that names something that exists.
    Variable(String),
    /// Leave to mount a small file system in a namespace of the test's own.
    SmallDisk,
}

impl Need {
    /// The needs in the attribute's arguments.
    ///
    /// # Errors
    /// The message for the compiler, if an argument is none of the four forms.
    pub(crate) fn parse_list(arguments: TokenStream) -> Result<Vec<Self>, String> {
        let mut tokens = flat(arguments).into_iter().peekable();
        let mut needs = Vec::new();
        while let Some(token) = tokens.next() {
            let name = token.to_string();
            let value = match tokens.peek() {
                Some(TokenTree::Punct(sign)) if sign.as_char() == '=' => {
                    tokens.next();
                    tokens.next().map(|value| value.to_string().trim_matches('"').to_owned())
                }
                _ => None,
            };
            needs.push(match (name.as_str(), value) {
                ("data", None) => Self::Data,
                ("program", Some(value)) => Self::Program(value),
                ("env", Some(value)) => Self::Variable(value),
                ("small_disk", None) => Self::SmallDisk,
                _ => {
                    return Err(format!(
                        "expected `data`, `small_disk`, `program = \"…\"` or `env = \"…\"`, found `{name}`"
                    ));
                }
            });
            match tokens.next() {
                None => break,
                Some(TokenTree::Punct(sign)) if sign.as_char() == ',' => {}
                Some(other) => return Err(format!("expected a comma, found `{other}`")),
            }
        }
        if needs.is_empty() {
            return Err("expected at least one need, such as `data`".to_owned());
        }
        Ok(needs)
    }

    /// Returns the missing item and how to get it; `None` if it is there, or if its absence is to fail the test.
    pub(crate) fn missing(&self) -> Option<String> {
        match self {
            Self::Data if is_set("WATTLE_REQUIRE_DATA") || data().is_dir() => None,
            Self::Data => {
                Some("real recordings in ../shared/data (or WATTLE_DATA=FOLDER)".to_owned())
            }
            _ if is_set("WATTLE_REQUIRE_PROGRAMS") => None,
            Self::Program(name) => {
                (!is_on_path(name)).then(|| format!("the program {name} on PATH"))
            }
            Self::Variable(name) => {
                let exists = std::env::var_os(name).is_some_and(|path| Path::new(&path).exists());
                (!exists).then(|| format!("the variable {name}, naming an existing path"))
            }
            Self::SmallDisk => (!may_mount())
                .then(|| "leave to mount in a user namespace (unshare --user --mount)".to_owned()),
        }
    }

    /// The name under which `wattle_testdata` hands out what is needed: `data`, or a variable's name.
    pub(crate) fn read_by_tests(&self) -> Option<&str> {
        match self {
            Self::Data => Some("data"),
            Self::Variable(name) => Some(name),
            Self::Program(_) | Self::SmallDisk => None,
        }
    }

    /// The environment variables that the decision depends on.
    pub(crate) fn variables(&self) -> Vec<&str> {
        match self {
            Self::Data => vec!["WATTLE_REQUIRE_DATA", "WATTLE_DATA"],
            Self::Program(_) | Self::SmallDisk => vec!["WATTLE_REQUIRE_PROGRAMS"],
            Self::Variable(name) => vec!["WATTLE_REQUIRE_PROGRAMS", name],
        }
    }
}

/// The tokens, with invisible groups (which macros make around their arguments) opened.
fn flat(stream: TokenStream) -> Vec<TokenTree> {
    let mut tokens = Vec::new();
    for token in stream {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                tokens.extend(flat(group.stream()));
            }
            other => tokens.push(other),
        }
    }
    tokens
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

/// The same folder as `wattle_testdata::root`, which looks while tests run.
fn data() -> PathBuf {
    std::env::var_os("WATTLE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    )
}

fn is_on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Mounts a file system where nobody else sees it, and which is gone when the command has ended.
fn may_mount() -> bool {
    let arguments = "--user --map-root-user --mount mount -t tmpfs -o size=1m tmpfs /tmp";
    let mount = std::process::Command::new("unshare").args(arguments.split(' ')).output();
    mount.is_ok_and(|output| output.status.success())
}
