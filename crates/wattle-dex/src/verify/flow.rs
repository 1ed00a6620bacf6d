//! Follows a method's code until the types of all registers at all places are known.

use super::code::Shape;
use super::operands::{Check, Problem, Subject, problem};
use super::state::State;
use super::transfer::Transfer;
use super::types::{Class, Kind, RegType};
use crate::{Opcode, TypeId};

/// Register types that one analysis may hold.
const MAX_CELLS: usize = 1 << 21;
/// Register types that it may visit. Real methods need less than a thousandth.
const MAX_WORK: u64 = 1 << 31;

/// What following a method's code has shown, besides that it is sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Something can throw out of the method while a monitor is held.
    pub(crate) leaks_monitor: bool,
}

/// Verifies the flow of a method's code.
pub(crate) fn verify(subject: &Subject<'_, '_>) -> Check<Facts> {
    let shape = Shape::of(subject)?;
    let starts = block_starts(&shape)?;
    let blocks = starts.iter().filter(|&&start| start).count();
    if blocks.saturating_mul(usize::from(subject.code.registers)) > MAX_CELLS {
        return problem(
            "size",
            0,
            "a method that can be analysed in 32 MiB",
            format!("{blocks} blocks"),
        );
    }
    let mut flow = Flow {
        subject,
        shape: &shape,
        starts,
        states: vec![None; shape.list.len()],
        dirty: vec![false; shape.list.len()],
        first_dirty: 0,
        work: 0,
        leaks_monitor: false,
    };
    flow.run()?;
    Ok(Facts { leaks_monitor: flow.leaks_monitor })
}

/// Positions where paths can meet.
fn block_starts(shape: &Shape) -> Check<Vec<bool>> {
    let mut starts = vec![false; shape.list.len()];
    for &(at, decoded) in &shape.list {
        if decoded.opcode.is_branch() {
            mark(&mut starts, shape.target("branch-target", at, decoded.offset)?);
        }
    }
    for &position in shape.switches.iter().flat_map(|(_, targets)| targets) {
        mark(&mut starts, position);
    }
    for (&branched, &(at, decoded)) in starts.iter().zip(&shape.list) {
        if branched && (decoded.opcode.is_move_result() || decoded.opcode == Opcode::MOVE_EXCEPTION)
        {
            return problem("branch-target", at, "no branch to it", decoded.opcode.name());
        }
    }
    mark(&mut starts, 0);
    shape.handler_positions().for_each(|position| mark(&mut starts, position));
    Ok(starts)
}

fn mark(starts: &mut [bool], position: usize) {
    if let Some(slot) = starts.get_mut(position) {
        *slot = true;
    }
}

struct Flow<'f, 'v, 'a> {
    subject: &'f Subject<'v, 'a>,
    shape: &'f Shape,
    starts: Vec<bool>,
    states: Vec<Option<Box<State>>>,
    dirty: Vec<bool>,
    first_dirty: usize,
    work: u64,
    leaks_monitor: bool,
}

impl Flow<'_, '_, '_> {
    fn run(&mut self) -> Check<()> {
        let entry = self.entry()?;
        self.join(0, 0, &entry)?;
        while let Some(position) = self.next_dirty() {
            self.block(position)?;
        }
        Ok(())
    }

    fn next_dirty(&mut self) -> Option<usize> {
        let rest = self.dirty.get(self.first_dirty..)?;
        let position = self.first_dirty + rest.iter().position(|&dirty| dirty)?;
        self.first_dirty = position;
        *self.dirty.get_mut(position)? = false;
        Some(position)
    }

    /// The frame at the method's start.
    fn entry(&self) -> Check<State> {
        let (subject, code) = (self.subject, &self.subject.code);
        let mut state = State::new(code.registers);
        let mut register = u32::from(code.registers - code.ins);
        if !subject.is_static() {
            let is_object = subject.hierarchy.superclass(subject.class).is_none();
            if subject.is_constructor() && !is_object {
                state.set(register, RegType::NewThis);
                state.this_ready = false;
            } else {
                state.set(register, RegType::Reference(Class::Of(subject.class)));
            }
            register += 1;
        }
        for parameter in subject.own_signature()?.parameters {
            if let Some(wide) = parameter.kind.wide() {
                state.set_pair(register, wide);
                register += 2;
            } else {
                let value = match parameter.kind {
                    Kind::Reference => RegType::Reference(parameter.class()),
                    kind => kind.register(),
                };
                state.set(register, value);
                register += 1;
            }
        }
        Ok(state)
    }

    fn block(&mut self, start: usize) -> Check<()> {
        let Some(Some(state)) = self.states.get(start) else { return Ok(()) };
        let mut state = (**state).clone();
        let mut position = start;
        loop {
            let Some(&(at, decoded)) = self.shape.list.get(position) else { return Ok(()) };
            self.work += u64::from(self.subject.code.registers) + 1;
            if self.work > MAX_WORK {
                return problem(
                    "size",
                    at,
                    "a method that can be analysed in bounded time",
                    "a larger one",
                );
            }
            self.throws(at, decoded.opcode, &state)?;
            Transfer { subject: self.subject, shape: self.shape, position, at, decoded: &decoded }
                .apply(&mut state)?;
            if decoded.opcode.is_branch() {
                let target = self.shape.target("branch-target", at, decoded.offset)?;
                self.join(at, target, &state)?;
            }
            if decoded.opcode.is_switch()
                && let Ok(index) =
                    self.shape.switches.binary_search_by_key(&position, |(it, _)| *it)
                && let Some((_, targets)) = self.shape.switches.get(index)
            {
                for &target in targets {
                    self.join(at, target, &state)?;
                }
            }
            if !decoded.opcode.can_continue() {
                return Ok(());
            }
            position += 1;
            // Payloads in the middle of code cannot be run into.
            if self.shape.list.get(position).is_none_or(|&(next, _)| next != at + decoded.units) {
                return problem(
                    "runs-off",
                    at,
                    "code that does not run into a payload",
                    decoded.opcode.name(),
                );
            }
            if self.starts.get(position) == Some(&true) {
                return self.join(at, position, &state);
            }
        }
    }

    /// The handlers see the frame as it was before the instruction.
    fn throws(&mut self, at: u32, opcode: Opcode, state: &State) -> Check<()> {
        // A monitor counts as released when its release throws.
        if !opcode.can_throw() || opcode == Opcode::MONITOR_EXIT {
            return Ok(());
        }
        let shape = self.shape;
        let handlers = shape.handlers_at(at);
        self.leaks_monitor |= state.depth > 0 && handlers.iter().all(|(ty, _)| ty.is_some());
        self.work += handlers.len() as u64 * u64::from(self.subject.code.registers);
        for &(_, position) in handlers {
            self.join(at, position, state)?;
        }
        Ok(())
    }

    fn join(&mut self, from: u32, position: usize, state: &State) -> Check<()> {
        let hierarchy = self.subject.hierarchy;
        let join = |a: TypeId, b: TypeId| hierarchy.join(a, b);
        let Some(slot) = self.states.get_mut(position) else { return Ok(()) };
        let changed = match slot {
            None => {
                *slot = Some(Box::new(state.clone()));
                true
            }
            Some(known) => known.merge(state, &join).ok_or_else(|| Problem {
                rule: "monitor-merge",
                unit: from,
                expected: format!("{} monitors held, as on other paths", known.depth),
                found: state.depth.to_string(),
            })?,
        };
        if changed && let Some(dirty) = self.dirty.get_mut(position) {
            *dirty = true;
            self.first_dirty = self.first_dirty.min(position);
        }
        Ok(())
    }
}
