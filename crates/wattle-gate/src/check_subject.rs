//! The energy that a rule is about.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::{GateError, NamePattern};

/// The energy that a rule is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Subject {
    /// The app with all its processes and the hardware it used.
    App,
    /// The whole run, of the whole device.
    Total,
    /// A component, the app's part of it.
    Component(String),
    /// The methods of this pattern, each without what it calls, taken together.
    Method(NamePattern),
    /// The cost of findings of this rule ([`crate::FindingEnergy`]).
    Finding(NamePattern),
}

impl FromStr for Subject {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        match text.split_once(':') {
            None if text == "app" => Ok(Self::App),
            None if text == "total" => Ok(Self::Total),
            Some(("component", name)) if !name.is_empty() => Ok(Self::Component(name.to_owned())),
            Some(("method", name)) if !name.is_empty() => Ok(Self::Method(NamePattern::new(name))),
            Some(("finding", name)) if !name.is_empty() => {
                Ok(Self::Finding(NamePattern::new(name)))
            }
            _ => Err(GateError::Subject(text.to_owned())),
        }
    }
}

impl TryFrom<String> for Subject {
    type Error = GateError;

    fn try_from(text: String) -> Result<Self, GateError> {
        text.parse()
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("app"),
            Self::Total => f.write_str("total"),
            Self::Component(name) => write!(f, "component:{name}"),
            Self::Method(pattern) => write!(f, "method:{pattern}"),
            Self::Finding(pattern) => write!(f, "finding:{pattern}"),
        }
    }
}
