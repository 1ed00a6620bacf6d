//! The terminal: keys in, frames out, and everything as it was at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::widgets::Paragraph;

use super::state::{Flow, TopState};
use super::view;
use crate::command::{run_limits, whole_file};
use crate::exit::{Failure, INTERRUPTED, Outcome};

/// Pause between two checks for a request to end.
const PATIENCE: Duration = Duration::from_millis(100);
/// Pause between two frames of the loading screen.
const FRAME: Duration = Duration::from_millis(250);
/// Pause between two checks whether loading is over.
const LOOK: Duration = Duration::from_millis(20);

/// Whether the terminal is taken.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Puts the terminal back if it is taken.
fn leave() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        ratatui::restore();
    }
}

/// The terminal as long as the tree is shown. It is put back when this is dropped, also after a panic or a failure.
pub struct Screen {
    terminal: DefaultTerminal,
    is_over: Arc<AtomicBool>,
}

impl Screen {
    /// Takes the terminal.
    pub fn open() -> Result<Self, Failure> {
        let is_over = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&is_over);
        ctrlc::set_handler(move || asked.store(true, Ordering::SeqCst))
            .context("handling of Ctrl-C")
            .map_err(Failure::Environment)?;
        let terminal = ratatui::try_init().context("terminal").map_err(Failure::Environment)?;
        IS_TAKEN.store(true, Ordering::SeqCst);
        run_limits::before_end(leave);
        Ok(Self { terminal, is_over })
    }

    /// Does long work, and shows meanwhile what is being done and for how long. Quitting ends the program at once: nothing is lost.
    pub fn load<T: Send>(
        &mut self,
        title: &str,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, Failure> {
        let started = Instant::now();
        std::thread::scope(|scope| {
            let worker = scope.spawn(work);
            while !worker.is_finished() {
                let text =
                    format!("\n  Loading {title}\n\n  {} s, q quits", started.elapsed().as_secs());
                let page = Paragraph::new(text);
                self.terminal
                    .draw(|frame| frame.render_widget(page, frame.area()))
                    .map_err(failed)?;
                let end = Instant::now() + FRAME;
                while Instant::now() < end && !worker.is_finished() {
                    if self.is_over.load(Ordering::SeqCst) || is_quit(LOOK).map_err(failed)? {
                        // Nothing is dropped on the way out.
                        let _shown = self.terminal.show_cursor();
                        leave();
                        whole_file::abandon();
                        std::process::exit(INTERRUPTED);
                    }
                }
            }
            worker
                .join()
                .map_err(|_| Failure::Internal(anyhow::anyhow!("loading {title} panicked")))
        })
    }

    /// Shows the tree until somebody quits.
    pub fn run(mut self, state: &mut TopState<'_>) -> Outcome {
        run_limits::lift();
        drive(&mut self.terminal, state, &self.is_over)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Whether a key that quits was pressed; waits so long for one.
fn is_quit(patience: Duration) -> std::io::Result<bool> {
    if !event::poll(patience)? {
        return Ok(false);
    }
    let Event::Key(key) = event::read()? else { return Ok(false) };
    let is_interrupt =
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    Ok(is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc))
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Environment(anyhow::Error::new(error).context("terminal"))
}

fn drive(
    terminal: &mut DefaultTerminal,
    state: &mut TopState<'_>,
    is_over: &AtomicBool,
) -> Outcome {
    let mut is_stale = true;
    loop {
        if is_over.load(Ordering::SeqCst) {
            return Err(Failure::Interrupted(anyhow::anyhow!("interrupted")));
        }
        if is_stale {
            terminal.draw(|frame| view::draw(frame, state)).map_err(failed)?;
            is_stale = false;
        }
        // All that is there before the next frame: keys held down do not pile up.
        while event::poll(if is_stale { Duration::ZERO } else { PATIENCE }).map_err(failed)? {
            match event::read().map_err(failed)? {
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
