//! Which frames want a name.

use rustc_hash::FxHashMap;
use wattle_timeline::{FrameAddress, FrameKind, NameId, StackSamples};

use crate::Lookup;

/// A frame as it stands in stacks: one that calls another of them holds where the call returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FrameUse {
    /// Index into [`StackSamples::frames`].
    pub(crate) frame: u32,
    /// Whether it stands in the place of a caller.
    pub(crate) is_return: bool,
}

/// A frame without a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) at: FrameUse,
    pub(crate) lookup: Lookup,
    /// How often it is in the stacks of samples.
    pub(crate) count: u64,
}

/// All frames, and those without a name by what they are mapped from.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// How each call site uses its frame, in order of [`StackSamples::sites`].
    pub(crate) uses: Vec<FrameUse>,
    /// Frames without a name and with an address, each once.
    pub(crate) by_mapping: Vec<(Option<NameId>, Vec<Request>)>,
}

impl Requests {
    pub(crate) fn of(samples: &StackSamples) -> Self {
        let uses = uses(samples);
        let mut counts: FxHashMap<FrameUse, u64> = FxHashMap::default();
        for (at, count) in uses.iter().zip(site_counts(samples)) {
            *counts.entry(*at).or_default() += count;
        }
        let mut by_mapping: FxHashMap<Option<NameId>, Vec<Request>> = FxHashMap::default();
        for (at, count) in &counts {
            let Some(frame) = samples.frames.get(at.frame as usize) else { continue };
            if frame.function.is_none() && frame.address != FrameAddress::Unknown {
                let lookup = Lookup { address: frame.address, is_return: at.is_return };
                let request = Request { at: *at, lookup, count: *count };
                by_mapping.entry(frame.mapping).or_default().push(request);
            }
        }
        let mut by_mapping: Vec<_> = by_mapping.into_iter().collect();
        by_mapping.sort_by_key(|(mapping, _)| *mapping);
        for (_, requests) in &mut by_mapping {
            requests.sort_by_key(|request| request.at);
        }
        Self { uses, by_mapping }
    }
}

/// How each site uses its frame. What the kernel interrupted stands where it was, not where a call returns to.
fn uses(samples: &StackSamples) -> Vec<FrameUse> {
    let is_kernel = |frame: u32| {
        samples.frames.get(frame as usize).is_some_and(|it| it.kind == FrameKind::Kernel)
    };
    let of = |frame| FrameUse { frame, is_return: false };
    let mut uses: Vec<FrameUse> = samples.sites.iter().map(|site| of(site.frame)).collect();
    for site in &samples.sites {
        let Some(caller) = site.caller.and_then(|caller| uses.get_mut(caller as usize)) else {
            continue;
        };
        // An inlined frame shares its caller's address and is no call.
        let is_inlined = samples.frames.get(site.frame as usize).is_some_and(|frame| frame.inlined);
        if is_kernel(site.frame) == is_kernel(caller.frame) && !is_inlined {
            caller.is_return = true;
        }
    }
    uses
}

/// How many stacks of samples go through each site; stacks without times count once.
fn site_counts(samples: &StackSamples) -> Vec<u64> {
    let mut counts = vec![0_u64; samples.sites.len()];
    let innermost = samples.samples.iter().map(|sample| sample.site);
    for site in innermost.chain(samples.totals.iter().map(|total| total.site)).flatten() {
        if let Some(count) = counts.get_mut(site as usize) {
            *count += 1;
        }
    }
    // Callers come first, so from the end each site is complete when its caller gets it.
    for index in (0..counts.len()).rev() {
        let caller = samples.sites.get(index).and_then(|site| site.caller);
        let Some(caller) = caller.filter(|caller| (*caller as usize) < index) else { continue };
        let count = counts.get(index).copied().unwrap_or_default();
        if let Some(sum) = counts.get_mut(caller as usize) {
            *sum += count;
        }
    }
    counts
}
