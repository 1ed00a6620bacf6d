//! A schedule as nested slices: what flame charts show. Neighbouring pieces of a thread share the slices of their common callers.

use wattle_ledger::Ledger;
use wattle_power::Component;
use wattle_timeline::Window;
use wattle_units::BootNanos;

use crate::stack_frames::{FrameId, Frames, LEAST_FRAMES, MOST_FRAMES};
use crate::{ExportError, Payer, Piece, Schedule};

/// The most lanes of a thread. What overlaps more than that is cut at the end of what came before.
const MOST_LANES: usize = 8;

/// Slices that any schedule may have.
const SLICES: usize = 1 << 20;
/// Slices that it may have beyond that for each piece: calls that follow each other share their callers' slices.
const SLICES_OF_PIECE: usize = 32;

/// A row of slices of a thread that do not overlap. Lane 0 is what ran on a CPU; what other hardware drew for a call while the
/// thread was somewhere else has lanes of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// The thread, an index into [`wattle_ledger::LedgerRows::threads`].
    pub thread: u32,
    /// Counts from 0.
    pub number: usize,
}

/// A slice with its energies, in the schedule's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The frame that ran.
    pub frame: FrameId,
    /// When.
    pub window: Window,
    /// Energy while it was innermost.
    pub own: i64,
    /// Energy with that of the slices inside.
    pub total: i64,
}

/// A change on a lane, in order of time on each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change<'a> {
    /// A slice begins inside those that are open.
    Begin(FrameId, BootNanos),
    /// The innermost slice ends.
    End(Slice),
    /// A piece begins: all that its thread drew before that is the number.
    Piece(Piece<'a>, i64),
}

struct Open {
    frame: FrameId,
    start: BootNanos,
    own: i64,
    total: i64,
}

#[derive(Default)]
struct OpenLane {
    end: Option<BootNanos>,
    open: Vec<Open>,
}

impl OpenLane {
    /// Ends slices until that many are open.
    fn close(
        &mut self,
        keep: usize,
        mut say: impl FnMut(Change<'static>) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        while self.open.len() > keep {
            let (Some(last), Some(end)) = (self.open.pop(), self.end) else { break };
            if let Some(around) = self.open.last_mut() {
                around.total += last.total;
            }
            let window = Window::new(last.start, end);
            let Open { frame, own, total, .. } = last;
            say(Change::End(Slice { frame, window, own, total }))?;
        }
        Ok(())
    }
}

/// Walks all pieces, thread after thread. Where each piece has slices of its own for a hundred callers (a thread that runs for
/// moments, deep in calls), stacks are cut as [`Frames`] cuts them.
pub fn walk<'a>(
    ledger: &Ledger,
    frames: &Frames<'_>,
    schedule: &'a Schedule,
    say: &mut dyn FnMut(Lane, Change<'a>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let (mut pieces, mut in_total) = (0, 0);
    for piece in schedule.pieces() {
        pieces += 1;
        in_total += frames.depth(piece.path);
    }
    let most = SLICES + SLICES_OF_PIECE * pieces;
    if in_total <= most {
        return walk_within(ledger, frames, schedule, MOST_FRAMES, say);
    }
    // Most of them are shared, as a rule.
    let mut slices = 0;
    walk_within(ledger, frames, schedule, MOST_FRAMES, &mut |_, change| {
        slices += usize::from(matches!(change, Change::Begin(..)));
        Ok(())
    })?;
    let depth = if slices <= most { MOST_FRAMES } else { (most / pieces.max(1)).max(LEAST_FRAMES) };
    walk_within(ledger, frames, schedule, depth, say)
}

fn walk_within<'a>(
    ledger: &Ledger,
    frames: &Frames<'_>,
    schedule: &'a Schedule,
    depth: usize,
    say: &mut dyn FnMut(Lane, Change<'a>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let is_cpu: Vec<bool> =
        ledger.rows.components.iter().map(|component| component.name == Component::Cpu).collect();
    let mut lanes: Vec<OpenLane> = Vec::new();
    let mut thread = None;
    let mut drawn = 0;
    let mut stack = Vec::new();
    for piece in schedule.pieces() {
        if thread != Some(piece.thread) {
            close_all(thread, &mut lanes, say)?;
            thread = Some(piece.thread);
            drawn = 0;
        }
        let on_cpu = piece
            .amounts
            .iter()
            .any(|(component, _)| is_cpu.get(usize::from(component.0)).copied().unwrap_or(false));
        let number = free_lane(&mut lanes, usize::from(!on_cpu), piece.window.start);
        let lane = Lane { thread: piece.thread, number };
        let Some(open) = lanes.get_mut(number) else { continue };
        say(lane, Change::Piece(piece, drawn))?;
        drawn += piece.sum();
        let start = open.end.map_or(piece.window.start, |end| end.max(piece.window.start));
        frames.stack_within(Payer::Path(piece.path), depth, &mut stack);
        let is_next = open.end == Some(start);
        let shared = if is_next {
            open.open.iter().zip(&stack).take_while(|(open, frame)| open.frame == **frame).count()
        } else {
            0
        };
        open.close(shared, |change| say(lane, change))?;
        for frame in stack.iter().skip(shared) {
            open.open.push(Open { frame: *frame, start, own: 0, total: 0 });
            say(lane, Change::Begin(*frame, start))?;
        }
        open.end = Some(start.max(piece.window.end));
        if let Some(innermost) = open.open.last_mut() {
            innermost.own += piece.sum();
            innermost.total += piece.sum();
        }
    }
    close_all(thread, &mut lanes, say)
}

/// The first lane that is free at the instant, else the last that there may be.
fn free_lane(lanes: &mut Vec<OpenLane>, first: usize, start: BootNanos) -> usize {
    // What ran on a CPU belongs on the thread's own track, even where its end is a little late.
    if first == 0 {
        if lanes.is_empty() {
            lanes.push(OpenLane::default());
        }
        return 0;
    }
    let free = (first..lanes.len()).find(|lane| lanes[*lane].end.is_none_or(|end| end <= start));
    let number = free.unwrap_or(lanes.len().max(first)).min(MOST_LANES - 1);
    while lanes.len() <= number {
        lanes.push(OpenLane::default());
    }
    number
}

fn close_all<'a>(
    thread: Option<u32>,
    lanes: &mut Vec<OpenLane>,
    say: &mut dyn FnMut(Lane, Change<'a>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let Some(thread) = thread else { return Ok(()) };
    for (number, mut lane) in lanes.drain(..).enumerate() {
        lane.close(0, |change| say(Lane { thread, number }, change))?;
    }
    Ok(())
}
