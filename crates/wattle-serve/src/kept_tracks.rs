//! Tracks of runs that were asked for lately, in memory: a page that is zoomed into asks for the same run again and again.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use wattle_ledger::{ComponentBins, Ledger, TimeTrack, TimeTracks};
use wattle_units::{BootNanos, Nanos};

use crate::http::WebError;

/// Bytes of all tracks that are kept.
const MOST_BYTES: usize = 192 << 20;
/// Runs of which tracks are kept.
const MOST_RUNS: usize = 16;

/// The part of a ledger that answers about ranges of time.
#[derive(Debug)]
pub struct RunTracks {
    /// The first instant of the recording.
    pub start: BootNanos,
    /// The length of the recording.
    pub duration: Nanos,
    /// The tracks.
    pub tracks: TimeTracks,
    /// Threads, as tracks number them.
    pub threads: Vec<RunThread>,
    /// Names of components.
    pub components: Vec<String>,
    /// Their energy over time; `None` where the ledger does not have it.
    pub energy: Option<ComponentBins>,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct RunThread {
    /// The kernel's number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// The kernel's number of its process; `None` where that is not known.
    pub pid: Option<u32>,
    /// The name of its process.
    pub process: String,
}

impl RunTracks {
    /// Of the file of a ledger.
    fn new(bytes: &[u8]) -> Result<Self, WebError> {
        let ledger = Ledger::from_bytes(bytes).map_err(|error| WebError::internal(&error))?;
        let energy = ledger.component_bins();
        let rows = ledger.rows;
        let components = rows.components.iter().map(|it| it.name.name().to_owned()).collect();
        let threads = rows.threads.into_iter().map(|thread| {
            let process = rows.processes.get(thread.process as usize);
            RunThread {
                tid: thread.tid,
                name: thread.name,
                pid: process.and_then(|process| process.pid),
                process: process.map(|process| process.name.clone()).unwrap_or_default(),
            }
        });
        let threads = threads.collect();
        let mut tracks = ledger.over_time.tracks.unwrap_or_default();
        tracks.cpu_time = wattle_ledger::CpuTimeBins::default();
        let window = ledger.recording.window;
        let (start, duration) = (window.start, window.duration());
        Ok(Self { start, duration, tracks, threads, components, energy })
    }

    /// About what it takes in memory.
    fn bytes(&self) -> usize {
        let texts = |all: &[String]| all.iter().map(|text| text.len() + 24).sum::<usize>();
        let track = |track: &TimeTrack| track.len() * 26 + track.name.len() + 200;
        let tracks: usize = self.tracks.tracks.iter().map(track).sum();
        let threads = self.threads.iter().map(|it| it.name.len() + it.process.len() + 80);
        let bins = self.energy.as_ref().map_or(0, |it| it.bins.count as usize * 8);
        tracks + texts(&self.tracks.names) + threads.sum::<usize>() + bins * self.components.len()
    }
}

/// The digest of a ledger, its tracks and what they take.
type Kept = (String, Arc<RunTracks>, usize);

/// Tracks of the runs that were used last, within a bound.
pub struct KeptTracks {
    most_bytes: usize,
    /// In the order of their last use.
    kept: Arc<Mutex<Vec<Kept>>>,
    /// Ledgers that are read at the same time: a whole one is in memory meanwhile.
    reading: Arc<Semaphore>,
    /// Answers that are made at the same time.
    pub answering: Arc<Semaphore>,
}

impl Default for KeptTracks {
    fn default() -> Self {
        let [reading, answering] = [1, 2].map(|places| Arc::new(Semaphore::new(places)));
        Self { most_bytes: MOST_BYTES, kept: Arc::default(), reading, answering }
    }
}

impl KeptTracks {
    /// The tracks of the ledger with a digest: kept, or read now from what `load` gives.
    pub async fn get(
        &self,
        digest: &str,
        load: impl Future<Output = Result<Vec<u8>, WebError>> + Send + 'static,
    ) -> Result<Arc<RunTracks>, WebError> {
        if let Some(tracks) = self.used(digest) {
            return Ok(tracks);
        }
        let reading = Arc::clone(&self.reading);
        let turn = reading.acquire_owned().await.map_err(|_| WebError::ending())?;
        // Another request may have read it while this one waited.
        if let Some(tracks) = self.used(digest) {
            return Ok(tracks);
        }
        let (kept, most, digest) = (Arc::clone(&self.kept), self.most_bytes, digest.to_owned());
        // The turn ends with the work, and what was read is kept, also where the client has hung up: this goes on without it.
        let read = tokio::spawn(async move {
            let bytes = load.await?;
            let read = tokio::task::spawn_blocking(move || {
                let tracks = Arc::new(RunTracks::new(&bytes)?);
                keep(&kept, (&digest, &tracks), most);
                drop(turn);
                Ok(tracks)
            });
            read.await.unwrap_or_else(|error| Err(WebError::internal(&error)))
        });
        read.await.unwrap_or_else(|error| Err(WebError::internal(&error)))
    }

