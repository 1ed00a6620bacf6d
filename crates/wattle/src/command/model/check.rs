//! Files that should be models.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use wattle_power::{ModelDefect, ModelFile};
use wattle_report::clean;
use wattle_timeline::Severity;

use super::list::{API_COSTS, kind};
use super::lookup;
use crate::command::inputs;
use crate::exit::Failure;

/// One file.
#[derive(Serialize)]
pub struct Checked {
    file: String,
    kind: &'static str,
    defects: Vec<Defect>,
}

#[derive(Serialize)]
struct Defect {
    severity: &'static str,
    place: String,
    text: String,
}

impl Checked {
    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.defects.iter().filter(|defect| defect.severity == "warning").count()
    }
}

/// Checks them all; a file that cannot be read at all ends it.
pub fn all(files: &[PathBuf]) -> Result<Vec<Checked>, Failure> {
    files.iter().map(|file| one(file)).collect()
}

fn one(path: &Path) -> Result<Checked, Failure> {
    let warning =
        |place: &str, text: String| Defect { severity: "warning", place: place.to_owned(), text };
    let file = path.display().to_string();
    if lookup::is_table(path) {
        let table = inputs::api_table(path).map_err(Failure::Input)?;
        let defects = table.defects().into_iter().map(Defect::from).collect();
        return Ok(Checked { file, kind: API_COSTS, defects });
    }
    match inputs::model_or_recording(path).map_err(Failure::Input)? {
        ModelFile::Device(model) => {
            let defects = model.defects().into_iter().map(Defect::from).collect();
            Ok(Checked { file, kind: kind(&model), defects })
        }
        ModelFile::Profile(profile) => {
            let mut defects = Vec::new();
            if let Some(why) = &profile.placeholder {
                defects.push(warning("profile", format!("placeholder figures: {why}")));
            }
            for found in profile.placeholders() {
                defects.push(warning(found.part, format!("placeholder figures: {}", found.why)));
            }
            if profile.cpu.is_none() {
                defects.push(warning("cpu", "no CPU currents".to_owned()));
            }
            let model = inputs::profile_model(&profile);
            // A profile cannot say what it is for, nor where it comes from.
            let own = model.defects().into_iter().filter(|defect| defect.place != "model");
            defects.extend(own.map(Defect::from));
            Ok(Checked { file, kind: "power profile", defects })
        }
    }
}

impl From<ModelDefect> for Defect {
    fn from(defect: ModelDefect) -> Self {
        let severity = if defect.severity == Severity::Info { "info" } else { "warning" };
        Self { severity, place: defect.place, text: defect.text }
    }
}

/// As text.
pub fn text(checked: &[Checked]) -> String {
    let mut text = String::new();
    for file in checked {
        let count = file.defects.len();
        let said = if count == 0 { "nothing to say".to_owned() } else { format!("{count} to say") };
        let _ = writeln!(text, "{}: {}, {said}", clean(&file.file), file.kind);
        for defect in &file.defects {
            let _ = writeln!(
                text,
                "  {:<8} {}: {}",
                defect.severity,
                clean(&defect.place),
                clean(&defect.text)
            );
        }
    }
    text
}
