//! The choice of sources.

use std::collections::BTreeSet;

use crate::source::SourceName;

/// The choice among the sources that the device offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SourceChoice {
    /// All but those that are only used on request ([`SourceName::only_on_request`]).
    #[default]
    Auto,
    /// As `Auto`, and these.
    With(BTreeSet<SourceName>),
    /// As `Auto`, without these.
    Without(BTreeSet<SourceName>),
    /// These alone. One of them that is not to be had is an error.
    Only(BTreeSet<SourceName>),
}

impl SourceChoice {
    /// Whether a source is wanted.
    pub fn wants(&self, name: SourceName) -> bool {
        match self {
            Self::Auto => !name.only_on_request(),
            Self::With(more) => !name.only_on_request() || more.contains(&name),
            Self::Without(less) => !name.only_on_request() && !less.contains(&name),
            Self::Only(these) => these.contains(&name),
        }
    }

    /// Whether somebody named this source, so that doing without it is not what they asked for.
    pub fn insists_on(&self, name: SourceName) -> bool {
        match self {
            Self::With(names) | Self::Only(names) => names.contains(&name),
            Self::Auto | Self::Without(_) => false,
        }
    }

    /// Why a source is not wanted.
    pub(crate) fn reason_against(&self, name: SourceName) -> &'static str {
        match self {
            Self::Only(_) | Self::Without(_) if !name.only_on_request() => "not chosen",
            _ => "only used on request",
        }
    }
}
