//! `wattle demo --polling`: what the period of polling costs and gives, on a simulated phone whose bytes are known.

mod bytes;
mod measure;
mod paper;
mod summary;
mod terminal;

use std::path::Path;

use anyhow::Context as _;

use self::measure::Measured;
use self::summary::Summary;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// The periods, in milliseconds: those of the paper's table, and those below for which it gives run times only.
const PERIODS: [u32; 6] = [100, 200, 500, 1000, 2000, 3000];
/// Run times are shown relative to that of this period.
const REFERENCE: u32 = 1000;
/// Runs of each period, as in the paper.
const RUNS: u64 = 2;

/// The arguments of `wattle demo --polling`.
#[derive(Debug)]
pub struct Request<'a> {
    /// Seed of the first run; the others follow.
    pub seed: u64,
    /// The file for the figures as JSON.
    pub json: Option<&'a Path>,
    /// Whether the table is printed.
    pub prints: bool,
}

/// Runs `wattle demo --polling`.
pub fn run(request: &Request<'_>) -> Outcome {
    let seeds: Vec<u64> = (0..RUNS).map(|nth| request.seed.wrapping_add(nth)).collect();
    let jobs: Vec<(u32, u64)> =
        PERIODS.iter().flat_map(|period| seeds.iter().map(|seed| (*period, *seed))).collect();
    let threads = wattle_workers::available(0);
    let measured: Vec<anyhow::Result<Measured>> =
        wattle_workers::ordered(threads, &jobs, |(period, seed)| Measured::new(*period, *seed));
    let measured = measured
        .into_iter()
        .collect::<anyhow::Result<Vec<_>>>()
        .context("profiling the simulated phone")
        .map_err(Failure::Internal)?;
    let summary = Summary::new(seeds, &measured);
    if let Some(path) = request.json {
        output::write_json(path, &summary)?;
    }
    if request.prints {
        output::print(terminal::page(&summary).as_bytes())?;
    }
    Ok(())
}
