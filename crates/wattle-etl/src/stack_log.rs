//! Stacks as they come in: addresses, in an event of their own, which names the event that they belong to by its time and thread.
//!
//! The kernel's part and the program's part of a stack come as two events, the latter when the thread goes back to its
//! program. On Windows 10 an event may name a key instead, whose addresses come when the kernel forgets the key, or at
//! the end.

use rustc_hash::FxHashMap;

use super::loaded_images::Images;

/// Addresses of all stacks that are kept.
const MAX_ADDRESSES: usize = 1 << 27;

/// The deepest stack: the kernel walks 192 frames at most.
const MAX_DEPTH: usize = 256;

/// Events that wait for their stack at a time, twice. Stacks come soon after; those of most events never do.
const MAX_WAITING: usize = 1 << 17;

/// Samples that wait for the addresses of keys.
const MAX_KEYED: usize = 1 << 22;

/// No stack.
pub(super) const NO_STACK: u32 = u32::MAX;

/// Cause of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SampleKind {
    /// The profiling timer, or a counter of the CPU that stands for it.
    Profile,
    /// A thread came to a CPU.
    Switch,
    /// A thread made another one ready.
    Ready,
}

/// A sample as it came in.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSample {
    /// In ticks.
    pub time: i64,
    pub cpu: u32,
    pub tid: u32,
    /// Known with its stack.
    pub pid: Option<u32>,
    pub kind: SampleKind,
    /// Nanoseconds, for those of the profiling timer; 0 while not known.
    pub weight: u64,
    /// Address that the CPU was executing.
    pub address: u64,
    /// Numbers of its stacks, of the kernel and of the program.
    pub kernel: u32,
    pub user: u32,
}

/// Event that may get a stack.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Sample(usize),
    Event { kind: SampleKind, cpu: u32 },
}

/// Of which event a stack is.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackOf {
    /// When that was, in ticks.
    pub time: i64,
    pub pid: u32,
    pub tid: u32,
    /// CPU on which the stack was written.
    pub cpu: u32,
}

/// The number of a thread, or one for the idle thread of each CPU, as they are sampled at one instant.
fn thread_key(tid: u32, cpu: u32) -> u64 {
    if tid == 0 { 1 << 32 | u64::from(cpu) } else { u64::from(tid) }
}

/// Samples and stacks of a log.
#[derive(Debug, Default)]
pub(super) struct StackLog {
    pub samples: Vec<RawSample>,
    addresses: Vec<u64>,
    /// Start and end of each stack in them.
    stacks: Vec<(usize, usize)>,
    by_hash: FxHashMap<u64, u32>,
    recent: FxHashMap<(i64, u64), Waiting>,
    older: FxHashMap<(i64, u64), Waiting>,
    /// Samples whose stack has a key that is not known yet, by the key.
    keyed: FxHashMap<u64, Vec<(usize, bool)>>,
    keyed_count: usize,
    /// Stacks of events that are not known, or of which no sample is made.
    pub alone: u64,
    /// Samples whose stack's key nobody told.
    pub unresolved: u64,
}

impl StackLog {
    /// A sample, which may get a stack.
    #[inline]
    pub fn sample(&mut self, sample: RawSample) {
        self.samples.push(sample);
        let what = Waiting::Sample(self.samples.len() - 1);
        self.wait(sample.time, sample.tid, sample.cpu, what);
    }

    /// An event which becomes a sample if it gets a stack.
    #[inline]
    pub fn event(&mut self, time: i64, tid: u32, cpu: u32, kind: SampleKind) {
        self.wait(time, tid, cpu, Waiting::Event { kind, cpu });
    }