    fn used(&self, digest: &str) -> Option<Arc<RunTracks>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(of, ..)| of == digest)?;
        let found = kept.remove(at);
        let tracks = Arc::clone(&found.1);
        kept.push(found);
        Some(tracks)
    }
}

/// Keeps tracks, and lets go of those that were used longest ago. What alone is too much is not kept.
fn keep(kept: &Mutex<Vec<Kept>>, (digest, tracks): (&str, &Arc<RunTracks>), most_bytes: usize) {
    let bytes = tracks.bytes();
    if bytes > most_bytes {
        return;
    }
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push((digest.to_owned(), Arc::clone(tracks), bytes));
    while kept.len() > MOST_RUNS || kept.iter().map(|(.., it)| it).sum::<usize>() > most_bytes {
        kept.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use wattle_ledger::{TrackKind, TrackStretch};
    use wattle_timeline::Window;

    use super::*;

    /// A ledger's file with so many stretches.
    fn ledger(stretches: i64) -> Vec<u8> {
        let window = Window::new(BootNanos::new(0), BootNanos::new(stretches.max(1)));
        let mut ledger = Ledger::empty(window);
        let of = |at| TrackStretch { start: at, length: 1, value: at, depth: 0 };
        let stretches: Vec<_> = (0..stretches).map(of).collect();
        let track = TimeTrack::new(TrackKind::Rail, "a".to_owned()).with(&stretches);
        ledger.over_time.tracks = Some(TimeTracks { tracks: vec![track], ..TimeTracks::default() });
        ledger.to_bytes().unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_hangs_up_does_not_free_a_turn_before_the_work_ends() {
        let kept = Arc::new(KeptTracks::default());
        let own = Arc::clone(&kept);
        let asked = tokio::spawn(async move {
            own.get("a", async { Ok(ledger(400_000)) }).await.map(drop).is_ok()
        });
        while kept.reading.available_permits() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        asked.abort();
        // Either the work goes on, and has its turn, or it was done before.
        let was_done = asked.await.is_ok();
        let has_turn = kept.reading.available_permits() == 0;
        assert!(was_done || has_turn);
        // It is free once the work has ended.
        let turn = Arc::clone(&kept.reading).acquire_owned().await;
        assert!(turn.is_ok());
    }

    #[tokio::test]
    async fn a_ledger_is_read_once_and_memory_is_bounded() {
        let kept = KeptTracks { most_bytes: 100_000, ..KeptTracks::default() };
        let reads = Arc::new(AtomicUsize::new(0));
        let get = async |digest: &str, stretches| {
            let own = Arc::clone(&reads);
            let load = async move {
                own.fetch_add(1, Ordering::Relaxed);
                Ok(ledger(stretches))
            };
            kept.get(digest, load).await.unwrap().tracks.stretches()
        };
        assert_eq!(get("a", 1500).await, 1500);
        assert_eq!(get("a", 1500).await, 1500);
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        // Both fit; the third one displaces the one that was used longest ago.
        get("b", 1500).await;
        get("a", 1500).await;
        get("c", 1500).await;
        assert_eq!(reads.load(Ordering::Relaxed), 3);
        get("a", 1500).await;
        assert_eq!(reads.load(Ordering::Relaxed), 3, "a was used last");
        get("b", 1500).await;
        assert_eq!(reads.load(Ordering::Relaxed), 4, "b was displaced");
        // What is larger than everything displaces nothing.
        get("huge", 20_000).await;
        get("b", 1500).await;
        assert_eq!(reads.load(Ordering::Relaxed), 5);
        assert!(kept.get("d", async { Ok(b"no ledger".to_vec()) }).await.is_err());
    }
}
