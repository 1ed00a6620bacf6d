//! Follows a method's code until the types of all registers at all places are known.

use super::code_checks::Shape;
use super::operands::{Check, Problem, Subject, problem};
use super::register_state::{Reach, State};
use super::register_transfer::Transfer;
use super::types::{Class, Kind, RegType};
use crate::{Opcode, TypeId};

/// Register types that one analysis may hold.
const MAX_CELLS: usize = 1 << 21;
/// Register types that are kept for the next method.
const KEPT_CELLS: usize = 1 << 16;
/// Register types that it may visit. Real methods need less than a thousandth.
const MAX_WORK: u64 = 1 << 31;

/// Results of following a method's code, besides that it is sound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Something can throw out of the method while a monitor is held.
    pub(crate) leaks_monitor: bool,
}

/// Memory that the analysis of one method leaves to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    shape: Shape,
    blocks: Blocks,
    state: State,
}

/// Points at which paths can meet, and the state known there.
#[derive(Debug, Default)]
struct Blocks {
    /// The number of the block that begins at each position, `NO_BLOCK` inside one.
    at: Vec<u32>,
    /// Those of the method, then memory of earlier ones that had more.
    list: Vec<Block>,
    /// The number of those of the method.
    count: usize,
}

#[derive(Debug, Default)]
struct Block {
    position: usize,
    /// Whether any path has come here; else the state is one of an earlier method.
    reached: bool,
    /// Whether the state has changed since the block was followed.
    dirty: bool,
    /// Whether it reads no register that it has not written: the types of the registers are of no use to it.
    is_closed: bool,
    state: State,
}

const NO_BLOCK: u32 = u32::MAX;
const BLOCK: u32 = u32::MAX - 1;

impl Workspace {
    /// Verifies the flow of a method's code.
    pub(crate) fn verify(&mut self, subject: &Subject<'_, '_>) -> Check<Facts> {
        self.shape.read(subject)?;
        let blocks = self.blocks.find(&self.shape)?;
        let cells = blocks.saturating_mul(usize::from(subject.code.registers));
        if cells > MAX_CELLS {
            return problem(
                "size",
                0,
                "a method that can be analysed in 32 MiB",
                format!("{blocks} blocks"),
            );
        }
        self.blocks.prepare(&self.shape, blocks);
        let mut flow = Flow {
            subject,
            shape: &self.shape,
            blocks: &mut self.blocks,
            first_dirty: 0,
            work: 0,
            leaks_monitor: false,
        };
        let result = flow.run(&mut self.state);
        let facts = Facts { leaks_monitor: flow.leaks_monitor };
        if cells > KEPT_CELLS {
            *self = Self::default();
        }
        result.map(|()| facts)
    }
}

impl Blocks {
    /// Marks the positions where paths can meet and counts them.
    fn find(&mut self, shape: &Shape) -> Check<usize> {
        self.at.clear();
        self.at.resize(shape.list.len(), NO_BLOCK);
        for (at, decoded) in &shape.list {
            if decoded.opcode.is_branch() {
                self.mark(shape.target("branch-target", *at, decoded.offset)?);
            }
        }
        for &position in shape.switches.iter().flat_map(|(_, targets)| targets) {
            self.mark(position);
        }
        for (&block, (at, decoded)) in self.at.iter().zip(&shape.list) {
            if block == BLOCK
                && (decoded.opcode.is_move_result() || decoded.opcode == Opcode::MOVE_EXCEPTION)
            {
                return problem("branch-target", *at, "no branch to it", decoded.opcode.name());
            }
        }
        self.mark(0);
        shape.handler_positions().for_each(|position| self.mark(position));
        Ok(self.at.iter().filter(|&&block| block == BLOCK).count())
    }

    fn mark(&mut self, position: usize) {
        if let Some(slot) = self.at.get_mut(position) {
            *slot = BLOCK;
        }
    }

    /// Numbers the marked positions; none is reached.
    fn prepare(&mut self, shape: &Shape, count: usize) {
        if self.list.len() < count {
            self.list.resize_with(count, Block::default);
        }
        let marked = self.at.iter_mut().zip(0..shape.list.len());
        let marked = marked.filter(|(block, _)| **block == BLOCK);
        for ((slot, position), (number, block)) in marked.zip((0..).zip(&mut self.list)) {
            *slot = number;
            block.position = position;
            (block.reached, block.dirty, block.is_closed) = (false, false, false);
        }
        self.count = count;
        for position in shape.handler_positions() {
            let is_closed = is_closed(shape, position);
            let block = self.number(position).and_then(|number| self.list.get_mut(number));
            if let Some(block) = block {
                block.is_closed = is_closed;
            }
        }
    }

    fn number(&self, position: usize) -> Option<usize> {
        let number = self.at.get(position).copied().filter(|&number| number < BLOCK);
        number.map(|number| number as usize)
    }
}

/// Instructions of a handler that are looked at; those that only report and throw again have fewer.
const MAX_CLOSED: usize = 8;