    #[inline]
    fn wait(&mut self, time: i64, tid: u32, cpu: u32, what: Waiting) {
        if self.recent.len() >= MAX_WAITING {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert((time, thread_key(tid, cpu)), what);
    }

    /// The sample that a stack of this time and thread belongs to.
    fn sample_of(&mut self, of: StackOf) -> Option<usize> {
        let StackOf { time, pid, tid, cpu } = of;
        let key = (time, thread_key(tid, cpu));
        let waiting = match self.recent.get_mut(&key) {
            Some(waiting) => waiting,
            None => self.older.get_mut(&key)?,
        };
        let index = match *waiting {
            Waiting::Sample(index) => index,
            Waiting::Event { kind, cpu } => {
                let (kernel, user) = (NO_STACK, NO_STACK);
                let (weight, address) = (1, 0);
                let pid = Some(pid);
                let sample = RawSample { time, cpu, tid, pid, kind, weight, address, kernel, user };
                self.samples.push(sample);
                *waiting = Waiting::Sample(self.samples.len() - 1);
                self.samples.len() - 1
            }
        };
        self.samples.get_mut(index)?.pid = Some(pid);
        Some(index)
    }

    /// A stack of an event. Whether that is known.
    pub fn stack(
        &mut self,
        of: StackOf,
        addresses: impl Iterator<Item = u64>,
        images: &Images,
    ) -> bool {
        let Some(sample) = self.sample_of(of) else {
            self.alone += 1;
            return false;
        };
        if let Some(stack) = self.intern(addresses) {
            let in_kernel =
                self.addresses_of(stack).first().is_some_and(|it| images.is_kernel(*it));
            self.attach(sample, stack, in_kernel);
        }
        true
    }

    /// A stack of an event by its key. Whether the event is known.
    pub fn key(&mut self, of: StackOf, key: u64, in_kernel: bool) -> bool {
        let Some(sample) = self.sample_of(of) else {
            self.alone += 1;
            return false;
        };
        if self.keyed_count >= MAX_KEYED {
            self.unresolved += 1;
            return true;
        }
        self.keyed_count += 1;
        self.keyed.entry(key).or_default().push((sample, in_kernel));
        true
    }

    /// The addresses of a key, which means no others before.
    pub fn of_key(&mut self, key: u64, addresses: impl Iterator<Item = u64>) {
        let Some(samples) = self.keyed.remove(&key) else { return };
        self.keyed_count -= samples.len();
        let Some(stack) = self.intern(addresses) else { return };
        for (sample, in_kernel) in samples {
            self.attach(sample, stack, in_kernel);
        }
    }

    fn attach(&mut self, sample: usize, stack: u32, in_kernel: bool) {
        let Some(sample) = self.samples.get_mut(sample) else { return };
        let place = if in_kernel { &mut sample.kernel } else { &mut sample.user };
        if *place == NO_STACK {
            *place = stack;
        }
    }

    /// The number of a stack; equal ones have the same. `None` if it is empty, or there is no room.
    fn intern(&mut self, addresses: impl Iterator<Item = u64>) -> Option<u32> {
        let start = self.addresses.len();
        if start >= MAX_ADDRESSES {
            return None;
        }
        let mut hash = 0_u64;
        for address in addresses.take(MAX_DEPTH) {
            hash = (hash.rotate_left(5) ^ address).wrapping_mul(0x517c_c1b7_2722_0a95);
            self.addresses.push(address);
        }
        let end = self.addresses.len();
        if end == start {
            return None;
        }
        if let Some(known) = self.by_hash.get(&hash).copied()
            && self.addresses_of(known) == self.addresses.get(start..end)?
        {
            self.addresses.truncate(start);
            return Some(known);
        }
        let number = u32::try_from(self.stacks.len()).ok().filter(|number| *number != NO_STACK)?;
        self.stacks.push((start, end));
        self.by_hash.insert(hash, number);
        Some(number)
    }

    /// The addresses of a stack, innermost first.
    pub fn addresses_of(&self, stack: u32) -> &[u64] {
        let place = self.stacks.get(stack as usize).copied().unwrap_or_default();
        self.addresses.get(place.0..place.1).unwrap_or_default()
    }

    /// All was read.
    pub fn close(&mut self) {
        self.unresolved += self.keyed_count as u64;
        self.recent = FxHashMap::default();
        self.older = FxHashMap::default();
        self.samples.sort_by_key(|sample| sample.time);
    }
}
