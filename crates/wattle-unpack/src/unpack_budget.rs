//! The bytes that packed input of one run may unpack to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The bytes that all packed input of one run may unpack to: members of archives, gzip streams, packed packets, records, buffers and
/// debug sections, and what is packed within them, in total. Clones share one budget.
///
/// Unless a limit is given, it is [`Self::DEFAULT`], or [`Self::RATIO`] times the size of the input files where that is more: large
/// recordings are packed honestly, and a small file that unpacks to gigabytes is not a recording. Whoever keeps more of what was
/// unpacked than its bytes (an entry of an archive, the state of a packet) takes that off the budget, too, so that the budget bounds
/// memory and time as well as bytes.
#[derive(Clone, Debug, Default)]
pub struct UnpackBudget(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The limit that was asked for.
    asked: Option<u64>,
    /// Bytes of the input files.
    input: AtomicU64,
    used: AtomicU64,
    is_exceeded: AtomicBool,
}

impl UnpackBudget {
    /// Bytes that small files may unpack to.
    pub const DEFAULT: u64 = 512_000_000;
    /// Bytes that each byte of the input may unpack to. Traces reach about 20.
    pub const RATIO: u64 = 32;
    /// Bytes that an entry of an archive costs beyond its content, so that there are at most some 31,000 of them in small files: an
    /// unpacker is set up to look at each.
    pub const OF_ENTRY: u64 = 16 << 10;

    /// With this limit in bytes; `None` for the default one.
    pub fn new(limit: Option<u64>) -> Self {
        Self(Arc::new(State { asked: limit, ..State::default() }))
    }

    /// Counts the bytes of an input file.
    pub fn add_input(&self, bytes: u64) {
        self.0.input.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The limit in bytes, for the input so far.
    pub fn limit(&self) -> u64 {
        let input = self.0.input.load(Ordering::Relaxed);
        self.0.asked.unwrap_or_else(|| input.saturating_mul(Self::RATIO).max(Self::DEFAULT))
    }

    /// A limit as it is given on a command line: `512MB`, `1.5GB`.
    pub fn shown(limit: u64) -> String {
        let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];
        let fits = |(_, unit): &&(&str, u64)| limit >= *unit && limit.is_multiple_of(unit / 10);
        match units.iter().find(fits) {
            Some((name, unit)) => format!("{}{name}", limit as f64 / *unit as f64),
            None => format!("{limit} bytes"),
        }
    }

    /// Bytes that may still be unpacked.
    pub fn left(&self) -> u64 {
        self.limit().saturating_sub(self.0.used.load(Ordering::Relaxed))
    }

    /// Takes bytes off the budget that were unpacked, or that are about to be. Past the limit, the budget is exceeded.
    pub fn take(&self, bytes: u64) {
        if bytes > self.left() {
            self.0.is_exceeded.store(true, Ordering::Relaxed);
        }
        let add = |used: u64| Some(used.saturating_add(bytes));
        let _ = self.0.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }

    /// Takes bytes off the budget if it is enough for them; whether it was. If not, it is exceeded, and nothing is to be unpacked.
    pub fn try_take(&self, bytes: u64) -> bool {
        let limit = self.limit();
        let add = |used: u64| used.checked_add(bytes).filter(|used| *used <= limit);
        let taken = self.0.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok();
        if !taken {
            self.0.is_exceeded.store(true, Ordering::Relaxed);
        }
        taken
    }

    /// Whether more was there to unpack than the budget allows.
    pub fn is_exceeded(&self) -> bool {
        self.0.is_exceeded.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read as _};

    use super::*;

    fn read(budget: &UnpackBudget, bytes: usize) -> usize {
        let mut all = Vec::new();
        budget.reader(&*vec![7; bytes]).read_to_end(&mut all).expect("memory can be read");
        all.len()
    }

    #[test]
    fn all_readers_share_one_budget() {
        let budget = UnpackBudget::new(Some(1000));
        assert_eq!((read(&budget, 600), read(&budget, 400)), (600, 400));
        assert!(!budget.is_exceeded());
        assert_eq!((read(&budget, 50), budget.is_exceeded(), budget.left()), (0, true, 0));
        // Once it is exceeded, nothing more is unpacked, however small.
        assert_eq!(read(&budget, 1), 0);
    }

    #[test]
    fn large_files_may_unpack_to_more() {
        let budget = UnpackBudget::default();
        assert_eq!(budget.limit(), 512_000_000);
        budget.add_input(10_000_000);
        assert_eq!(budget.limit(), 512_000_000);
        budget.add_input(90_000_000);
        assert_eq!(budget.limit(), 3_200_000_000);
        let counted = UnpackBudget::default();
        let copied = io::copy(&mut counted.input(vec![0; 20_000_000].as_slice()), &mut io::sink());
        assert_eq!((copied.ok(), counted.limit()), (Some(20_000_000), 640_000_000));
        let asked = UnpackBudget::new(Some(5));
        asked.add_input(1 << 40);
        assert_eq!(asked.limit(), 5);
    }

    #[test]
    fn what_is_too_large_is_not_taken() {
        let budget = UnpackBudget::new(Some(10));
        assert!(budget.try_take(10) && !budget.is_exceeded());
        assert!(!budget.try_take(1) && budget.is_exceeded());
        assert_eq!(budget.left(), 0);
        assert!(!UnpackBudget::new(Some(10)).try_take(u64::MAX));
        assert!(!UnpackBudget::new(Some(0)).try_take(1));
    }

    #[test]
    fn the_most_of_one_stream_does_not_exceed_the_budget() {
        let budget = UnpackBudget::new(Some(100));
        let mut unpacked = Vec::new();
        let read = budget.read_to_end(io::repeat(1), 60, &mut unpacked).ok();
        assert_eq!((read, budget.left(), budget.is_exceeded()), (Some(60), 40, false));
        let read = budget.read_to_end(io::repeat(1), 60, &mut unpacked).ok();
        assert_eq!((read, budget.is_exceeded(), unpacked.len()), (Some(40), true, 100));
    }
}
