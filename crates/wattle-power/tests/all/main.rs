//! Power estimates of recordings, device models and their figures.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod android_figures;
mod aosp_rules;
mod api_costs;
mod chosen_models;
mod components;
mod coverage;
mod covered_time;
mod every_profile;
mod gpu_utilisation;
mod library_sources;
mod linear;
mod power_profiles;
mod presets;
mod rails;
mod real_traces;
mod wattson_rows;
