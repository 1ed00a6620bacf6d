//! The tree of call sites, with frames put in the place of others.

use rustc_hash::FxHashMap;
use wattle_timeline::{CallSite, Frame, StackSamples};

/// The functions in the place of a frame, by its number, the outermost first.
pub(crate) type Replacements = FxHashMap<u32, Vec<Frame>>;

/// Frames and call sites, each once.
#[derive(Default)]
struct Tree {
    frames: Vec<Frame>,
    sites: Vec<CallSite>,
    frame_numbers: FxHashMap<Frame, u32>,
    site_numbers: FxHashMap<CallSite, u32>,
}

impl Tree {
    /// The site of a frame that a caller calls. Where there are more sites than have numbers it is the caller itself.
    fn site(&mut self, caller: Option<u32>, frame: Frame) -> Option<u32> {
        let next = u32::try_from(self.frames.len()).ok()?;
        let frame = *self.frame_numbers.entry(frame).or_insert_with(|| {
            self.frames.push(frame);
            next
        });
        let site = CallSite { caller, frame };
        let Ok(next) = u32::try_from(self.sites.len()) else { return caller };
        let number = self.site_numbers.entry(site).or_insert_with(|| {
            self.sites.push(site);
            next
        });
        Some(*number)
    }
}

/// Builds the tree anew: each frame that has something in its place becomes that, all others stay.
pub(crate) fn replace(samples: &mut StackSamples, by: &Replacements) {
    if by.is_empty() {
        return;
    }
    let mut tree = Tree::default();
    let mut numbers: Vec<Option<u32>> = Vec::with_capacity(samples.sites.len());
    for site in &samples.sites {
        let caller = site.caller.and_then(|caller| numbers.get(caller as usize).copied().flatten());
        let old = samples.frames.get(site.frame as usize).copied();
        let new = by.get(&site.frame).map(Vec::as_slice).or(old.as_ref().map(std::slice::from_ref));
        let frames = new.unwrap_or_default().iter();
        numbers.push(frames.fold(caller, |caller, frame| tree.site(caller, *frame)));
    }
    let number =
        |site: Option<u32>| site.and_then(|site| numbers.get(site as usize).copied().flatten());
    for sample in &mut samples.samples {
        sample.site = number(sample.site);
    }
    for total in &mut samples.totals {
        total.site = number(total.site);
    }
    samples.frames = tree.frames;
    samples.sites = tree.sites;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use wattle_timeline::{EventId, FrameAddress, NameId, StackTotal, ThreadId};

    use super::*;

    fn frame(name: u32, address: u64) -> Frame {
        let address = FrameAddress::InElf(address);
        Frame { function: Some(NameId(name)), address, ..Frame::default() }
    }

    proptest! {
        /// Each stack of the new tree is the old one with each frame replaced, computed stack by stack.
        #[test]
        fn stacks_are_what_they_were_frame_by_frame(
            callers in prop::collection::vec((prop::option::of(0_u32..20), 0_u32..6), 1..40),
            replaced in prop::collection::vec((0_u32..6, prop::collection::vec((0_u32..9, 0_u64..3), 0..4)), 0..6),
        ) {
            let mut samples = StackSamples {
                frames: (0..6).map(|name| frame(name, 0)).collect(),
                ..StackSamples::default()
            };
            for (index, (caller, frame)) in callers.iter().enumerate() {
                let caller = caller.filter(|caller| (*caller as usize) < index);
                samples.sites.push(CallSite { caller, frame: *frame });
                let site = Some(index as u32);
                let total = StackTotal { site, weight: 1, event: EventId(0), thread: ThreadId::IDLE };
                samples.totals.push(total);
            }
            let by: Replacements = replaced
                .into_iter()
                .map(|(number, frames)| {
                    (number, frames.into_iter().map(|(name, address)| frame(name, address)).collect())
                })
                .collect();
            let expected: Vec<Vec<Frame>> = (0..samples.sites.len())
                .map(|leaf| {
                    let mut stack = Vec::new();
                    let mut next = Some(leaf);
                    while let Some(site) = next {
                        let old = samples.frames[samples.sites[site].frame as usize];
                        let new = by.get(&samples.sites[site].frame).cloned().unwrap_or_else(|| vec![old]);
                        stack.extend(new.into_iter().rev());
                        next = samples.sites[site].caller.map(|caller| caller as usize);
                    }
                    stack
                })
                .collect();
            replace(&mut samples, &by);
            let found: Vec<Vec<Frame>> =
                samples.totals.iter().map(|it| samples.stack(it.site).copied().collect()).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
