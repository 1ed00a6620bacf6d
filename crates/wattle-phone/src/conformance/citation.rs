//! Public sources of statements.

use serde::Deserialize;

use super::AndroidVersion;

/// A public source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// The version of Android that it shows; `None` where it names its versions itself.
    pub android: Option<AndroidVersion>,
    /// Its subject.
    pub title: String,
    /// Its address.
    pub url: String,
}
