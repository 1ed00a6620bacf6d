//! The rules: each on a scene made by hand in which it must speak and on one beside it in which it must not, with its thresholds
//! moved; and on real recordings.

mod background;
mod devices;
mod documentation;
mod habits;
mod hardware;
mod injected;
mod injected_hours;
mod injected_machines;
mod judged;
mod options;
mod properties;
mod real;
mod runtime;
mod scene;
mod simulated;
mod statistics;
mod threads;
