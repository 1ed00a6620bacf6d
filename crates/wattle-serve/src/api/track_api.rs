//! Tracks of a run in a range of time, in the detail that fits the range.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use wattle_jobs::{ProjectId, Role};
use wattle_ledger::{TimeTrack, TrackKind, TrackRange};
use wattle_report::PackedRange;
use wattle_store::RunId;
use wattle_units::{Joules, Nanos};

use super::run_api::{is_known, view_response};
use crate::http::{WebError, WebErrorKind};
use crate::kept_tracks::RunTracks;
use crate::rendered_views::{RenderedView, tag_of};
use crate::site::{ApiCaller, Site};
use crate::web_assets::compressed;

/// Stretches of an answer if none are asked for, and at most.
const MOST: u32 = 40_000;
/// Bytes of an answer, compressed.
const MOST_BYTES: usize = 200_000;
/// The largest instant that is read, in seconds: about 292 years.
const LATEST: f64 = 9.2e9;

/// A range of time, and the detail of the answer.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RangeQuery {
    /// The beginning of the range, in seconds from the start of the recording; by default its start.
    pub from: Option<f64>,
    /// The end of the range; by default that of the recording.
    pub to: Option<f64>,
    /// Stretches of time in the answer, at most 40000, which is the default. The shortest ones are merged or left out.
    #[param(minimum = 1)]
    pub stretches: Option<u32>,
}

/// Tracks over time in a range.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RangeState {
    /// The beginning of the range, in seconds from the start of the recording, to a whole tick.
    pub from_s: f64,
    /// The end of the range, to a whole tick.
    pub to_s: f64,
    /// Whether these are all stretches that the run's ledger has in the range.
    pub is_whole: bool,
    /// The length of a tick, the unit of the columns' times, in nanoseconds.
    pub tick_ns: i64,
    /// Energy of each component in the range; null where the ledger does not have energy over time. It is exact in ranges of whole
    /// bins. Neighbouring ranges add up.
    pub energy: Option<RangeEnergy>,
    /// By value of `slices`: the name of the call.
    pub names: Vec<String>,
    /// By value of `cpu-runs`, less one: the thread that ran.
    pub threads: Vec<RangeThread>,
    /// Tracks that have stretches in the range.
    pub tracks: Vec<RangeTrack>,
    /// The columns of all tracks, one after the other: starts (each less the one before), lengths, values (each less the one before,
    /// doubled, less one and positive if negative), and depths if `has_depths`. Numbers have seven bits in a byte, the lowest first; the
    /// highest bit says that more follow. gzip, in base64.
    pub packed: String,
}

/// Energy in a range.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RangeEnergy {
    /// Width of the bins in which energy over time is known, in seconds.
    pub bin_s: f64,
    /// Sum over all components, in joules.
    pub total_joules: f64,
    /// Components.
    pub components: Vec<RangeComponent>,
}

/// Energy of a component.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RangeComponent {
    /// Its name.
    pub name: String,
    /// Its energy in the range.
    pub joules: f64,
}

/// A thread.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RangeThread {
    /// Its number in the run's ledger.
    pub index: u32,
    /// The kernel's number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// The kernel's number of its process.
    pub pid: Option<u32>,
    /// The name of its process.
    pub process: String,
}

/// A track.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RangeTrack {
    /// Its number in the run's ledger.
    pub index: usize,
    /// `cpu-clock` (kHz), `cpu-runs` (threads), `slices` (calls), `power` and `rail` (µW), `frames`, `battery-level` (1/1000 %),
    /// `battery-charge` (µAh), `battery-current` (µA), `wakelock`.
    #[schema(value_type = String)]
    pub kind: TrackKind,
    /// The name of a rail, an app, a battery or a wakelock.
    pub name: String,
    /// The CPU, the thread or process of the ledger, or the uid, by the kind.
    pub owner: Option<u32>,
    /// The component of `power` and `rail`.
    pub component: Option<String>,
    /// Number of stretches in the columns.
    pub count: usize,
    /// Whether the columns have depths.
    pub has_depths: bool,
    /// Shorter stretches are merged or, of calls, frames and wakelocks, left out; 0 where all are as recorded.
    pub detail_s: f64,
    /// Time of stretches inside the range, in nanoseconds, before any of them was merged for this answer; without time that was not
    /// recorded. Stretches are cut at the ends of the range for it, so that neighbouring ranges add up.
    pub time_ns: i64,
    /// The energy of `power` and `rail` inside the range.
    pub joules: Option<f64>,
}

