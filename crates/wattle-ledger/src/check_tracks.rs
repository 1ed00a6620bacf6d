//! Whether tracks over time have the shape that their columns need.

use crate::check::{points, refuse};
use crate::energy_bins::MOST_BINS;
use crate::{CpuTimeBins, Ledger, LedgerError, TimeTrack, TimeTracks, TrackKind};

impl Ledger {
    /// That tracks are in order of time and point to rows.
    pub(crate) fn check_tracks(&self) -> Result<(), LedgerError> {
        let Some(tracks) = &self.over_time.tracks else { return Ok(()) };
        for (index, track) in tracks.tracks.iter().enumerate() {
            self.check_track(tracks, track, index)?;
        }
        check_cpu_time(&tracks.cpu_time, self.rows.paths.len())
    }

    fn check_track(
        &self,
        of: &TimeTracks,
        track: &TimeTrack,
        index: usize,
    ) -> Result<(), LedgerError> {
        let row = ("track", index);
        let counts = [track.lengths.len(), track.values.len()];
        let depths = track.depths.len();
        if counts != [track.len(); 2] || (depths != 0 && depths != track.len()) {
            let found =
                format!("has {counts:?} values and {depths} depths for {} stretches", track.len());
            refuse(row.0, index, found)?;
        }
        if track.steps.iter().chain(&track.lengths).any(|time| *time < 0) {
            refuse(row.0, index, "is not in order of time".to_owned())?;
        }
        let end = track.steps.iter().map(|step| i128::from(*step)).sum::<i128>();
        if i64::try_from(end).is_err() {
            refuse(row.0, index, "ends after the last instant".to_owned())?;
        }
        let rows = &self.rows;
        let (owners, values) = match track.kind {
            TrackKind::Slices => (Some(rows.threads.len()), Some(of.names.len())),
            TrackKind::Frames => (Some(rows.processes.len()), Some(6)),
            TrackKind::CpuRuns => (None, Some(rows.threads.len() + 1)),
            _ => (None, None),
        };
        if let (Some(owner), Some(count)) = (track.owner, owners) {
            points(row, "owner", owner as usize, count)?;
        }
        let least = if track.kind == TrackKind::CpuRuns { -1 } else { 0 };
        if let Some(count) = values {
            let is_row = |value: i64| usize::try_from(value).is_ok_and(|it| it < count);
            let found = track.values.iter().find(|it| **it != least && !is_row(**it));
            if let Some(found) = found {
                refuse(row.0, index, format!("has the value {found}, there are {count}"))?;
            }
        }
        Ok(())
    }
}

fn check_cpu_time(table: &CpuTimeBins, paths: usize) -> Result<(), LedgerError> {
    let what = "CPU time bins";
    if table == &CpuTimeBins::default() {
        return Ok(());
    }
    let found = table.cells.len();
    if found != paths {
        refuse(what, 0, format!("have {found} rows for {paths} paths"))?;
    }
    let bins = table.bins.count;
    if bins == 0 || bins > MOST_BINS || table.bins.width.value() <= 0 {
        refuse(what, 0, format!("have {bins} bins; expected 1 to {MOST_BINS} of some width"))?;
    }
    let cells: u64 = table.cells.iter().map(|count| u64::from(*count)).sum();
    let (steps, nanos) = (table.steps.len() as u64, table.nanos.len() as u64);
    if steps != cells || nanos != cells {
        refuse(what, 0, format!("have {steps} steps and {nanos} times for {cells} cells"))?;
    }
    let mut places = table.steps.iter().zip(&table.nanos);
    for (index, count) in table.cells.iter().enumerate() {
        let mut bin = 0_u32;
        for (step, nanos) in places.by_ref().take(*count as usize) {
            bin = bin.saturating_add(*step);
            if *nanos < 0 {
                refuse(what, index, "have a negative time".to_owned())?;
            }
        }
        if bin >= bins {
            refuse(what, index, format!("point to bin {bin}, there are {bins}"))?;
        }
    }
    Ok(())
}
