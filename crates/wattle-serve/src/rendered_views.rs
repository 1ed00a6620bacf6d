//! Views that were made once are kept on disk, by the ledger's digest and the version of the program that made them.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use sha2::{Digest as _, Sha256};
use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use crate::http::{ServedMetrics, WebError};
use crate::web_assets::compressed;

/// Bytes of a part of a view that is sent as it is.
const PART: usize = 64 << 10;
/// Bytes of one view that is held in memory at most.
const MOST_BYTES: u64 = 256 << 20;

/// A view as gzip, and what it is known by.
#[derive(Clone, Debug)]
pub struct RenderedView {
    /// gzip of the content.
    pub gzip: Vec<u8>,
    /// Names exactly this content.
    pub tag: String,
}

impl RenderedView {
    /// Whether there is no content.
    pub fn is_empty(&self) -> bool {
        // The last four bytes are its length.
        self.gzip.ends_with(&[0; 4])
    }

    /// The content itself.
    pub fn content(&self) -> Result<Vec<u8>, WebError> {
        let mut content = Vec::new();
        let decoder = flate2::read::GzDecoder::new(self.gzip.as_slice());
        let read = decoder.take(MOST_BYTES + 1).read_to_end(&mut content);
        read.map_err(|error| WebError::internal(&error))?;
        if content.len() as u64 > MOST_BYTES {
            return Err(WebError::internal(&"a view is too large to be held in memory"));
        }
        Ok(content)
    }

    /// The content in parts, of which one is in memory at a time.
    pub fn into_parts(self) -> impl Stream<Item = std::io::Result<Bytes>> {
        let decoder = flate2::bufread::GzDecoder::new(std::io::Cursor::new(self.gzip));
        stream::try_unfold(decoder, async |mut decoder| {
            let mut part = vec![0; PART];
            let count = decoder.read(&mut part)?;
            part.truncate(count);
            Ok((count > 0).then(|| (Bytes::from(part), decoder)))
        })
    }
}

/// The kept views.
pub struct RenderedViews {
    folder: PathBuf,
    most_bytes: u64,
    /// Makers at the same time: each holds a ledger in memory.
    makers: Arc<Semaphore>,
    /// Views that are being made, so that each is made once.
    making: Locks,
    metrics: Arc<ServedMetrics>,
}

impl RenderedViews {
    /// In a folder, of which `most_bytes` may be used.
    pub fn new(folder: PathBuf, most_bytes: u64, metrics: Arc<ServedMetrics>) -> Self {
        let making = Mutex::default();
        let makers = Arc::new(Semaphore::new(2));
        Self { folder, most_bytes, makers, making, metrics }
    }

    /// A view: kept, or made now of what `load` gives. `of` has the digests of ledgers and everything else that the content depends on.
    pub async fn get<L: Send + 'static>(
        &self,
        of: &[&str],
        load: impl Future<Output = Result<L, WebError>> + Send + 'static,
        make: impl FnOnce(L) -> Result<Vec<u8>, WebError> + Send + 'static,
    ) -> Result<RenderedView, WebError> {
        let tag = tag_of(of);
        let file = self.folder.join(&tag[..2]).join(format!("{tag}.gz"));
        if let Some(gzip) = kept(&file).await {
            self.metrics.view(true);
            return Ok(RenderedView { gzip, tag });
        }
        let waiting = Waiting::new(&self.making, &tag);
        let gzip = {
            let _turn = waiting.own.lock().await;
            self.make(&file, load, make).await?
        };
        drop(waiting);
        Ok(RenderedView { gzip, tag })
    }

    async fn make<L: Send + 'static>(
        &self,
        file: &Path,
        load: impl Future<Output = Result<L, WebError>> + Send + 'static,
        make: impl FnOnce(L) -> Result<Vec<u8>, WebError> + Send + 'static,
    ) -> Result<Vec<u8>, WebError> {
        // Another request may have made it while this one waited.
        if let Some(gzip) = kept(file).await {
            self.metrics.view(true);
            return Ok(gzip);
        }
        let makers = Arc::clone(&self.makers);
        let place = makers.acquire_owned().await.map_err(|_| WebError::ending())?;
        self.metrics.view(false);
        let (file, folder, most) = (file.to_owned(), self.folder.clone(), self.most_bytes);
        // The place is free when the work is done, also where the client has hung up: this goes on without it.
        let work = tokio::spawn(async move {
            let loaded = load.await?;
            let work = tokio::task::spawn_blocking(move || {
                let content = make(loaded)?;
                let failed = || WebError::internal(&"a view cannot be compressed");
                let gzip = compressed(&content).ok_or_else(failed)?;
                // A view that cannot be kept is made again next time.
                if let Err(error) = keep(&file, &gzip) {
                    tracing::warn!(%error, "a view is not kept");
                }
                prune(&folder, most);
                drop(place);
                Ok(gzip)
            });
            work.await.unwrap_or_else(|error| Err(WebError::internal(&error)))
        });
        work.await.unwrap_or_else(|error| Err(WebError::internal(&error)))
    }
}

