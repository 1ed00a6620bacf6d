//! Simulated phones and machines at idle: their books close, and their traces hold what happened.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod books;
mod effects;
mod events;
mod idle;
mod physics;
mod polling;
mod population;
mod replay;
mod trace;
