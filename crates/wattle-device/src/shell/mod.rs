//! Ways of running a command that the trait [`crate::Device`] does not have: to its end with a watcher, into a file,
//! and with its success made sure.

mod answer;
mod download;
mod follow;

pub(crate) use answer::{run, shorten, text};
pub(crate) use download::{command_into_file, pull_into_file};
pub(crate) use follow::follow;