impl RangeQuery {
    /// The range in nanoseconds, to whole ticks of the length that the answer has.
    fn range(self, duration: Nanos) -> Result<(TrackRange, i64), WebError> {
        let invalid = |text: &str| Err(WebError::new(WebErrorKind::Invalid, text));
        let instant = |seconds: f64| (seconds * 1e9).round() as i64;
        for given in [self.from, self.to].into_iter().flatten() {
            if !(given.is_finite() && given.abs() <= LATEST) {
                return invalid("from, to: expected seconds from the start of the recording");
            }
        }
        let end = duration.value().max(0);
        let from = self.from.map_or(0, instant).clamp(0, end);
        let to = self.to.map_or(end, instant).clamp(0, end);
        if to < from || self.from.zip(self.to).is_some_and(|(from, to)| to <= from) {
            return invalid("to: expected an instant after from");
        }
        let tick = match to - from {
            0..10_000_000 => 1,
            10_000_000..1_000_000_000 => 100,
            _ => 1000,
        };
        let from = from / tick * tick;
        let to = to.saturating_add(tick - 1) / tick * tick;
        Ok((TrackRange { from, to }, tick))
    }

    fn most(self) -> Result<usize, WebError> {
        match self.stretches {
            None => Ok(MOST as usize),
            Some(given @ 1..=MOST) => Ok(given as usize),
            Some(given) => {
                let text = format!("stretches: expected 1 to {MOST}, found {given}");
                Err(WebError::new(WebErrorKind::Invalid, text))
            }
        }
    }
}

impl RangeState {
    /// The tracks of a run in a range, with at most so many stretches.
    fn new(run: &RunTracks, (range, tick): (TrackRange, i64), most: usize) -> Self {
        let between = run.tracks.between(range);
        let all = between.stretches();
        let is_in_range: Vec<bool> = between.tracks.iter().map(|it| !it.is_empty()).collect();
        let part = between.within(most);
        let tick = Nanos::new(tick);
        let packed = PackedRange::new(&part, &run.tracks.names, tick);
        let thread = |index: &u32| {
            let thread = run.threads.get(*index as usize)?;
            let (name, process) = (thread.name.clone(), thread.process.clone());
            Some(RangeThread { index: *index, tid: thread.tid, name, pid: thread.pid, process })
        };
        let given = run.tracks.tracks.iter().zip(&part.tracks).enumerate();
        // One of which everything was too short for this answer is there, too, and says so.
        let shown = given.filter(|(at, _)| is_in_range.get(*at).copied().unwrap_or(false));
        Self {
            from_s: Nanos::new(range.from).seconds(),
            to_s: Nanos::new(range.to).seconds(),
            is_whole: part.stretches() == all,
            tick_ns: packed.tick.value(),
            energy: run.range_energy(range),
            names: packed.names,
            threads: packed.threads.iter().filter_map(thread).collect(),
            tracks: shown
                .map(|(at, (whole, part))| RangeTrack::new(at, whole, (part, range)))
                .collect(),
            packed: packed.packed,
        }
    }
}

impl RangeTrack {
    fn new(index: usize, whole: &TimeTrack, (part, range): (&TimeTrack, TrackRange)) -> Self {
        let amount = whole.amount(range);
        let is_power = matches!(whole.kind, TrackKind::Power | TrackKind::Rail);
        Self {
            index,
            kind: whole.kind,
            name: whole.name.clone(),
            owner: whole.owner,
            component: whole.component.as_ref().map(|it| it.name().to_owned()),
            count: part.len(),
            has_depths: !part.depths.is_empty(),
            detail_s: part.detail.seconds(),
            time_ns: amount.time.value(),
            joules: is_power.then(|| amount.microwatts().value()),
        }
    }
}