/// Locks of the views that are being made, by their names.
type Locks = Mutex<HashMap<String, Arc<AsyncMutex<()>>>>;

/// One that waits for a view, or makes it. The last one takes its lock away, also where its client hung up.
struct Waiting<'v> {
    making: &'v Locks,
    tag: &'v str,
    own: Arc<AsyncMutex<()>>,
}

impl<'v> Waiting<'v> {
    fn new(making: &'v Locks, tag: &'v str) -> Self {
        let mut locks = making.lock().unwrap_or_else(PoisonError::into_inner);
        let own = Arc::clone(locks.entry(tag.to_owned()).or_default());
        drop(locks);
        Self { making, tag, own }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut locks = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        // Others that wait for it hold it, too.
        if Arc::strong_count(&self.own) <= 2 {
            locks.remove(self.tag);
        }
    }
}

/// The size and time of the program: another build may make other views under the same version.
static PROGRAM: LazyLock<String> = LazyLock::new(|| {
    let known = std::env::current_exe().and_then(std::fs::metadata);
    let time = known.as_ref().ok().and_then(|known| known.modified().ok());
    let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{}-{}", known.map_or(0, |known| known.len()), since.unwrap_or_default().as_nanos())
});

/// The name of a view: every part counts, and no part can look like two.
pub fn tag_of(of: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in [env!("CARGO_PKG_VERSION"), PROGRAM.as_str()].iter().chain(of) {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let digest = digest.finalize();
    let (first, second) = digest.split_at(16);
    let number = |bytes: &[u8]| bytes.iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
    format!("{:032x}{:032x}", number(first), number(second))
}

async fn kept(file: &Path) -> Option<Vec<u8>> {
    let file = file.to_owned();
    let read = tokio::task::spawn_blocking(move || {
        let bytes = std::fs::read(&file).ok()?;
        // What is used stays longest.
        let _ = std::fs::File::open(&file).and_then(|open| open.set_modified(SystemTime::now()));
        Some(bytes)
    });
    read.await.ok().flatten()
}

/// Written beside and renamed: a reader sees all of it or nothing.
fn keep(file: &Path, gzip: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // Views are as private as the runs that they show.
    wattle_jobs::private_folder(folder)?;
    let beside = file.with_extension(format!("part{}", std::process::id()));
    std::fs::write(&beside, gzip)?;
    std::fs::rename(&beside, file)
}

/// Removes the views that were used longest ago until the folder is small enough.
fn prune(folder: &Path, most_bytes: u64) {
    let mut files = Vec::new();
    for part in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(part.path()).into_iter().flatten().flatten() {
            if let Ok(known) = file.metadata() {
                let used = known.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((used, known.len(), file.path()));
            }
        }
    }
    let mut sum: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    files.sort();
    for (_, bytes, path) in files {
        if sum <= most_bytes {
            break;
        }
        if std::fs::remove_file(path).is_ok() {
            sum -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn views(name: &str, most: u64) -> RenderedViews {
        let folder = std::env::temp_dir().join(format!("wattle-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        RenderedViews::new(folder, most, Arc::default())
    }

    #[tokio::test]
    async fn a_view_is_made_once() {
        let views = Arc::new(views("views-once", 1 << 20));
        let made = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (views, made) = (Arc::clone(&views), Arc::clone(&made));
                tokio::spawn(async move {
                    let make = move |()| {
                        made.fetch_add(1, Ordering::Relaxed);
                        Ok(b"content".to_vec())
                    };
                    views.get(&["a", "b"], async { Ok(()) }, make).await
                })
            })
            .collect();
        for task in tasks {
            let view = task.await.expect("a task").expect("a view");
            assert_eq!(view.content().expect("content"), b"content");
        }
        assert_eq!(made.load(Ordering::Relaxed), 1);
        assert!(views.making.lock().expect("a lock").is_empty());
        let _ = std::fs::remove_dir_all(&views.folder);
    }

    #[tokio::test]
    async fn the_folder_stays_small() {
        let views = views("views-small", 3000);
        for nth in 0..40_u64 {
            let noise: Vec<u8> = (0..500_u64)
                .map(|at| {
                    ((at * 7919 + nth * 104_729).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
                })
                .collect();
            views.get(&[&nth.to_string()], async { Ok(noise) }, Ok).await.expect("a view");
        }
        let files = std::fs::read_dir(&views.folder).expect("a folder").flatten();
        let kept =
            files.flat_map(|part| std::fs::read_dir(part.path()).expect("a folder").flatten());
        let bytes: u64 = kept.map(|file| file.metadata().expect("a file").len()).sum();
        assert!(bytes > 0 && bytes <= 3000, "{bytes}");
        let _ = std::fs::remove_dir_all(&views.folder);
    }

    #[test]
    fn parts_of_a_name_are_kept_apart() {
        assert_ne!(tag_of(&["ab", "c"]), tag_of(&["a", "bc"]));
    }
}
