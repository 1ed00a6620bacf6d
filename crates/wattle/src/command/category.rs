//! `--category`: what an energy is compared with.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use wattle_report::{Category, RatedEnergy, RatedMeasure, RatedPer};

use super::report::CategoryPlan;
use super::{inputs, kept_runs};
use crate::bounded_file;
use crate::cli::{RatePer, StoreChoice};
use crate::exit::Failure;

/// The file name ending of saved ledgers.
const LEDGER: &str = ".ledger.json.zst";
/// Larger files are no categories.
const MOST_BYTES: u64 = 16 << 20;

/// The category that the flags describe. `rated` is the saved ledger that is rated: it is not compared with itself.
pub fn chosen(
    (plan, store): (&CategoryPlan, &StoreChoice),
    apps: &[String],
    rated: Option<&Path>,
) -> Result<Option<Category>, Failure> {
    if plan.paths.is_empty() {
        return Ok(None);
    }
    let named = Named::new(&plan.paths)?;
    let first = named.files.first();
    let per = match plan.per {
        Some(RatePer::Run) => RatedPer::Run,
        Some(RatePer::Minute) => RatedPer::Minute,
        None => first.map_or_else(RatedPer::default, |file| file.measure.per),
    };
    let of_report = if apps.is_empty() { RatedEnergy::Device } else { RatedEnergy::App };
    let energy = first.map_or(of_report, |file| file.measure.energy);
    let mut category = Category::new(&named.name(), RatedMeasure { energy, per });
    if let Some(percent) = plan.least_coverage {
        if !(0.0..=100.0).contains(&percent) {
            return Err(Failure::Usage(anyhow::anyhow!(
                "--least-coverage {percent}: expected 0 to 100 percent"
            )));
        }
        category.least_coverage = percent / 100.0;
    }
    for file in named.files {
        category.add(file).context("--category").map_err(Failure::Usage)?;
    }
    let rated = rated.and_then(|path| path.canonicalize().ok());
    for path in &named.ledgers {
        let name = short_name(path);
        if rated.is_some() && path.canonicalize().ok() == rated {
            category.leave_out(&name, "it is the ledger that is rated");
            continue;
        }
        // One that cannot be read says nothing of the others.
        match kept_runs::load(path, store) {
            Ok(ledger) => category.add_ledger(&name, &ledger, apps),
            Err(failure) => category.leave_out(&name, &failure.into_error().to_string()),
        }
    }
    Ok(Some(category))
}

/// The named inputs, by kind.
struct Named {
    paths: Vec<PathBuf>,
    files: Vec<Category>,
    ledgers: Vec<PathBuf>,
}

impl Named {
    fn new(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut named = Self { paths: paths.to_vec(), files: Vec::new(), ledgers: Vec::new() };
        for path in paths {
            let of_library = path.to_str().and_then(Category::of_library);
            if path.is_dir() {
                named.ledgers.extend(ledgers_in(path)?);
            } else if inputs::is_ledger(path) {
                named.ledgers.push(path.clone());
            } else if let (Some(category), false) = (of_library, path.exists()) {
                named.files.push(category);
            } else {
                let text = bounded_file::text(path, MOST_BYTES)
                    .with_context(|| {
                        let known: Vec<&str> = Category::library().collect();
                        format!("--category (of the library: {})", known.join(", "))
                    })
                    .map_err(Failure::Input)?;
                let category = Category::parse(&path.display().to_string(), &text);
                named.files.push(category.map_err(|error| Failure::Input(error.into()))?);
            }
        }
        Ok(named)
    }

    /// That of the category file, else of the folder, else the number of ledgers.
    fn name(&self) -> String {
        if let Some(file) = self.files.first() {
            return file.name.clone();
        }
        match self.paths.as_slice() {
            [only] => {
                let whole = only.canonicalize().unwrap_or_else(|_| only.clone());
                short_name(&whole)
            }
            _ => format!("{} ledgers", self.ledgers.len()),
        }
    }
}

/// The saved ledgers of a folder, in order of their names.
fn ledgers_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let in_folder = || format!("--category {}", folder.display());
    let mut paths = read().with_context(in_folder).map_err(Failure::Input)?;
    paths.retain(|path| path.to_string_lossy().ends_with(LEDGER) && path.is_file());
    paths.sort();
    if paths.is_empty() {
        return Err(Failure::Input(anyhow::anyhow!(
            "{}: no saved ledger (*{LEDGER}) in it",
            in_folder()
        )));
    }
    Ok(paths)
}

/// The file's name without what all ledgers end in.
fn short_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    name.strip_suffix(LEDGER).unwrap_or(&name).to_owned()
}
