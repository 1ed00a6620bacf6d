//! Workers.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::child_run::{self, ChildEnd, ChildLink, ChildPlan, EndCause};
use super::child_text::reason_of;
use super::confinement::Confinement;
use super::job_command::{JobStep, steps};
use super::job_folder::JobFolder;
use super::{DeviceShelf, Housekeeping, WorkerSettings, job_results};
use crate::base::{ErrorKind, LimitKind, LimitReached, ServerError};
use crate::queue::{Beat, JobClaim, JobEnd, JobState, LentDevice};
use crate::server_data::ServerData;

/// The pause between two looks at a queue that was empty.
const IDLE: Duration = Duration::from_millis(300);
/// The pause after a job that went back to the queue: what was in its way is there a moment later, too.
const AFTER_RETURN: Duration = Duration::from_secs(5);
/// The longest time between two looks at the process of a job.
const TICK: Duration = Duration::from_millis(250);

/// A signal to stop. Copies are the same.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicBool>);

impl StopSignal {
    /// Says that all who listen shall stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody said so.
    pub fn is_stopping(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A worker: takes one job after the other and runs each as a confined process.
///
/// A server starts as many as it runs jobs at once. Workers on other machines use the same database and the same folder.
#[derive(Debug)]
pub struct Worker {
    data: ServerData,
    settings: WorkerSettings,
    housekeeping: Housekeeping,
    devices: DeviceShelf,
    announced: Option<(Instant, Vec<LentDevice>)>,
}

impl Worker {
    /// A worker of a server.
    pub fn new(data: ServerData, settings: WorkerSettings) -> Self {
        let housekeeping = Housekeeping::new(data.clone());
        let devices = DeviceShelf::new(settings.devices.clone());
        Self { data, settings, housekeeping, devices, announced: None }
    }

    /// The devices of its machine, for whoever watches them come and go.
    pub fn devices(&self) -> DeviceShelf {
        self.devices.clone()
    }

    /// Says that the worker is there, as often as it must.
    async fn announce(&mut self) -> Result<(), ServerError> {
        let every = self.data.limits().lease / 2;
        let devices = self.devices.devices();
        let is_known = |(last, known): &(Instant, Vec<LentDevice>)| {
            last.elapsed() < every && *known == devices
        };
        if !self.announced.as_ref().is_some_and(is_known) {
            let settings = &self.settings;
            self.data.claims().announce(&settings.name, &settings.title, &devices).await?;
            self.announced = Some((Instant::now(), devices));
        }
        Ok(())
    }

    /// Does jobs until it is told to stop; the one under way goes back to the queue then. What goes wrong with one job, or with
    /// the database for a while, ends neither.
    pub async fn run(mut self, stop: StopSignal) {
        while !stop.is_stopping() {
            // A database that does not answer now may answer later; the next attempt will tell.
            let done = self.run_once(&stop).await;
            let _ = self.housekeeping.tick().await;
            match done {
                Ok(Some(JobState::Queued)) => pause(AFTER_RETURN, &stop).await,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => tokio::time::sleep(IDLE).await,
            }
        }
        let _ = self.data.claims().leave(&self.settings.name).await;
    }

    /// Does one job if there is one. Returns what became of it.
    pub async fn run_once(&mut self, stop: &StopSignal) -> Result<Option<JobState>, ServerError> {
        let claims = self.data.claims();
        self.announce().await?;
        let Some(claim) = claims.claim(&self.settings.name).await? else { return Ok(None) };
        let end = match self.perform(&claim, stop).await {
            Ok(end) => end,
            Err(ServerError::ClaimLost) => return Ok(None),
            Err(error) => end_of_error(&error),
        };
        match claims.end(&claim, &end).await {
            // Another worker has it; the runs that this one kept are the same for both.
            Err(ServerError::ClaimLost) => Ok(None),
            other => other.map(Some),
        }
    }

    async fn perform(
        &mut self,
        claim: &JobClaim,
        stop: &StopSignal,
    ) -> Result<JobEnd, ServerError> {
        self.check_room(claim).await?;
        let folder = Arc::new(JobFolder::make(self.data.location(), claim)?);
        let steps = steps(claim, &folder, self.settings.allows_scripts)?;
        let mut failed = None;
        for step in &steps {
            match self.step(claim, &folder, step, stop).await? {
                StepEnd::Done => {}
                StepEnd::Failed(reason) => {
                    failed = Some(reason);
                    break;
                }
                StepEnd::Ended(end) => return Ok(end),
            }
        }
        let outputs = job_results::keep_outputs(&self.data, claim, &folder.out()).await?;
        if let Some(reason) = failed {
            return Ok(JobEnd::Failed { reason, outputs });
        }
        // Nothing is kept for a job that somebody else has meanwhile.
        self.data.claims().beat(claim).await?;
        let runs = job_results::keep_runs(&self.data, claim, &folder.out()).await?;
        Ok(JobEnd::Done { runs, outputs })
    }

    async fn check_room(&self, claim: &JobClaim) -> Result<(), ServerError> {
        let project = claim.job.project;
        let most = self.data.quotas().most_runs(project).await?;
        let mut store = self.data.history(project).await?;
        let runs: u64 = store.apps().await?.iter().map(|(_, runs)| runs).sum();
        store.close().await?;
        Ok(LimitReached::check(LimitKind::ProjectRuns, runs.saturating_add(1), most)?)
    }

    async fn step(
        &mut self,
        claim: &JobClaim,
        folder: &Arc<JobFolder>,
        step: &JobStep,
        stop: &StopSignal,
    ) -> Result<StepEnd, ServerError> {
        let claims = self.data.claims();
        claims.progress(claim, step.title, None).await?;
        let plan = self.plan(claim, folder, step)?;
        let limits = plan.limits.clone();
        let link = ChildLink::default();
        // If this is dropped, so is the process.
        let _guard = StopOnDrop(link.clone());
        let (sender, mut end) = oneshot::channel();
        let (thread_link, thread_folder) = (link.clone(), Arc::clone(folder));
        // A thread of its own, because the process ends with the thread that started it.
        let thread = std::thread::Builder::new().name(format!("job {}", claim.job.id));
        let thread = thread.spawn(move || {
            let end = child_run::run(&plan, &thread_link, || thread_folder.written());
            // The folder is deleted by whoever has it last, and that shall be the worker.
            drop(thread_folder);
            // Nobody listens if the worker was dropped.
            let _ = sender.send(end);
        });
        thread
            .map_err(|error| ServerError::Machine { task: "worker", reason: error.to_string() })?;
        let beat_every = self.data.limits().lease / 5;
        let (mut beaten, mut gives_back) = (Instant::now(), false);
        let end: ChildEnd = loop {
            match tokio::time::timeout(TICK.min(beat_every), &mut end).await {
                Ok(Ok(end)) => break end,
                Ok(Err(error)) => {
                    return Err(ServerError::Machine { task: "worker", reason: error.to_string() });
                }
                Err(_) => {}
            }
            if stop.is_stopping() {
                gives_back = true;
                link.stop();
            }
            if let Some(figures) = link.first_figures() {
                // They are worth nothing to a job that is done, so nothing waits for them.
                let _ = claims.state_first(claim, &figures).await;
            }
            let beat = match link.progress() {
                Some(progress) => {
                    beaten = Instant::now();
                    let line = format!("{}: {}", step.title, progress.line);
                    claims.progress(claim, &line, progress.fraction).await
                }
                None if beaten.elapsed() >= beat_every => {
                    beaten = Instant::now();
                    claims.beat(claim).await
                }
                None => continue,
            };
            match beat {
                Ok(Beat::Cancel) => link.stop(),
                Err(ServerError::ClaimLost) => return Err(ServerError::ClaimLost),
                // The database may be away for a while; the lease says for how long.
                Ok(Beat::GoOn) | Err(_) => {}
            }
            let _ = self.announce().await;
            let _ = self.housekeeping.tick().await;
        };
        let text = end.text.finish(&folder.hidden());
        Ok(match end.cause {
            EndCause::Exit(status)
                if status.code().is_some_and(|it| step.accepted.contains(&it)) =>
            {
                StepEnd::Done
            }
            EndCause::Exit(status) => {
                let words = child_run::described(status, &limits, &text);
                StepEnd::Failed(format!("{words}\n{}", reason_of(&text)).trim().to_owned())
            }
            EndCause::Stopped if gives_back => StepEnd::Ended(JobEnd::Returned {
                reason: "its worker was stopped".to_owned(),
                counts: false,
            }),
            EndCause::Stopped => StepEnd::Ended(JobEnd::Cancelled),
            EndCause::TooLong => {
                let most = child_run::described_time(limits.wall.as_secs());
                StepEnd::Failed(format!(
                    "too slow: it took longer than the {most} that a job may take"
                ))
            }
            EndCause::TooMuch => {
                let megabytes = limits.folder_bytes >> 20;
                StepEnd::Failed(format!(
                    "it wrote more than the {megabytes} MB that a job may write"
                ))
            }
            EndCause::NotStarted(error) => StepEnd::Ended(JobEnd::Returned {
                reason: format!("the analysis could not be started: {error}"),
                counts: true,
            }),
        })
    }

    fn plan(
        &self,
        claim: &JobClaim,
        folder: &JobFolder,
        step: &JobStep,
    ) -> Result<ChildPlan, ServerError> {
        let settings = &self.settings;
        let path = std::path::absolute(folder.path()).map_err(ServerError::file(folder.path()))?;
        let uses_device = matches!(claim.job.kind, crate::queue::JobKind::Run(_));
        let files = (settings.confines && !uses_device).then(|| self.reachable(&path));
        let limits = settings.limits.clone();
        let parent = std::process::id();
        let confinement = Confinement { limits, parent, is_asked: uses_device, files };
        let confinement = serde_json::to_string(&confinement);
        let confinement = confinement
            .map_err(|error| ServerError::Machine { task: "worker", reason: error.to_string() })?;
        let mut command = settings.launcher.clone();
        command.push(confinement.into());
        command.push(settings.program.clone().into_os_string());
        command.extend(step.arguments.iter().map(OsString::from));
        let jobs = path.parent().unwrap_or(&path).to_owned();
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("HOME".into(), path.join("tmp").into()),
            ("TMPDIR".into(), path.join("tmp").into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("WATTLE_PROGRESS".into(), "lines".into()),
            // A server's folder may be in somebody's repository; that is not the app's.
            ("GIT_CEILING_DIRECTORIES".into(), jobs.into()),
        ];
        environment.extend(std::env::var_os("PATH").map(|path| ("PATH".into(), path)));
        environment.extend(settings.environment.iter().cloned());
        if claim.device.is_some() {
            environment.extend(settings.device_environment.iter().cloned());
        }
        let limits = settings.limits.clone();
        Ok(ChildPlan { command, folder: path, environment, limits, is_asked: uses_device })
    }

    /// The files and folders that a job without a device can reach, and whether it may write there.
    fn reachable(&self, folder: &Path) -> Vec<(PathBuf, bool)> {
        let system = [
            "/usr",
            "/lib",
            "/lib64",
            "/bin",
            "/etc/ld.so.cache",
            "/proc",
            "/sys/fs/cgroup",
            "/dev/urandom",
        ];
        let mut reachable: Vec<(PathBuf, bool)> =
            system.iter().map(|path| (PathBuf::from(path), false)).collect();
        reachable.push((PathBuf::from("/dev/null"), true));
        reachable.push((self.settings.program.clone(), false));
        reachable.push((folder.join("in"), false));
        reachable.push((folder.join("out"), true));
        reachable.push((folder.join("tmp"), true));
        reachable
    }
}

/// Waits, unless the worker is to stop.
async fn pause(time: Duration, stop: &StopSignal) {
    let begun = Instant::now();
    while begun.elapsed() < time && !stop.is_stopping() {
        tokio::time::sleep(IDLE).await;
    }
}

/// The end of one program call.
enum StepEnd {
    Done,
    Failed(String),
    /// The job's end, whatever else there is to do.
    Ended(JobEnd),
}

struct StopOnDrop(ChildLink);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A job that cannot be done goes back where the machine is to blame, and fails where its own data are.
fn end_of_error(error: &ServerError) -> JobEnd {
    match error.kind() {
        ErrorKind::NoRoom => {
            // The job is not to blame, so that it waits until there is room.
            JobEnd::Returned { reason: "the server's disk is full".to_owned(), counts: false }
        }
        ErrorKind::Internal => JobEnd::Returned {
            // Paths and messages of the database are for logs.
            reason: "the worker had an internal error; the server's log has the details".to_owned(),
            counts: true,
        },
        _ => JobEnd::Failed { reason: error.to_string(), outputs: Vec::new() },
    }
}

/// A server runs workers as tasks that move between threads: this does not compile if it cannot.
#[cfg(test)]
const _: fn(Worker) = |worker| {
    fn is_send<T: Send>(_: T) {}
    is_send(worker.run(StopSignal::default()));
};