impl RunTracks {
    /// The energy of components in a range.
    fn range_energy(&self, range: TrackRange) -> Option<RangeEnergy> {
        let energy = self.energy.as_ref()?;
        let offset = energy.bins.start.value().saturating_sub(self.start.value());
        let range = TrackRange {
            from: range.from.saturating_sub(offset),
            to: range.to.saturating_sub(offset),
        };
        let joules = energy.between(range);
        let component = |(name, joules): (&String, &Joules)| RangeComponent {
            name: name.clone(),
            joules: joules.value(),
        };
        Some(RangeEnergy {
            bin_s: energy.width().seconds(),
            total_joules: joules.iter().map(|it| it.value()).sum(),
            components: self.components.iter().zip(&joules).map(component).collect(),
        })
    }
}

/// The answer as gzip, within the bound: with fewer stretches where it would be too large.
fn packed_answer(run: &RunTracks, query: RangeQuery) -> Result<Vec<u8>, WebError> {
    let range = query.range(run.duration)?;
    let mut most = query.most()?;
    loop {
        let json = serde_json::to_vec(&RangeState::new(run, range, most));
        let json = json.map_err(|error| WebError::internal(&error))?;
        let gzip = compressed(&json);
        let gzip = gzip.ok_or_else(|| WebError::internal(&"an answer cannot be compressed"))?;
        if gzip.len() <= MOST_BYTES {
            return Ok(gzip);
        }
        if most <= 1 {
            let text = "the tracks of this run are too many for one answer";
            return Err(WebError::new(WebErrorKind::Unprocessable, text));
        }
        most = (most / 2).min(most * MOST_BYTES / gzip.len());
    }
}

impl Site {
    /// The answer with the tracks of a run in a range.
    pub async fn tracks(
        &self,
        (project, run): (ProjectId, i64),
        query: RangeQuery,
        headers: &HeaderMap,
    ) -> Result<Response, WebError> {
        // Before anything is read.
        query.most()?;
        query.range(Nanos::new(i64::MAX - 1_000_000))?;
        let history = self.histories.of(project);
        let kept = history.run(RunId(run)).await?;
        let digest = kept.ledger.sha256;
        let key = format!("{:?} {:?} {:?}", query.from, query.to, query.stretches);
        let tag = tag_of(&[&digest, "tracks", &key]);
        let media_type = "application/json";
        if is_known(&tag, headers) {
            return Ok(view_response(&RenderedView { gzip: Vec::new(), tag }, media_type, headers));
        }
        let load = async move { history.ledger(RunId(run)).await };
        let tracks = self.tracks.get(&digest, load).await?;
        let answering = Arc::clone(&self.tracks.answering);
        let place = answering.acquire_owned().await.map_err(|_| WebError::ending())?;
        // The place is free when the work is done, also where the client has hung up.
        let made = tokio::task::spawn_blocking(move || {
            let made = packed_answer(&tracks, query);
            drop(place);
            made
        });
        let gzip = made.await.map_err(|error| WebError::internal(&error))??;
        Ok(view_response(&RenderedView { gzip, tag }, media_type, headers))
    }
}

/// Show the tracks of a run over time in a range: power, calls, running threads, clocks, rails, frames, battery and wakelocks, in as much
/// detail as fits. Curves are cut at the ends of the range; calls, frames and wakelocks are whole.
#[utoipa::path(get, path = "/projects/{project}/runs/{run}/tracks", tag = "runs",
    params(("project" = String, Path, description = "Name of the project"), ("run" = i64, Path, description = "Number of the run"),
        RangeQuery),
    responses((status = 200, body = RangeState), (status = 304), (status = "4XX", body = WebError)))]
pub async fn tracks(
    State(site): State<Arc<Site>>,
    ApiCaller(identity): ApiCaller,
    Path((project, run)): Path<(String, i64)>,
    Query(query): Query<RangeQuery>,
    headers: HeaderMap,
) -> Result<Response, WebError> {
    let project = site.project(&identity, &project, Role::Reader).await?;
    site.tracks((project.id, run), query, &headers).await
}
