//! The terminal: keys in, frames out, and everything as it was at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::state::{Flow, TopState};
use super::view;
use crate::exit::{Failure, Outcome};

/// Pause between two checks for a request to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// Shows it until somebody quits. The terminal is put back also when this panics, fails or is asked to end.
pub fn run(state: &mut TopState<'_>) -> Outcome {
    let is_over = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_over);
    ctrlc::set_handler(move || asked.store(true, Ordering::SeqCst))
        .context("handling of Ctrl-C")
        .map_err(Failure::Environment)?;
    let terminal = ratatui::try_init().context("terminal").map_err(Failure::Environment);
    let outcome = terminal.and_then(|mut terminal| drive(&mut terminal, state, &is_over));
    let restored = ratatui::try_restore().context("terminal").map_err(Failure::Environment);
    outcome.and(restored)
}

fn drive(
    terminal: &mut DefaultTerminal,
    state: &mut TopState<'_>,
    is_over: &AtomicBool,
) -> Outcome {
    let environment =
        |error: std::io::Error| Failure::Environment(anyhow::Error::new(error).context("terminal"));
    let mut is_stale = true;
    loop {
        if is_over.load(Ordering::SeqCst) {
            return Err(Failure::Interrupted(anyhow::anyhow!("interrupted")));
        }
        if is_stale {
            terminal.draw(|frame| view::draw(frame, state)).map_err(environment)?;
            is_stale = false;
        }
        // All that is there before the next frame: keys held down do not pile up.
        while event::poll(if is_stale { Duration::ZERO } else { PATIENCE }).map_err(environment)? {
            match event::read().map_err(environment)? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if state.press(key) == Flow::Quit {
                        return Ok(());
                    }
                    is_stale = true;
                }
                Event::Resize(..) => is_stale = true,
                _ => {}
            }
            if is_over.load(Ordering::SeqCst) {
                break;
            }
        }
    }
}
