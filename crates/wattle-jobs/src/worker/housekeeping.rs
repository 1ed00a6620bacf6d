//! Work that a server does now and then.

use std::fs;
use std::time::{Duration, Instant};

use crate::base::{JobId, ServerError, StillnessWatch, UploadId};
use crate::queue::ClaimWatch;
use crate::server_data::ServerData;

/// The time between two sweeps.
const SWEEP_EVERY: Duration = Duration::from_mins(5);
/// The time between two looks for what projects no longer keep.
const TIDY_EVERY: Duration = Duration::from_hours(1);
/// The time between two looks for contents that no row names.
const SWEEP_CONTENTS_EVERY: Duration = Duration::from_hours(24);
/// Looks at signs of life within one lease.
const LOOKS: u32 = 5;

/// Work that a server does now and then: jobs of dead workers go to others, abandoned uploads and left-over files are deleted.
///
/// Every worker has one. A server without workers runs one of its own.
#[derive(Debug)]
pub struct Housekeeping {
    data: ServerData,
    claims: ClaimWatch,
    uploads: StillnessWatch<UploadId, u64>,
    looked: Option<Instant>,
    swept: Option<Instant>,
    tidied: Option<Instant>,
    swept_contents: Option<Instant>,
}

impl Housekeeping {
    /// For a server.
    pub fn new(data: ServerData) -> Self {
        let (claims, uploads) = (ClaimWatch::default(), StillnessWatch::default());
        // Contents are looked at once a day, not at each start.
        let swept_contents = Some(Instant::now());
        Self { data, claims, uploads, looked: None, swept: None, tidied: None, swept_contents }
    }

    /// Does what is due. To be called often; mostly it does nothing.
    pub async fn tick(&mut self) -> Result<(), ServerError> {
        let now = Instant::now();
        let is_due = |last: Option<Instant>, every: Duration| {
            last.is_none_or(|last| now.duration_since(last) >= every)
        };
        if is_due(self.looked, self.data.limits().lease / LOOKS) {
            self.looked = Some(now);
            self.data.claims().take_back(&mut self.claims, now).await?;
        }
        if is_due(self.swept, SWEEP_EVERY) {
            self.swept = Some(now);
            self.data.uploads().expire(&mut self.uploads, now).await?;
            self.sweep_folders().await?;
            self.data.fill_reserve();
        }
        if is_due(self.tidied, TIDY_EVERY) {
            self.tidied = Some(now);
            let tidied = self.data.tidy(false).await?;
            if tidied.iter().any(|project| !project.runs.is_empty()) {
                self.sweep_files().await?;
            }
        }
        if is_due(self.swept_contents, SWEEP_CONTENTS_EVERY) {
            self.swept_contents = Some(now);
            self.sweep_files().await?;
        }
        Ok(())
    }

    /// Deletes contents that no row names: [`StoredFiles::sweep`](crate::StoredFiles::sweep). It looks at every file, so once a day is enough.
    pub async fn sweep_files(&self) -> Result<usize, ServerError> {
        self.data.files().sweep().await
    }

    /// Deletes folders of jobs whose worker died.
    async fn sweep_folders(&self) -> Result<(), ServerError> {
        let jobs = self.data.location().jobs();
        for entry in fs::read_dir(&jobs).map_err(ServerError::file(&jobs))?.flatten() {
            let name = entry.file_name();
            let Some((job, claim)) = name.to_str().and_then(|name| name.split_once('-')) else {
                continue;
            };
            let (Ok(job), Ok(claim)) = (job.parse(), claim.parse()) else { continue };
            if !self.data.claims().is_current(JobId(job), claim).await? {
                // Another one may be deleting it, too.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }
}
