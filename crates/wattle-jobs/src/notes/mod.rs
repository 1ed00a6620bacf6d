//! Words of users about runs.

mod run_comment;
mod run_names;

pub use run_comment::{NewComment, RunComment, RunComments};
pub use run_names::RunNames;
