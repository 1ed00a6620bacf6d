//! Answers of real phones to the shell user, as data.
//!
//! The statements are in `phones/*.toml`: one file for stock user builds by Android version, one a vendor for what differs there, one
//! with the public sources that all of them name. [`Suite`] reads and checks them and finds the answer to a command;
//! [`matrix_page`] is their page of the documentation.
//!
//! ```
//! use wattle_phone::conformance::{AndroidVersion, Suite, Vendor, Verdict};
//!
//! let suite = Suite::built_in()?;
//! let version = AndroidVersion::new(14).expect("a version");
//! let answer = suite.answer(Vendor::Pixel, version, "cat /proc/diskstats").expect("a statement");
//! assert_eq!(answer.verdict, Verdict::Refused);
//! # Ok::<(), wattle_phone::conformance::SuiteError>(())
//! ```

mod android_version;
mod answer_verdict;
mod citation;
mod command_pattern;
mod command_statements;
mod phone_answer;
mod phone_matrix;
mod refusal;
mod suite;
mod suite_error;
mod vendor;

pub use android_version::AndroidVersion;
pub use answer_verdict::Verdict;
pub use citation::Citation;
pub use command_statements::CommandStatements;
pub use phone_answer::PhoneAnswer;
pub use phone_matrix::matrix_page;
pub(crate) use refusal::Refusal;
pub use suite::Suite;
pub use suite_error::SuiteError;
pub use vendor::Vendor;
