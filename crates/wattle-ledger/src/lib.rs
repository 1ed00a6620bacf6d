//! Attribution policies and the ledger: every joule of every power track booked to exactly one account.
//!
//! A [`Ledger`] is made from a timeline and its power estimate, holds no reference to either, and has a
//! documented file format. It closes: for every component the sum over its accounts equals the integral
//! of its power tracks, computed independently, to 1e-9 relative.

mod account;
pub mod allocation;
mod api_lookup;
mod api_set;
mod api_sheet;
mod attribution;
mod attribution_options;
mod booking;
mod call_edge;
mod call_energies;
mod call_stats;
mod called_line;
mod callee;
mod check;
mod check_bins;
mod check_code;
mod check_samples;
mod check_spans;
mod check_tracks;
mod check_waits;
mod closure;
mod component_bins;
mod cpu_time_bins;
mod energy_bins;
mod energy_coverage;
mod entry_columns;
mod error;
mod file_keys;
mod frame_entry;
mod function_place;
mod grouped_paths;
mod judged_rail;
mod ledger;
mod ledger_file;
mod ledger_sums;
mod meter_intervals;
mod numbered_name;
mod path_energies;
mod power_series;
mod probe_overhead;
mod recorder_processes;
mod row_entries;
mod runtime_tax;
mod sampling;
mod site_entry;
mod slice_rows;
mod spans;
mod steady_name;
mod stretch;
mod stretch_detail;
mod test_entry;
mod time_track;
mod track_detail;
mod track_range;
mod transfer_entry;
mod upper_bound;
mod wait_entry;

pub use account::{Account, AccountId, Charge};
pub use api_set::{API_SETS_FORMAT, ApiSet, ApiSets, ApiUse};
pub use api_sheet::{ApiCostEntry, ApiEntry, ApiSheet, ApiTableEntry};
pub use attribution::{attribute, judged_rails, rail_curves};
pub use attribution_options::{
    AttributionOptions, HardwareEvidence, Prefer, SharedPolicy, Stacks, Unfinished,
};
pub use booking::{Booking, ComponentId};
pub use call_edge::CallEdge;
pub use call_energies::CallEnergies;
pub use call_stats::{CallQuantiles, CallStats};
pub use called_line::CalledLine;
pub use component_bins::ComponentBins;
pub use cpu_time_bins::{CpuTimeBins, CpuTimeCell};
pub use energy_bins::{EnergyBins, EnergyCell};
pub use energy_coverage::{CoveredComponent, CoveredTime, EnergyCoverage};
pub use error::LedgerError;
pub use frame_entry::{FrameClass, FrameEntry};
pub use function_place::FunctionPlace;
pub use judged_rail::{JudgedRail, JudgedStretch};
pub use ledger::{
    Ledger, LedgerRows, PowerFacts, PowerOverTime, RecordingFacts, SCHEMA, Sheets, SpanSheet,
    TestRuns,
};
pub use meter_intervals::MeterIntervals;
pub use numbered_name::with_numbers_grouped;
pub use path_energies::PathEnergies;
pub use power_series::{PowerBins, PowerSeries};
pub use probe_overhead::{ProbeCostEntry, ProbeOverhead};
pub use recorder_processes::{is_program, recorder_processes};
pub use row_entries::{
    ArtifactEntry, Closure, ComponentEntry, CpuEntry, PackageEntry, PathEntry, PathId,
    ProcessEntry, ThreadEntry,
};
pub use runtime_tax::{RuntimeClass, RuntimeEvidence, RuntimeRule, RuntimeRuleKind, RuntimeTax};
pub use sampling::Sampling;
pub use site_entry::{CoverageEntry, InlinedEntry, SiteEntry, TestMethodEntry};
pub use spans::{
    AppState, FrameJank, JourneyMeasure, SpanBooking, SpanEntry, SpanKind, SpanParty, SpanRole,
    SpanSubject, StartupKind,
};
pub use steady_name::steady_name;
pub use stretch::Stretch;
pub use stretch_detail::StretchDetail;
pub use test_entry::{TestBooking, TestEntry};
pub use time_track::{TimeTrack, TimeTracks, TrackKind, TrackStretch};
pub use track_range::{TrackAmount, TrackRange};
pub use transfer_entry::TransferEntry;
pub use upper_bound::{BoundCall, BoundGroup, BoundTest, LegacyFigure, UpperBound, UpperBounds};
pub use wait_entry::{NoWaits, WaitEntry, WaitKind};
