//! Histories of runs that are kept open between requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::Handle;
use wattle_gate::{Policy, Subject};
use wattle_history::{PageRequest, history_page};
use wattle_jobs::{ProjectId, ServerData, ServerError};
use wattle_report::{HistoryBudget, HistoryPage};
use wattle_store::{
    AsyncStore, KeptRun, MethodChoice, PartialFigures, RunFilter, RunId, Store, StoreError,
};

use crate::http::WebError;

/// Connections that wait for their next use, of each project at most.
const IDLE: usize = 4;
/// Projects whose connections are kept.
const PROJECTS: usize = 32;

/// The histories of projects.
#[derive(Clone, Debug)]
pub struct Histories {
    data: ServerData,
    idle: Arc<Mutex<HashMap<ProjectId, Vec<AsyncStore>>>>,
}

impl Histories {
    /// Of the projects of a server.
    pub fn new(data: ServerData) -> Self {
        Self { data, idle: Arc::default() }
    }

    /// The history of a project.
    pub fn of(&self, project: ProjectId) -> ProjectHistory {
        ProjectHistory { histories: self.clone(), project }
    }

    fn take(&self, project: ProjectId) -> Option<AsyncStore> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.get_mut(&project).and_then(Vec::pop)
    }

    fn put(&self, project: ProjectId, store: AsyncStore) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= PROJECTS && !idle.contains_key(&project) {
            return;
        }
        let waiting = idle.entry(project).or_default();
        if waiting.len() < IDLE {
            waiting.push(store);
        }
    }
}

/// The history of one project.
#[derive(Clone, Debug)]
pub struct ProjectHistory {
    histories: Histories,
    project: ProjectId,
}

impl ProjectHistory {
    /// Runs something on a connection of its own. A connection that failed is not used again.
    ///
    /// It is done on a thread for slow things: ledgers are read from files there, too.
    async fn with<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut AsyncStore) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, WebError> {
        let (histories, project, runtime) =
            (self.histories.clone(), self.project, Handle::current());
        let done = tokio::task::spawn_blocking(move || {
            runtime.block_on(async move {
                let mut store = match histories.take(project) {
                    Some(store) => store,
                    None => histories.data.history(project).await?,
                };
                let result = work(&mut store).await;
                if matches!(result, Ok(_) | Err(StoreError::NoSuchRun { .. })) {
                    histories.put(project, store);
                }
                Ok::<T, ServerError>(result?)
            })
        });
        match done.await {
            Ok(result) => Ok(result?),
            Err(error) => Err(WebError::internal(&error)),
        }
    }

    /// One run.
    pub async fn run(&self, id: RunId) -> Result<KeptRun, WebError> {
        self.with(async move |store| store.run(id).await).await
    }

    /// Runs, in the order in which they were kept.
    pub async fn runs(&self, filter: RunFilter) -> Result<Vec<KeptRun>, WebError> {
        self.with(async move |store| store.runs(&filter).await).await
    }

    /// The figures of runs, with those of all methods where the runs are of one app.
    pub async fn figures(
        &self,
        runs: Vec<KeptRun>,
        is_of_one_app: bool,
    ) -> Result<Vec<PartialFigures>, WebError> {
        let is_meant = move |_: &str| is_of_one_app;
        self.with(async move |store| {
            if is_of_one_app {
                return store.figures_of(&runs, MethodChoice::Named(&is_meant)).await;
            }
            let mut all = Vec::with_capacity(runs.len());
            for run in &runs {
                let one = std::slice::from_ref(run);
                all.extend(store.figures_of(one, MethodChoice::Named(&is_meant)).await?);
            }
            Ok(all)
        })
        .await
    }

    /// The file of a run's ledger.
    pub async fn ledger(&self, id: RunId) -> Result<Vec<u8>, WebError> {
        self.with(async move |store| Ok(store.ledger(id).await?.ledger)).await
    }

    /// Apps with the number of their runs.
    pub async fn apps(&self) -> Result<Vec<(String, u64)>, WebError> {
        self.with(async |store| store.apps().await).await
    }

    /// Energy over versions of an app, with the budgets of a policy; `app` is empty for runs without one.
    ///
    /// The page's data are read by a connection that waits, on a thread for slow things.
    pub async fn page(&self, app: String, policy: Policy) -> Result<HistoryPage, WebError> {
        self.blocking(move |store| {
            let subject = if app.is_empty() { Subject::Total } else { Subject::App };
            let is_meant = policy.app.as_ref().is_none_or(|other| *other == app);
            let budget = |scenario: Option<&str>| {
                let limit = policy.least_limit(&subject, scenario).filter(|_| is_meant)?;
                Some(HistoryBudget { joules: limit.0.value(), rule: subject.to_string() })
            };
            let request = PageRequest {
                app: &app,
                is_total: false,
                filter: RunFilter::of_app(&app),
                budget: &budget,
            };
            history_page(store, &request).map_err(WebError::from)
        })
        .await
    }

    /// Runs something on a connection that waits, on a thread for slow things.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, WebError> + Send + 'static,
    ) -> Result<T, WebError> {
        let location = self.with(async |store| Ok(store.location().clone())).await?;
        let made = tokio::task::spawn_blocking(move || {
            let mut store = Store::open(&location)?;
            let made = work(&mut store)?;
            store.close()?;
            Ok(made)
        });
        made.await.unwrap_or_else(|error| Err(WebError::internal(&error)))
    }

    /// Deletes a run. The result is whether it existed.
    pub async fn delete(&self, id: RunId) -> Result<bool, WebError> {
        self.histories.data.give_reserve();
        self.with(async move |store| Ok(store.delete(&[id]).await? > 0)).await
    }
}
