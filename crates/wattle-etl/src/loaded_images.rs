//! Which image lay at which address of which process, and when.
//!
//! Addresses are looked up when all was read: a log may list the images that were there only at its end.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use wattle_timeline::NameId;

use super::tasks::ImageFacts;

/// Images that are kept.
const MAX_IMAGES: usize = 1 << 22;

/// Images of one address space that are looked through for one address: those that begin before it, last first.
const LOOKED_AT: usize = 64;

/// First address of the kernel, by the size of a pointer.
const KERNEL_64: u64 = 0xffff_8000_0000_0000;
const KERNEL_32: u64 = 0x8000_0000;

/// An image at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub base: u64,
    pub size: u64,
    pub file: NameId,
    /// In ticks: from when, and until when. It may have been there before anything said so.
    from: i64,
    until: i64,
}

/// All images.
#[derive(Debug)]
pub(super) struct Images {
    kernel_begins: u64,
    /// By process; the kernel's own are those of process 0.
    spaces: FxHashMap<u32, Vec<Image>>,
    /// When images came or went, by process, once sorted.
    changes: FxHashMap<u32, Vec<i64>>,
    count: usize,
    /// Images that were not kept.
    pub refused: u64,
}

impl Images {
    pub fn new(pointer_size: u8) -> Self {
        let kernel_begins = if pointer_size == 4 { KERNEL_32 } else { KERNEL_64 };
        let (spaces, changes) = (FxHashMap::default(), FxHashMap::default());
        Self { kernel_begins, spaces, changes, count: 0, refused: 0 }
    }

    /// Whether the address is one of the kernel.
    #[inline]
    pub fn is_kernel(&self, address: u64) -> bool {
        address >= self.kernel_begins
    }

    fn space(&self, pid: u32, address: u64) -> u32 {
        if self.is_kernel(address) { 0 } else { pid }
    }

    /// An image is there: since now, or since ever where it was only found there.
    pub fn there(&mut self, facts: &ImageFacts, file: NameId, since: Option<i64>, now: i64) {
        let space = self.space(facts.pid, facts.base);
        let images = self.spaces.entry(space).or_default();
        let same = images.iter_mut().rev().find(|image| image.base == facts.base);
        if let Some(known) = same.filter(|image| image.until > now) {
            // A list at the end names again what is known; another image at its place means that nobody told of its going.
            if known.file == file && since.is_none() {
                return;
            }
            known.until = now;
        }
        if self.count >= MAX_IMAGES {
            self.refused += 1;
            return;
        }
        self.count += 1;
        let from = since.unwrap_or(i64::MIN);
        images.push(Image { base: facts.base, size: facts.size, file, from, until: i64::MAX });
    }

    /// It went.
    pub fn gone(&mut self, facts: &ImageFacts, file: NameId, now: i64) {
        let space = self.space(facts.pid, facts.base);
        let images = self.spaces.entry(space).or_default();
        match images.iter_mut().rev().find(|it| it.base == facts.base && it.until > now) {
            Some(known) => known.until = now,
            // It was there before recording began.
            None if self.count < MAX_IMAGES => {
                self.count += 1;
                let (base, size, from) = (facts.base, facts.size, i64::MIN);
                images.push(Image { base, size, file, from, until: now });
            }
            None => self.refused += 1,
        }
    }

    /// All of a process went with it.
    pub fn ended(&mut self, pid: u32, now: i64) {
        for image in self.spaces.get_mut(&pid).into_iter().flatten() {
            image.until = image.until.min(now);
        }
    }

    /// All were told: they can be looked up.
    pub fn sort(&mut self) {
        for (space, images) in &mut self.spaces {
            images.sort_by_key(|image| (image.base, image.from));
            let mut changes: Vec<_> = images.iter().flat_map(|it| [it.from, it.until]).collect();
            changes.sort_unstable();
            changes.dedup();
            self.changes.insert(*space, changes);
        }
    }

    /// Until when what lies in a space stays as it is at this time.
    pub fn holds_until(&self, space: u32, time: i64) -> i64 {
        let Some(changes) = self.changes.get(&space) else { return i64::MAX };
        let next = changes.partition_point(|change| *change <= time);
        changes.get(next).copied().unwrap_or(i64::MAX)
    }

    /// Returns the image at that address and time. If there was none, returns the image at another time, as clocks of
    /// events differ by a little.
    pub fn find(&self, pid: u32, address: u64, time: i64) -> Option<&Image> {
        let images = self.spaces.get(&self.space(pid, address))?;
        let after = images.partition_point(|image| image.base <= address);
        let before = images.get(..after)?.iter().rev().take(LOOKED_AT);
        let around = before.filter(|image| address - image.base < image.size);
        around.min_by_key(|image| {
            let is_then = image.from <= time && time < image.until;
            let distance = image.from.abs_diff(time).min(image.until.abs_diff(time));
            (!is_then, if is_then { 0 } else { distance }, Reverse(image.base))
        })
    }
}
