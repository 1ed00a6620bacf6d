//! Refusals of a simulated phone that answers as stock phones do.

use std::sync::LazyLock;

use super::{AndroidVersion, PhoneAnswer, Suite, Vendor, Verdict};

/// The statements; that they can be read is a test of this crate.
static SUITE: LazyLock<Option<Suite>> = LazyLock::new(|| Suite::built_in().ok());

/// A command that stock phones refuse, or do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Text for standard error.
    pub(crate) text: String,
    /// Exit status.
    pub(crate) status: u8,
}

impl Refusal {
    /// The refusal of a command by phones of this vendor and API level; `None` if they run it, or nothing is known of it.
    pub(crate) fn find(vendor: Vendor, api_level: u32, command: &str) -> Option<Self> {
        let android = AndroidVersion::of_api_level(api_level)?;
        let answer = SUITE.as_ref()?.answer(vendor, android, command)?;
        match answer.verdict {
            Verdict::Works | Verdict::Depends => None,
            Verdict::Empty => Some(Self { text: String::new(), status: 0 }),
            Verdict::Refused => Some(Self::new(answer, command, "Permission denied")),
            Verdict::Absent => Some(Self::new(answer, command, "inaccessible or not found")),
        }
    }

    fn new(answer: &PhoneAnswer, command: &str, otherwise: &str) -> Self {
        let program = command.split_whitespace().next().unwrap_or_default();
        let text = answer.error.clone().unwrap_or_else(|| format!("{program}: {otherwise}"));
        Self { text, status: answer.exit.unwrap_or(1) }
    }
}
