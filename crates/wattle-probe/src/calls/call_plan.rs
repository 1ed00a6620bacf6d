//! The treatment of each call of a body.

use rustc_hash::FxHashMap;
use wattle_dex::{Code, DexError, Label, MethodId, Node, Opcode, Result};

use super::cover::{Cover, CoverId, Covers};
use super::scratch::{LowRegisters, Scratch};
use super::{CallProbes, CallRefusal, CallSite, CallValue, Probe, ProbeOperand};

/// Try blocks and caught types that may be added to one method.
const MAX_ADDED: usize = 1 << 18;

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallEnd {
    /// Its `move-result`, else the call itself.
    pub(super) node: usize,
    /// The register that the call writes: the result's, and whether the next is its upper half.
    result: Option<(u32, bool)>,
    /// The object that a constructor call makes usable.
    made: Option<u32>,
}

impl CallEnd {
    fn writes(self) -> impl Iterator<Item = u32> {
        let result = self.result.into_iter();
        let halves = result.flat_map(|(low, wide)| [Some(low), wide.then_some(low + 1)]);
        halves.flatten().chain(self.made)
    }
}

pub(super) fn end_of_call(code: &Code, node: usize) -> Result<CallEnd> {
    let call = match code.nodes.get(node) {
        Some(Node::Instruction(call)) if call.opcode.is_invoke() => call,
        other => {
            return Err(DexError::Edit {
                subject: "method body",
                expected: format!("a call at node {node}"),
                found: format!("{other:?}"),
            });
        }
    };
    let is_direct = matches!(call.opcode, Opcode::INVOKE_DIRECT | Opcode::INVOKE_DIRECT_RANGE);
    let made = is_direct.then(|| call.registers.get(0));
    let rest = code.nodes.iter().enumerate().skip(node + 1);
    let next = rest.into_iter().find_map(|(at, node)| match node {
        Node::Instruction(instruction) => Some((at, instruction)),
        Node::Label(_) | Node::Debug(_) => None,
    });
    Ok(match next {
        Some((at, next)) if next.opcode.is_move_result() => {
            CallEnd { node: at, result: next.written(), made }
        }
        _ => CallEnd { node, result: None, made },
    })
}

/// The register of a call's argument.
fn argument(code: &Code, node: usize, word: u16) -> Option<u16> {
    let Some(Node::Instruction(call)) = code.nodes.get(node) else { return None };
    let is_static = matches!(call.opcode, Opcode::INVOKE_STATIC | Opcode::INVOKE_STATIC_RANGE);
    let at = usize::from(word) + usize::from(!is_static);
    (at < call.registers.len()).then(|| u16::try_from(call.registers.get(at)).ok()).flatten()
}

/// The treatment of one call.
pub(super) struct Plan {
    pub(super) node: usize,
    pub(super) end: usize,
    pub(super) probes: CallProbes,
    pub(super) call_register: u16,
    /// The code behind the call, and the register that it uses.
    pub(super) behind: Option<(Probe, u16)>,
    /// Takes the result, of which nothing is done otherwise, into that register.
    pub(super) takes: Option<Opcode>,
    pub(super) landing: Option<usize>,
    /// The handlers that must not cover what stands behind the call.
    pub(super) cut: Option<CoverId>,
    /// The handler that has to.
    pub(super) catch_all: Option<Label>,
    /// The place of the result until that handler covers nothing more.
    pub(super) detour: Option<u16>,
}

/// The handlers of exceptions that calls throw.
pub(super) struct Landing {
    pub(super) cover: CoverId,
    pub(super) register: u16,
    pub(super) fail: MethodId,
    pub(super) label: Label,
}

/// Decides what is done at each call.
pub(super) struct Planner<'p> {
    code: &'p mut Code,
    covers: &'p Covers,
    scratch: &'p mut Scratch,
    has_monitors: bool,
    pub(super) landings: Vec<Landing>,
    known: FxHashMap<(MethodId, CoverId), usize>,
    alike: FxHashMap<(MethodId, Vec<usize>), usize>,
    /// Try blocks and caught types that landings and cuts add.
    added: usize,
}

/// A plan, or why there is none.
type Planned<T> = Result<std::result::Result<T, CallRefusal>>;

impl<'p> Planner<'p> {
    pub(super) fn new(code: &'p mut Code, covers: &'p Covers, scratch: &'p mut Scratch) -> Self {
        let has_monitors = code.instructions().any(|it| it.opcode == Opcode::MONITOR_ENTER);
        Self {
            has_monitors,
            code,
            covers,
            scratch,
            landings: Vec::new(),
            known: FxHashMap::default(),
            alike: FxHashMap::default(),
            added: 0,
        }
    }

