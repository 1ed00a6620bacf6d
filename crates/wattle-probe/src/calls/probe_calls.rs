//! Probes around calls.
//!
//! ```text
//!         const v3, 17               free before the call, so none of the call's handlers reads it
//!         invoke-static {v3} call    the call's own handlers cover this
//!   .try  invoke-virtual {…} m
//!   .end                             catch all: landing
//!         move-result v0
//!         invoke-static {} back
//!         …
//! landing:                           one for all calls with the same handlers, which cover it too
//!         move-exception v5
//!         invoke-static {} fail
//!         throw v5
//! ```
//!
//! Code in front of a call and in the landing may be covered by the call's handlers: they see the frame
//! that they saw before, but for a register that they do not read. What stands behind must not, if a handler
//! reads what the result overwrites. Yet while a monitor is held everything has to be covered by a handler of
//! everything, or the runtime no longer proves that monitors are released; so where a body has monitors, the
//! call's own handler of everything is kept. If just that one reads what the result overwrites, the result waits in
//! another register until the probe is over.
//!
//! Calls with the same handlers hold the same number of monitors, where the body is sound and
//! [`wattle_dex::Verifier::leaks_monitor`] does not hold: a common handler is reached by both, and without handler
//! none is held. So they can share a landing.

use wattle_dex::{
    ArgumentKind, Code, DexError, Instruction, Label, Node, Opcode, Operand, Result, TryBlock,
};

use super::call_plan::{Landing, Plan, Planner, end_of_call};
use super::cover::{CoverId, Covers};
use super::probe_nodes::one;
use super::scratch::Scratch;
use super::{CallRefusal, CallSite, InsertedCalls, Probe};

/// Calls of one method that get probes: each takes two try ranges, of which the format has 65535.
const MAX_SITES: usize = 16_000;

/// Puts probes around calls of a body. `sites` are in ascending order, each once.
///
/// If no register of the frame is free, the probes use the one or two that follow the frame's last: the caller then
/// has to call [`Code::grow_frame`], which gives exactly these first ([`InsertedCalls::needs_registers`]).
///
/// `receiver` is a register that is never overwritten, even if nothing reads it any more: that of `this`, which is
/// the first argument's. Before Android 6 the verifier takes it for granted that this register keeps its type, and
/// before Android 10 a debugger reads `this` from it whatever the code does (R8, `InternalOptions`:
/// `canHaveThisTypeVerifierBug`, `canHaveThisJitCodeDebuggingBug`). `None` in static methods, and where only
/// later versions matter.
///
/// The body must be sound and must not leak monitors. Lines of stack traces stay as they are. An error where a
/// site is no call, or a label of the body is not placed.
pub fn probe_calls(
    code: &mut Code,
    sites: &[CallSite],
    receiver: Option<u16>,
) -> Result<InsertedCalls> {
    if let Some(pair) = sites.windows(2).find(|pair| pair[0].node >= pair[1].node) {
        return Err(DexError::Edit {
            subject: "method body",
            expected: "calls in ascending order, each once".into(),
            found: format!("nodes {} and {}", pair[0].node, pair[1].node),
        });
    }
    let ends = sites.iter().map(|site| end_of_call(code, site.node)).collect::<Result<Vec<_>>>()?;
    let too_many = |sites: &[CallSite]| {
        let left_out = sites.iter().map(|site| (site.node, CallRefusal::TooMany)).collect();
        InsertedCalls { left_out, ..InsertedCalls::default() }
    };
    if sites.len() > MAX_SITES {
        return Ok(too_many(sites));
    }
    // Both in one ascending list: a call and its end have no other call between them.
    let nodes: Vec<usize> =
        sites.iter().zip(&ends).flat_map(|(site, end)| [site.node, end.node]).collect();
    let Some((mut covers, ids)) = Covers::new(code, &nodes)? else { return Ok(too_many(sites)) };
    let has_operand = |probe: Option<Probe>| probe.is_some_and(Probe::has_operand);
    let takes = |it: &CallSite| it.probes.back.is_some() && it.probes.moved.is_some();
    let analyse = !covers.is_empty()
        || sites
            .iter()
            .any(|it| has_operand(it.probes.call) || has_operand(it.probes.back) || takes(it));
    let mut scratch = Scratch::new(code, receiver, analyse)?;
    covers.analyse(code, scratch.liveness())?;
    let mut planner = Planner::new(code, &covers, &mut scratch);
    let mut done = InsertedCalls::default();
    let mut plans = Vec::with_capacity(sites.len());
    for ((site, end), ids) in sites.iter().zip(ends).zip(ids.chunks_exact(2)) {
        match planner.plan(site, end, ids[0], ids[1])? {
            Ok(plan) => plans.push(plan),
            Err(reason) => done.left_out.push((site.node, reason)),
        }
    }
    let landings = planner.landings;
    done.probed = plans.len();
    done.needs_registers = scratch.gained;
    insert(code, &plans, &covers, landings)?;
    Ok(done)
}

