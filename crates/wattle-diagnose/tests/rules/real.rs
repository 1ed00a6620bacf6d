//! Real recordings.

use wattle_diagnose::{DiagnoseOptions, Diagnosis};
use wattle_ingest::read_paths;
use wattle_power::{PowerOptions, estimate};

use super::scene::Scene;

fn read(name: &str) -> Option<(Diagnosis, Scene)> {
    let timeline = read_paths(&[wattle_testdata::find(name)?]).unwrap();
    let power = estimate(&timeline, &PowerOptions::default()).unwrap();
    let scene = Scene { timeline, power };
    let diagnosis = scene.diagnose(&DiagnoseOptions::default());
    super::properties::check(&diagnosis);
    Some((diagnosis, scene))
}

#[test]
fn show() {
    for name in std::env::var("SHOW").unwrap_or_default().split(' ').filter(|it| !it.is_empty()) {
        let Some((diagnosis, _)) = read(name) else { continue };
        eprintln!("##### {name}");
        for it in &diagnosis.findings {
            eprintln!(
                "{:?} {} | {} | {:?} | {:?} J | {:?}",
                it.severity,
                it.rule,
                it.title,
                it.thread,
                it.at_stake.map(|e| e.joules.value()),
                it.place.as_ref().map(|p| &p.function)
            );
            for e in &it.evidence {
                eprintln!("      {}", e.text);
            }
        }
        for note in &diagnosis.notes {
            eprintln!("  note {} {}", note.code, note.text);
        }
    }
}
