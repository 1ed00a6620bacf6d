//! Recordings of the simulated phone, with what is true of them.

use std::path::Path;

use serde_json::{Value, json};
use wattle_sim::{Simulated, Simulation};

/// A recording, and what the simulator knows of it.
pub struct KnownRecording {
    pub simulated: Simulated,
    /// Arguments of `open`.
    pub open: Value,
}

impl KnownRecording {
    /// Runs a simulation, and writes what a phone would have recorded into a folder.
    pub fn new(folder: &Path, name: &str, simulation: &Simulation) -> Self {
        let simulated = simulation.run().expect("a phone");
        std::fs::write(folder.join(format!("{name}.pftrace")), &simulated.trace).expect("written");
        std::fs::write(folder.join(format!("{name}.toml")), &simulated.device_model)
            .expect("written");
        let open = json!({
            "path": format!("{name}.pftrace"),
            "app": "com.example.news",
            "device_model": format!("{name}.toml"),
        });
        Self { simulated, open }
    }
}