fn insert(code: &mut Code, plans: &[Plan], covers: &Covers, landings: Vec<Landing>) -> Result<()> {
    if plans.is_empty() {
        return Ok(());
    }
    let old = std::mem::take(&mut code.nodes);
    code.nodes.reserve(old.len() + plans.len() * 8 + landings.len() * 5);
    let mut inner = Vec::new();
    let mut cuts = Vec::new();
    let mut plans = plans.iter().peekable();
    for (index, mut node) in old.into_iter().enumerate() {
        let Some(plan) = plans.peek().filter(|plan| plan.node <= index && index <= plan.end) else {
            code.nodes.push(node);
            continue;
        };
        let landing = plan.landing.and_then(|landing| landings.get(landing));
        let mut rest = None;
        if index == plan.end {
            rest = plan.detour.and_then(|register| take_detour(&mut node, register));
        }
        match landing.filter(|_| index == plan.node) {
            Some(landing) => {
                let (start, end) = (code.new_label(), code.new_label());
                code.nodes.extend(call_probe(plan)?);
                code.nodes.extend([Node::Label(start), node, Node::Label(end)]);
                inner.push(catch_all(start, end, landing.label));
            }
            None if index == plan.node => {
                code.nodes.extend(call_probe(plan)?);
                code.nodes.push(node);
            }
            None => code.nodes.push(node),
        }
        if index < plan.end {
            continue;
        }
        if let Some((probe, register)) = plan.behind {
            code.nodes.extend(plan.takes.map(|opcode| one(opcode, register, Operand::None)));
            let borders = (plan.cut.is_some() || plan.catch_all.is_some())
                .then(|| (code.new_label(), code.new_label()));
            code.nodes.extend(borders.map(|(start, _)| Node::Label(start)));
            code.nodes.extend(probe.nodes(register)?);
            code.nodes.extend(borders.map(|(_, end)| Node::Label(end)));
            if let Some((start, end)) = borders {
                cuts.extend(plan.cut.map(|cover| (cover, start, end)));
                inner.extend(plan.catch_all.map(|label| catch_all(start, end, label)));
            }
        }
        code.nodes.extend(rest);
        plans.next();
    }
    for landing in landings {
        let (start, end) = (landing.label, code.new_label());
        let covering = covers.get(landing.cover).map(|cover| cover.blocks.as_slice());
        for block in covering.unwrap_or_default() {
            if let Some(block) = code.tries.get(*block) {
                inner.push(TryBlock { start, end, ..block.clone() });
            }
        }
        let fail = Instruction::calling(Opcode::INVOKE_STATIC, Operand::Method(landing.fail), &[])?;
        code.nodes.extend([
            Node::Label(start),
            one(Opcode::MOVE_EXCEPTION, landing.register, Operand::None),
            Node::Instruction(fail),
            one(Opcode::THROW, landing.register, Operand::None),
            Node::Label(end),
        ]);
    }
    cut_tries(code, covers, &cuts);
    code.tries.splice(0..0, inner);
    Ok(())
}

fn call_probe(plan: &Plan) -> Result<impl Iterator<Item = Node>> {
    let probe = plan.probes.call.map(|probe| probe.nodes(plan.call_register)).transpose()?;
    Ok(probe.into_iter().flatten())
}

/// Lets a `move-result` write another register; the move that then brings the result to its own.
fn take_detour(node: &mut Node, register: u16) -> Option<Node> {
    let Node::Instruction(result) = node else { return None };
    let kind = match result.opcode {
        Opcode::MOVE_RESULT_OBJECT => ArgumentKind::Reference,
        _ => ArgumentKind::Single,
    };
    let own = u16::try_from(result.registers.get(0)).ok()?;
    result.registers = result.registers.map(|_| register);
    Some(Node::Instruction(Instruction::moving(kind, own, register)))
}

/// Takes what lies between labels out of the try blocks that cover it.
fn cut_tries(code: &mut Code, covers: &Covers, cuts: &[(CoverId, Label, Label)]) {
    if cuts.is_empty() {
        return;
    }
    let mut tries: Vec<(usize, TryBlock)> = Vec::with_capacity(code.tries.len() + cuts.len());
    for &(cover, start, end) in cuts {
        for &block in covers.get(cover).into_iter().flat_map(|cover| &cover.blocks) {
            if let Some(rest) = code.tries.get_mut(block) {
                tries.push((block, TryBlock { end: start, ..rest.clone() }));
                rest.start = end;
            }
        }
    }
    tries.extend(code.tries.drain(..).enumerate());
    tries.sort_by_key(|&(block, _)| block);
    code.tries.extend(tries.into_iter().map(|(_, block)| block));
}

fn catch_all(start: Label, end: Label, handler: Label) -> TryBlock {
    TryBlock { start, end, typed: Vec::new(), catch_all: Some(handler) }
}
