//! Components other than by the CPU's curves: what Android's statistics and states make of them.
//!
//! Totals first: what the system counted of a stretch of time, by Android's own rules ([`component_charges`]). Where
//! there are none, states over time. Every formula and figure is in `docs/component-models.md`.

mod ambient;
mod audio;
mod awake;
mod awake_states;
mod bluetooth;
mod camera;
mod cellular;
mod cpu;
mod display;
mod draw;
mod estimate;
mod figure_set;
mod flashlight;
mod gnss;
mod gpu;
mod gpu_law;
mod holders;
mod measured;
mod memory;
mod panel;
mod phone;
mod portion;
mod sensors;
mod shape;
mod sources;
mod states;
mod storage;
mod timed;
mod totals;
mod tracks;
mod traffic;
mod uncovered;
mod usage;
mod utilisation;
mod video;
mod wifi;

pub(crate) use estimate::{Request, estimate};
pub(crate) use figure_set::FigureSet;
pub use portion::ComponentCharge;
pub(crate) use uncovered::Uncovered;
pub use usage::component_charges;
