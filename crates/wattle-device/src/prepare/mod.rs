//! Bringing a device into a known state for a run, and putting it back.
//!
//! A [`Preparation`] says what is wanted; a [`Journal`] carries it out and remembers, in memory and in a file of this
//! machine, what was there before. Everything is undone in reverse order, also after a failure, a panic or Ctrl-C, and
//! by the next run if this one is killed.

mod app_data;
mod battery_statistics;
mod change;
mod charge_switch;
mod compiled;
mod condition;
mod conditions;
mod console_change;
mod console_power;
mod cool_down;
mod differences;
mod fixed_performance;
mod halted_charging;
mod journal;
mod journal_entry;
mod journal_file;
mod journal_folder;
mod log_buffers;
mod log_size;
mod plug_state;
mod preparation;
mod radio;
mod radio_kind;
mod recorders;
mod remains;
mod restoration;
mod screen_changes;
mod setting;
mod undo;
mod undoing;
mod unfinished;

pub(crate) use crate::undo_outcome::UndoOutcome;
pub(crate) use change::{Before, Change, Need};
pub(crate) use compiled::Compiled;
pub(crate) use differences::differences;
pub(crate) use undo::Undo;

pub use compiled::Compilation;
pub use condition::{Condition, Finding, Level, Limits};
pub use conditions::{Conditions, RadioStates};
pub use console_change::{ConsoleAccess, ConsoleOnDemand};
pub use cool_down::CoolDown;
pub use journal::Journal;
pub use journal_folder::JournalFolder;
pub use preparation::Preparation;
pub use remains::Remains;
pub use restoration::{LeftOver, Restoration};
pub use unfinished::Unfinished;
