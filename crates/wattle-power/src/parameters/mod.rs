//! Parameters of a recording: named quantities over time, of which power can be a function.
//!
//! A [`Parameter`] is the sum of its [`ParameterPart`]s, each of one part of the hardware or one app, so that power that
//! is a multiple of it can be split the same way. Its value over a stretch of time is the mean over it: a linear
//! function of means is the mean of the function, whatever the stretch.
//!
//! | name | unit | what |
//! |---|---|---|
//! | `cpu.busy`, `cpu.policy4.busy` | core | cores that execute |
//! | `cpu.busy_ghz`, `cpu.policy4.busy_ghz` | GHz | their clocks, added |
//! | `cpu.policy4.ghz` | GHz | the clock, whether anything executes or not |
//! | `gpu.0.ghz`, `gpu.0.busy`, `devfreq.NAME.ghz` | GHz, 1 | clock; part of the time with work, by app |
//! | `screen.on`, `screen.brightness` | – | 0 or 1; 0 to 1 while on |
//! | `state.KIND`, `state.KIND.LEVEL` | – | level of a [`StateKind`](wattle_timeline::StateKind) (`state.wifi_radio`); whether it has this level |
//! | `net.wlan0.rx_bytes`, `disk.sda.write_bytes`, any counter | B/s, 1/s | a counter that only rises is a rate, others are levels |
//! | `constant` | – | 1 |
//! | `rate.NAME`, `level.NAME` | 1/s, – | a counter, whatever it looks like |

mod catalog;
mod clock_topology;
mod counter_parameters;
mod cpu_parameters;
mod parameter;
mod state_parameters;

pub use catalog::{parameter, parameter_names};
pub(crate) use clock_topology::Topology;
pub(crate) use cpu_parameters::polled as polled_busy;
pub use parameter::{Parameter, ParameterOwner, ParameterPart};
