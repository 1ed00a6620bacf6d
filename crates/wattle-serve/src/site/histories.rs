//! Histories of runs that are kept open between requests.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use wattle_jobs::{ProjectId, ServerData};
use wattle_store::{AsyncStore, KeptRun, RunFilter, RunId, StoreError};

use crate::http::WebError;

/// Connections that wait for their next use, of each project at most.
const IDLE: usize = 4;
/// Projects whose connections are kept.
const PROJECTS: usize = 32;

/// The histories of projects.
#[derive(Debug)]
pub struct Histories {
    data: ServerData,
    idle: Mutex<HashMap<ProjectId, Vec<AsyncStore>>>,
}

impl Histories {
    /// Of the projects of a server.
    pub fn new(data: ServerData) -> Self {
        Self { data, idle: Mutex::default() }
    }

    /// The history of a project, for one request.
    pub async fn open(&self, project: ProjectId) -> Result<OpenHistory<'_>, WebError> {
        let waiting = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.get_mut(&project).and_then(Vec::pop)
        };
        let store = match waiting {
            Some(store) => store,
            None => self.data.history(project).await?,
        };
        Ok(OpenHistory { histories: self, project, store: Some(store) })
    }
}

/// A history in use. Dropped, it waits for its next use, unless its connection has failed.
#[derive(Debug)]
pub struct OpenHistory<'a> {
    histories: &'a Histories,
    project: ProjectId,
    store: Option<AsyncStore>,
}

impl OpenHistory<'_> {
    fn store(&mut self) -> Result<&mut AsyncStore, WebError> {
        self.store.as_mut().ok_or_else(|| WebError::internal(&"a history without connection"))
    }

    /// The result of a call; after an error the connection is not used again.
    fn checked<T>(&mut self, result: Result<T, StoreError>) -> Result<T, WebError> {
        if matches!(&result, Err(error) if !matches!(error, StoreError::NoSuchRun { .. })) {
            self.store = None;
        }
        Ok(result?)
    }

    /// One run.
    pub async fn run(&mut self, id: RunId) -> Result<KeptRun, WebError> {
        let found = self.store()?.run(id).await;
        self.checked(found)
    }

    /// Runs, in the order in which they were kept.
    pub async fn runs(&mut self, filter: &RunFilter) -> Result<Vec<KeptRun>, WebError> {
        let found = self.store()?.runs(filter).await;
        self.checked(found)
    }

    /// The file of a run's ledger.
    pub async fn ledger(&mut self, id: RunId) -> Result<Vec<u8>, WebError> {
        let found = self.store()?.ledger(id).await;
        self.checked(found).map(|file| file.ledger)
    }

    /// Apps with the number of their runs.
    pub async fn apps(&mut self) -> Result<Vec<(String, u64)>, WebError> {
        let found = self.store()?.apps().await;
        self.checked(found)
    }

    /// Deletes a run. The result is whether it existed.
    pub async fn delete(&mut self, id: RunId) -> Result<bool, WebError> {
        let deleted = self.store()?.delete(&[id]).await;
        self.checked(deleted).map(|count| count > 0)
    }
}

impl Drop for OpenHistory<'_> {
    fn drop(&mut self) {
        let Some(store) = self.store.take() else { return };
        let mut idle = self.histories.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= PROJECTS && !idle.contains_key(&self.project) {
            return;
        }
        let waiting = idle.entry(self.project).or_default();
        if waiting.len() < IDLE {
            waiting.push(store);
        }
    }
}
