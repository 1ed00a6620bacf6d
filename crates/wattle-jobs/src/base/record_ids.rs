//! Numbers of records.

use std::fmt;
use std::str::FromStr;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

number! {
    /// The number of a user.
    UserId
}
number! {
    /// The number of a project.
    ProjectId
}
number! {
    /// The number of a job.
    JobId
}
number! {
    /// The number of a file that was uploaded.
    FileId
}
number! {
    /// The number of an API token.
    TokenId
}
number! {
    /// The number of a share link.
    LinkId
}
number! {
    /// The number of a comment.
    CommentId
}

/// The name of an upload: 32 random hexadecimal digits. It is the name of a file below `uploads/`, and never anything else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct UploadId(String);

impl UploadId {
    /// Digits of the name.
    const DIGITS: usize = 32;

    pub(crate) fn from_digits(digits: &str) -> Option<Self> {
        let is_name = digits.len() == Self::DIGITS
            && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        is_name.then(|| Self(digits.to_owned()))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UploadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for UploadId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_digits(text)
            .ok_or_else(|| "expected an upload's 32 hexadecimal digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploads_are_named_by_digits_alone() {
        assert!("0123456789abcdef0123456789abcdef".parse::<UploadId>().is_ok());
        for text in ["", "../../etc/passwd", "0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef"]
        {
            assert!(text.parse::<UploadId>().is_err(), "{text}");
        }
    }
}