    pub(super) fn plan(
        &mut self,
        site: &CallSite,
        end: CallEnd,
        before: CoverId,
        behind: CoverId,
    ) -> Planned<Plan> {
        let mut plan = Plan {
            node: site.node,
            end: end.node,
            probes: site.probes,
            call_register: 0,
            behind: None,
            takes: None,
            landing: None,
            cut: None,
            catch_all: None,
            detour: None,
        };
        let (Some(at_call), Some(at_end)) = (self.covers.get(before), self.covers.get(behind))
        else {
            return Ok(Err(CallRefusal::TooMany));
        };
        if site.probes.call.is_some_and(Probe::has_operand) {
            match self.scratch.before(self.code, site.node, at_call.needed)? {
                Some(register) => plan.call_register = register,
                None => return Ok(Err(CallRefusal::Registers)),
            }
        }
        if let Some(back) = site.probes.back {
            let mut needed = LowRegisters::default();
            let read = |it: u32| at_end.needed.contains(it);
            if end.writes().any(read) || self.has_monitors && before != behind {
                plan.cut = (behind != CoverId::NONE).then_some(behind);
                self.added += at_end.blocks.len();
                if self.added > MAX_ADDED {
                    return Ok(Err(CallRefusal::TooMany));
                }
                plan.catch_all = at_call.catch_all.filter(|_| self.has_monitors);
                if plan.catch_all.is_some() {
                    needed = at_call.catch_all_needs;
                    if end.writes().any(|it| needed.contains(it)) {
                        match self.detour(end, needed)? {
                            Some(register) => plan.detour = Some(register),
                            None => return Ok(Err(CallRefusal::Monitor)),
                        }
                    }
                }
            } else {
                needed = at_end.needed;
            }
            plan.detour.into_iter().for_each(|register| needed.insert(register));
            if let Some(moved) = site.probes.moved {
                self.moved(&mut plan, moved, end, needed)?;
            }
            if plan.behind.is_none() {
                let Some(register) = self.operand_register(&plan, back, needed)? else {
                    return Ok(Err(CallRefusal::Registers));
                };
                plan.behind = Some((back, register));
            }
        }
        if let Some(fail) = site.probes.fail {
            match self.landing(fail, before, at_call) {
                Ok(landing) => plan.landing = Some(landing),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok(plan))
    }

    /// A register for what a probe behind a call loads; any where it loads nothing.
    fn operand_register(
        &mut self,
        plan: &Plan,
        probe: Probe,
        needed: LowRegisters,
    ) -> Result<Option<u16>> {
        if !probe.has_operand() {
            return Ok(Some(0));
        }
        let found = self.scratch.before(self.code, plan.end + 1, needed)?;
        // The register that the frame gains may hold the result.
        Ok(found.filter(|&register| Some(register) != plan.detour))
    }

    /// Puts a probe behind the call that tells how many bytes it moved, where that can be had.
    fn moved(
        &mut self,
        plan: &mut Plan,
        probe: Probe,
        end: CallEnd,
        needed: LowRegisters,
    ) -> Result<()> {
        let register = match probe.operand {
            ProbeOperand::Value(CallValue::Result(opcode)) => {
                self.result_register(plan, opcode, end, needed)?
            }
            ProbeOperand::Value(CallValue::Argument(word)) => argument(self.code, plan.node, word)
                .filter(|&register| {
                    plan.detour != Some(register)
                        && end.writes().all(|written| written != u32::from(register))
                }),
            _ => self.operand_register(plan, probe, needed)?,
        };
        plan.behind = register.map(|register| (probe, register));
        Ok(())
    }

    /// The register of a call's result behind it. A result that nobody takes is taken.
    fn result_register(
        &mut self,
        plan: &mut Plan,
        opcode: Opcode,
        end: CallEnd,
        needed: LowRegisters,
    ) -> Result<Option<u16>> {
        let is_pair = opcode == Opcode::MOVE_RESULT_WIDE;
        if let Some((register, wide)) = end.result {
            let own = u16::try_from(register).ok();
            return Ok(plan.detour.or(own).filter(|_| wide == is_pair));
        }
        let after = end.node + 1;
        let taken = if is_pair {
            self.scratch.pair_before(self.code, after, needed)?
        } else {
            self.scratch.before(self.code, after, needed)?
        };
        plan.takes = taken.map(|_| opcode);
        Ok(taken)
    }

    /// A register for the result to wait in, so that a handler finds the one that it reads unchanged.
    fn detour(&mut self, end: CallEnd, needed: LowRegisters) -> Result<Option<u16>> {
        let is_pair = end.result.is_none_or(|(_, wide)| wide);
        if is_pair || end.made.is_some_and(|made| needed.contains(made)) {
            return Ok(None);
        }
        self.scratch.before(self.code, end.node + 1, needed)
    }

    fn landing(
        &mut self,
        fail: MethodId,
        id: CoverId,
        cover: &Cover,
    ) -> std::result::Result<usize, CallRefusal> {
        if let Some(&known) = self.known.get(&(fail, id)) {
            return Ok(known);
        }
        let key = (fail, self.covers.catches(cover));
        let number = if let Some(&number) = self.alike.get(&key) {
            number
        } else {
            let blocks = cover.blocks.iter().filter_map(|&block| self.code.tries.get(block));
            self.added += blocks.map(|block| block.typed.len() + 1).sum::<usize>();
            if self.added > MAX_ADDED {
                return Err(CallRefusal::TooMany);
            }
            let register = self.scratch.outside(cover.needed).ok_or(CallRefusal::Registers)?;
            let label = self.code.new_label();
            self.landings.push(Landing { cover: id, register, fail, label });
            self.alike.insert(key, self.landings.len() - 1);
            self.landings.len() - 1
        };
        self.known.insert((fail, id), number);
        Ok(number)
    }
}
