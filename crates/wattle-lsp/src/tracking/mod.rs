//! From the code that ran to the code on the screen: methods that moved, were renamed or changed, and lines of calls.

mod departed_methods;
mod freshness;
mod line_mapping;
mod method_matching;

pub use departed_methods::{ArrivedMethod, ChangedFile, DepartedFile, DepartedMethods};
pub use freshness::Freshness;
pub use line_mapping::{LineMap, contains_word};
pub use method_matching::{FollowedMethod, follow};
