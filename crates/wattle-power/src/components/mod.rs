//! Components other than by the CPU's curves: what Android's statistics and states make of them.
//!
//! Totals first: what the system counted of a stretch of time, by Android's own rules ([`component_charges`]). Where
//! there are none, states over time. Every formula and figure is in `docs/component-models.md`.

mod ambient;
mod android_charges;
mod audio;
mod awake;
mod awake_states;
mod bluetooth;
mod camera;
mod cellular;
mod component_charges;
mod component_tracks;
mod cpu_totals;
mod display;
mod draw;
mod figure_errors;
mod figure_set;
mod flashlight;
mod gnss;
mod gpu_law;
mod gpu_utilisation;
mod measured_consumers;
mod memory;
mod panel;
mod phone_calls;
mod portion;
mod sensors;
mod state_holders;
mod states;
mod storage;
mod timed;
mod totals;
mod tracks;
mod traffic;
mod uncovered;
mod usage_shape;
mod utilisation;
mod video;
mod wifi;

pub(crate) use android_charges::{estimate as android_estimate, is_undivided};
pub use component_charges::component_charges;
pub(crate) use component_tracks::{Request, estimate};
pub use cpu_totals::cpu_figures;
pub(crate) use figure_set::FigureSet;
pub use portion::ComponentCharge;
pub(crate) use uncovered::Uncovered;
