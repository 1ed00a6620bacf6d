//! Findings of the verifier.

use std::fmt;

use crate::{DexError, Section};

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The rule that is broken, a stable name in lower case with hyphens.
    pub rule: &'static str,
    /// The section.
    pub section: Section,
    /// The offset of the item, or of the value inside.
    pub offset: u64,
    /// The method, as `Lclass;->name(params)return`, where it is about code.
    pub method: Option<String>,
    /// The address in the code, in 16-bit units.
    pub unit: Option<u32>,
    /// The requirement of the rule.
    pub expected: String,
    /// The value found.
    pub found: String,
}

impl Defect {
    pub(crate) fn new(
        rule: &'static str,
        (section, offset): (Section, u32),
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            section,
            offset: u64::from(offset),
            method: None,
            unit: None,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// A structure that could not even be read.
    pub(crate) fn unreadable(section: Section, offset: u32, error: &DexError) -> Self {
        Self::new("readable", (section, offset), "an item that can be read", error.to_string())
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} at {:#x}", self.rule, self.section, self.offset)?;
        if let Some(method) = &self.method {
            write!(f, ", {method}")?;
        }
        if let Some(unit) = self.unit {
            write!(f, ", unit {unit:#x}")?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}