/// Whether a handler runs to its end without a branch, reads nothing but what it has written, holds no monitor and has no handler itself.
fn is_closed(shape: &Shape, position: usize) -> bool {
    let mut written = [u32::MAX; MAX_CLOSED];
    let mut next = None;
    for (slot, (at, decoded)) in (0..).zip(shape.list.iter().skip(position).take(MAX_CLOSED)) {
        let opcode = decoded.opcode;
        let is_simple = matches!(
            opcode,
            Opcode::MOVE_EXCEPTION
                | Opcode::CONST
                | Opcode::CONST_16
                | Opcode::CONST_4
                | Opcode::CONST_HIGH16
                | Opcode::CONST_STRING
                | Opcode::CONST_STRING_JUMBO
                | Opcode::INVOKE_STATIC
                | Opcode::INVOKE_STATIC_RANGE
                | Opcode::THROW
        );
        if !is_simple || shape.list_at(*at).is_some() || next.is_some_and(|next| next != *at) {
            return false;
        }
        let reads = opcode.is_invoke() || opcode == Opcode::THROW;
        if reads && decoded.registers.iter().any(|register| !written.contains(&register)) {
            return false;
        }
        if opcode == Opcode::THROW {
            return true;
        }
        if let Some(slot) = written.get_mut(slot).filter(|_| !reads) {
            *slot = decoded.registers.get(0);
        }
        next = Some(*at + decoded.units);
    }
    false
}

struct Flow<'f, 'v, 'a> {
    subject: &'f Subject<'v, 'a>,
    shape: &'f Shape,
    blocks: &'f mut Blocks,
    first_dirty: usize,
    work: u64,
    leaks_monitor: bool,
}

impl Flow<'_, '_, '_> {
    fn run(&mut self, state: &mut State) -> Check<()> {
        self.enter(state)?;
        self.join(0, 0, state, Reach::Everything)?;
        while let Some(number) = self.next_dirty() {
            self.block(number, state)?;
        }
        Ok(())
    }

    fn next_dirty(&mut self) -> Option<usize> {
        let rest = self.blocks.list.get_mut(self.first_dirty..self.blocks.count)?;
        let found = rest.iter().position(|block| block.dirty)?;
        rest.get_mut(found)?.dirty = false;
        self.first_dirty += found;
        Some(self.first_dirty)
    }

    /// Makes the frame at the method's start.
    fn enter(&self, state: &mut State) -> Check<()> {
        let (subject, code) = (self.subject, &self.subject.code);
        state.clear(code.registers);
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
        for parameter in subject.own_signature()?.parameters() {
            let parameter = parameter?;
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
        Ok(())
    }

    fn block(&mut self, number: usize, state: &mut State) -> Check<()> {
        let Some(block) = self.blocks.list.get(number) else { return Ok(()) };
        state.copy_from(&block.state);
        let mut position = block.position;
        let mut seen_by = None;
        loop {
            let Some(&(at, ref decoded)) = self.shape.list.get(position) else { return Ok(()) };
            self.work += u64::from(self.subject.code.registers) + 1;
            if self.work > MAX_WORK {
                return problem(
                    "size",
                    at,
                    "a method that can be analysed in bounded time",
                    "a larger one",
                );
            }
            // A monitor counts as released when its release throws.
            if decoded.opcode.can_throw() && decoded.opcode != Opcode::MONITOR_EXIT {
                self.throws(at, state, &mut seen_by)?;
            }
            Transfer { subject: self.subject, shape: self.shape, position, at, decoded }
                .apply(state)?;
            if decoded.opcode.is_branch() {
                let target = self.shape.target("branch-target", at, decoded.offset)?;
                self.join(at, target, state, Reach::Everything)?;
            }
            let shape = self.shape;
            if decoded.opcode.is_switch()
                && let Ok(index) = shape.switches.binary_search_by_key(&position, |(it, _)| *it)
                && let Some((_, targets)) = shape.switches.get(index)
            {
                for &target in targets {
                    self.join(at, target, state, Reach::Everything)?;
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
            if self.blocks.number(position).is_some() {
                return self.join(at, position, state, Reach::Everything);
            }
        }
    }

    /// The handlers see the frame as it was before the instruction. Those that saw it in this block already
    /// (`seen_by`) only need what was written since.
    fn throws(&mut self, at: u32, state: &mut State, seen_by: &mut Option<usize>) -> Check<()> {
        let shape = self.shape;
        let list = shape.list_at(at);
        let handlers = shape.handlers(list);
        self.leaks_monitor |= state.depth > 0 && handlers.iter().all(|(ty, _)| ty.is_some());
        if list.is_none() {
            return Ok(());
        }
        let reach = if *seen_by == list { Reach::Written } else { Reach::Everything };
        if reach == Reach::Written && !state.has_changed() {
            return Ok(());
        }
        if reach == Reach::Everything {
            self.work += handlers.len() as u64 * u64::from(self.subject.code.registers);
        }
        for &(_, position) in handlers {
            self.join(at, position, state, reach)?;
        }
        *seen_by = list;
        state.forget_written();
        Ok(())
    }

    fn join(&mut self, from: u32, position: usize, state: &State, reach: Reach) -> Check<()> {
        let hierarchy = self.subject.hierarchy;
        let join = |a: TypeId, b: TypeId| hierarchy.join(a, b);
        let Some(number) = self.blocks.number(position) else { return Ok(()) };
        let Some(block) = self.blocks.list.get_mut(number) else { return Ok(()) };
        let changed = if block.reached {
            let known = &mut block.state;
            let reach = if block.is_closed { Reach::Nothing } else { reach };
            known.merge(state, reach, &join).ok_or_else(|| {
                Box::new(Problem {
                    rule: "monitor-merge",
                    unit: from,
                    expected: format!("{} monitors held, as on other paths", known.depth),
                    found: state.depth.to_string(),
                })
            })?
        } else {
            block.reached = true;
            if block.is_closed {
                block.state.copy_shape(state);
            } else {
                block.state.copy_from(state);
            }
            true
        };
        if changed {
            block.dirty = true;
            self.first_dirty = self.first_dirty.min(number);
        }
        Ok(())
    }
}
