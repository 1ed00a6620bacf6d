//! From the addresses of samples to stacks of the timeline.

use rustc_hash::FxHashMap;
use wattle_timeline::{
    CallSite, CpuId, EventId, Frame, FrameAddress, FrameKind, SampleEvent, SampleUnit, StackSample,
    ThreadId, TimelineBuilder,
};

use super::event_clock::EventClock;
use super::loaded_images::Images;
use super::managed_code::ManagedCode;
use super::stack_log::{NO_STACK, RawSample, SampleKind, StackLog};

/// Frames that are remembered by address.
const MAX_REMEMBERED: usize = 1 << 20;

/// A process, the numbers of its kernel's and its program's stack, and the sample's own address where there is neither.
type StackKey = (u32, u32, u32, u64);

/// Conversion of samples to the timeline's stacks.
pub(super) struct Stacks<'a> {
    images: &'a Images,
    managed: &'a ManagedCode,
    /// Frames by process (0 for the kernel's) and address, for as long as what lies there does not change.
    frames: FxHashMap<(u32, u64), (u32, i64)>,
    /// Stacks by process, their two numbers and the sample's own address.
    sites: FxHashMap<StackKey, (Option<u32>, i64)>,
    /// Addresses that lie in no image and no method.
    pub unmapped: u64,
}

impl<'a> Stacks<'a> {
    pub fn new(images: &'a Images, managed: &'a ManagedCode) -> Self {
        let (frames, sites) = (FxHashMap::default(), FxHashMap::default());
        Self { images, managed, frames, sites, unmapped: 0 }
    }

    /// Tells all samples. `pid_of` says whose a thread was, where the sample does not.
    pub fn tell(
        &mut self,
        log: &StackLog,
        clock: EventClock,
        pid_of: &FxHashMap<u32, u32>,
        builder: &mut TimelineBuilder,
    ) {
        let mut events: [Option<EventId>; 3] = [None; 3];
        for sample in &log.samples {
            let (name, unit, place) = match sample.kind {
                SampleKind::Profile => ("SampledProfile", SampleUnit::Nanos, 0),
                SampleKind::Switch => ("CSwitch", SampleUnit::Occurrences, 1),
                SampleKind::Ready => ("ReadyThread", SampleUnit::Occurrences, 2),
            };
            let event = *events[place].get_or_insert_with(|| {
                let name = builder.names.intern(name);
                builder.samples().event(SampleEvent { name, unit })
            });
            let pid = sample.pid.or_else(|| pid_of.get(&sample.tid).copied());
            let site = self.site(log, sample, pid.unwrap_or(0), builder);
            let pid = pid.filter(|_| sample.tid != 0);
            builder.samples().sample(
                pid,
                StackSample {
                    time: clock.time(sample.time),
                    cpu: Some(CpuId(sample.cpu)),
                    thread: ThreadId(sample.tid),
                    site,
                    event,
                    weight: sample.weight,
                    // Only the kernel's part was walked, of a thread that has a program.
                    is_truncated: sample.user == NO_STACK && pid.is_some_and(|pid| pid > 4),
                },
            );
        }
    }

    fn site(
        &mut self,
        log: &StackLog,
        sample: &RawSample,
        pid: u32,
        builder: &mut TimelineBuilder,
    ) -> Option<u32> {
        let (kernel, user) = (sample.kernel, sample.user);
        let has_stack = kernel != NO_STACK || user != NO_STACK;
        if !has_stack && sample.address == 0 {
            return None;
        }
        let key = (pid, kernel, user, if has_stack { 0 } else { sample.address });
        if let Some((site, until)) = self.sites.get(&key)
            && sample.time < *until
        {
            return *site;
        }
        let own = [sample.address];
        let (inner, outer) = if has_stack {
            (log.addresses_of(kernel), log.addresses_of(user))
        } else {
            (own.as_slice(), [].as_slice())
        };
        let (mut site, mut until) = (None, i64::MAX);
        let innermost = if inner.is_empty() { outer.first() } else { inner.first() };
        for part in [outer, inner] {
            for (depth, address) in part.iter().enumerate().rev() {
                let is_innermost =
                    depth == 0 && innermost.is_some_and(|it| std::ptr::eq(it, address));
                let (frame, holds) =
                    self.frame(*address, is_innermost, (pid, sample.time), builder);
                until = until.min(holds);
                site = Some(builder.samples().call_site(CallSite { caller: site, frame }));
            }
        }
        if self.sites.len() >= MAX_REMEMBERED {
            self.sites.clear();
        }
        self.sites.insert(key, (site, until));
        site
    }

    /// The frame of an address, and until when it is that.
    fn frame(
        &mut self,
        address: u64,
        is_innermost: bool,
        (pid, time): (u32, i64),
        builder: &mut TimelineBuilder,
    ) -> (u32, i64) {
        let in_kernel = self.images.is_kernel(address);
        // Where it returns to may be another function than where the call is.
        let place = if is_innermost { address } else { address.saturating_sub(1) };
        let key = (if in_kernel { 0 } else { pid }, place);
        if let Some((frame, until)) = self.frames.get(&key)
            && time < *until
        {
            return (*frame, *until);
        }
        let image = self.images.find(pid, place, time);
        let (method, method_holds) =
            if in_kernel { (None, i64::MAX) } else { self.managed.find(pid, place, time) };
        if image.is_none() && method.is_none() {
            self.unmapped += 1;
        }
        // A method that was compiled ahead of time is in an image; of any other the module says where it comes from.
        let module = method.and_then(|it| it.module);
        let mapping = match image {
            Some(image) => Some(image.file),
            None => module.map(|module| builder.names.intern(module)),
        };
        let kind = match method {
            Some(method) if method.is_jitted => FrameKind::Jit,
            Some(_) => FrameKind::Java,
            None if in_kernel => FrameKind::Kernel,
            None => FrameKind::Native,
        };
        let function = method.and_then(|it| it.name).map(|name| builder.names.intern(name));
        let frame = builder.samples().frame(Frame {
            function,
            mapping,
            address: match image {
                Some(image) => FrameAddress::InElf(place - image.base),
                None => FrameAddress::Absolute(place),
            },
            kind,
            ..Frame::default()
        });
        if self.frames.len() >= MAX_REMEMBERED {
            self.frames.clear();
        }
        let until = self.images.holds_until(key.0, time).min(method_holds);
        self.frames.insert(key, (frame, until));
        (frame, until)
    }
}
