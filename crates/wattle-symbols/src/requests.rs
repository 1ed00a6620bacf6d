//! Which frames want a name.

use rustc_hash::FxHashMap;
use wattle_timeline::{FrameAddress, FrameKind, NameId, StackSamples};

/// A frame without a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Index into [`StackSamples::frames`].
    pub(crate) frame: u32,
    /// The address: of a caller that of its call, not of the place that it returns to. Readers see to that.
    pub(crate) address: FrameAddress,
    pub(crate) kind: FrameKind,
    /// The number of times it is in the stacks of samples.
    pub(crate) count: u64,
}

/// The frames without a name and with an address, by what they are mapped from.
pub(crate) fn requests(samples: &StackSamples) -> Vec<(Option<NameId>, Vec<Request>)> {
    let mut counts = vec![0_u64; samples.frames.len()];
    for (site, count) in samples.sites.iter().zip(site_counts(samples)) {
        if let Some(sum) = counts.get_mut(site.frame as usize) {
            *sum += count;
        }
    }
    let mut by_mapping: FxHashMap<Option<NameId>, Vec<Request>> = FxHashMap::default();
    for ((number, frame), count) in (0..).zip(&samples.frames).zip(counts) {
        if frame.function.is_none() && frame.address != FrameAddress::Unknown {
            let request =
                Request { frame: number, address: frame.address, kind: frame.kind, count };
            by_mapping.entry(frame.mapping).or_default().push(request);
        }
    }
    let mut by_mapping: Vec<_> = by_mapping.into_iter().collect();
    by_mapping.sort_by_key(|(mapping, _)| *mapping);
    by_mapping
}

/// The number of stacks of samples through each site; stacks without times count once.
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
