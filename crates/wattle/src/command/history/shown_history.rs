//! `wattle history`: the energy of an app over its versions.

use std::collections::{BTreeSet, HashMap};

use anyhow::anyhow;
use wattle_store::{KeptRun, Measure, MethodHistory, RunId, Store};
use wattle_units::{Estimate, Interval};

use super::energy_series::{self, EnergyHistory, RunValue, SCHEMA};
use super::page_files;
use super::run_list::{apps, filter};
use super::versions_text;
use crate::cli::{History, RunConditions};
use crate::command::kept_runs::{self, HOW_TO_KEEP, failure};
use crate::command::nearest::suggestion;
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle history`.
pub fn history(flags: &History) -> Outcome {
    page_files::check(flags)?;
    let Some(mut store) = kept_runs::open_existing(&flags.place)? else {
        return nothing(flags);
    };
    let known = store.apps().map_err(failure)?;
    if known.is_empty() {
        return nothing(flags);
    }
    let app = app(flags, &known)?;
    let runs = store.runs(&filter(Some(&app), &flags.conditions)).map_err(failure)?;
    if runs.is_empty() {
        return Err(no_such_runs(&mut store, &app, &flags.conditions)?);
    }
    let (quantity, name, values, more) = values(&mut store, flags, (&app, &runs))?;
    let (series, left_out) = energy_series::series(&runs, &values);
    let page = page_files::write(&mut store, &app, flags)?;
    let history = EnergyHistory { schema: SCHEMA, app, quantity, name, series, left_out };
    if let Some(path) = &flags.json {
        output::write_json(path, &history)?;
        if output::is_stdout(Some(path)) {
            return Ok(());
        }
    }
    if !flags.place.quiet {
        output::print(versions_text::text(&history, &more).as_bytes())?;
    }
    // Last: the text is there even where no browser is.
    page.filter(|_| flags.page.open).map_or(Ok(()), |page| output::open(&page))
}

/// Conditions that no run of the app meets, with what its runs have.
fn no_such_runs(
    store: &mut Store,
    app: &str,
    conditions: &RunConditions,
) -> Result<Failure, Failure> {
    let runs = store.runs(&filter(Some(app), &RunConditions::default())).map_err(failure)?;
    let named = |of: fn(&KeptRun) -> Option<&String>| {
        runs.iter().filter_map(of).map(String::as_str).collect::<BTreeSet<_>>()
    };
    let asked = [
        ("--device", &conditions.device, named(|run| run.facts.device.title.as_ref())),
        ("--branch", &conditions.branch, named(|run| run.facts.code.branch.as_ref())),
        (
            "--scenario",
            &conditions.scenario,
            named(|run| run.facts.circumstances.scenario.as_ref()),
        ),
    ];
    let given: Vec<String> = asked
        .iter()
        .filter_map(|(flag, value, known)| {
            let known = match known.len() {
                0 => "its runs have none".to_owned(),
                count if count > MOST_LISTED => {
                    let some: Vec<&str> = known.iter().take(MOST_LISTED).copied().collect();
                    format!("its runs have {} and {} more", some.join(", "), count - MOST_LISTED)
                }
                _ => {
                    format!(
                        "its runs have {}",
                        known.iter().copied().collect::<Vec<_>>().join(", ")
                    )
                }
            };
            value.as_ref().map(|value| format!("{flag} {value} ({known})"))
        })
        .collect();
    let whose = if app.is_empty() { "the whole device" } else { app };
    if given.is_empty() {
        return Ok(Failure::Usage(anyhow!("--last: expected 1 run of {whose} or more")));
    }
    Ok(Failure::Usage(anyhow!("no run of {whose} fits {}", given.join(" and "))))
}

fn nothing(flags: &History) -> Outcome {
    let page = page_files::write_empty(flags)?;
    if let Some(path) = &flags.json {
        let history = EnergyHistory {
            schema: SCHEMA,
            app: flags.app.clone().unwrap_or_default(),
            quantity: if flags.total { "total" } else { "app" },
            name: None,
            series: Vec::new(),
            left_out: 0,
        };
        output::write_json(path, &history)?;
        if output::is_stdout(Some(path)) {
            return Ok(());
        }
    }
    if !flags.place.quiet {
        let text = format!("No run has been kept yet. To see energy over versions, {HOW_TO_KEEP}");
        output::print(text.as_bytes())?;
    }
    page.filter(|_| flags.page.open).map_or(Ok(()), |page| output::open(&page))
}

/// The app that was named, else the only one.
fn app(flags: &History, known: &[(String, u64)]) -> Result<String, Failure> {
    match (&flags.app, known) {
        (Some(app), _) if known.iter().any(|(name, _)| name == app) => Ok(app.clone()),
        (Some(app), _) => {
            let near = suggestion(app, known.iter().map(|(name, _)| name.as_str()));
            Err(Failure::Usage(anyhow!("{app}: no run of it was kept{near}; {}", apps(known))))
        }
        (None, [(only, _)]) => Ok(only.clone()),
        (None, _) => Err(Failure::Usage(anyhow!("which app? {}", apps(known)))),
    }
}

type Values = (&'static str, Option<String>, HashMap<RunId, RunValue>, Vec<String>);

/// The quantity that flags ask for: its kind, its name, its values, and notes about them.
fn values(
    store: &mut Store,
    flags: &History,
    (app, runs): (&str, &[KeptRun]),
) -> Result<Values, Failure> {
    if let Some(pattern) = &flags.method {
        return methods(store, pattern, app);
    }
    if let Some(component) = &flags.component {
        let measure = if flags.total { Measure::Total } else { Measure::App };
        let energies = store.component_history(app, component, measure).map_err(failure)?;
        if energies.is_empty() {
            let known = store.components(app).map_err(failure)?;
            let list = known.join(", ");
            return Err(Failure::Usage(anyhow!(
                "--component {component}: no kept run of {app} has it; they have {list}"
            )));
        }
        let values = energies.into_iter().map(|(run, energy)| (run, (energy, None))).collect();
        let of_device = "energy of the component for the whole device, not for the app alone";
        let notes = if flags.total { vec![of_device.to_owned()] } else { Vec::new() };
        return Ok(("component", Some(component.clone()), values, notes));
    }
    let is_total = flags.total || app.is_empty();
    let energy = |run: &KeptRun| if is_total { run.total } else { run.app };
    let values = runs.iter().filter_map(|run| Some((run.id, (energy(run)?, None)))).collect();
    Ok((if is_total { "total" } else { "app" }, None, values, Vec::new()))
}

/// Most methods whose names are listed.
const MOST_LISTED: usize = 8;

fn methods(store: &mut Store, pattern: &str, app: &str) -> Result<Values, Failure> {
    let regex = wildcards(pattern)?;
    let histories = store.method_history(app, &|name| regex.is_match(name)).map_err(failure)?;
    match histories.as_slice() {
        [] => Err(Failure::Usage(anyhow!(
            "--method {pattern}: no method in the kept runs of {app} matches it (`*` stands for any text); \
             `wattle report run:N --by method` lists the methods of a run"
        ))),
        [one] => {
            let value = |(run, point): (&RunId, &wattle_store::MethodPoint)| {
                (*run, (point.total, Some(point.calls)))
            };
            let values = one.points.iter().map(value).collect();
            let notes = vec!["energy of the method with all that it called".to_owned()];
            Ok(("method", Some(one.name.clone()), values, notes))
        }
        several => {
            let names: Vec<&str> =
                several.iter().take(MOST_LISTED).map(|it| it.name.as_str()).collect();
            let more = several.len().saturating_sub(MOST_LISTED);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            let notes = vec![
                format!(
                    "{} methods match, and their own energies are added up; intervals as if all were wrong in the same way",
                    several.len()
                ),
                format!("{}{more}", names.join(", ")),
            ];
            Ok(("method", Some(pattern.to_owned()), sums(several), notes))
        }
    }
}

/// The own energies of several methods, which have no joule in common.
fn sums(histories: &[MethodHistory]) -> HashMap<RunId, RunValue> {
    let mut sums: HashMap<RunId, RunValue> = HashMap::new();
    for (run, point) in histories.iter().flat_map(|history| &history.points) {
        let own = point.own;
        let add = |(sum, calls): RunValue| {
            let energy = Estimate {
                joules: sum.joules + own.joules,
                interval: Interval {
                    low: sum.interval.low + own.interval.low,
                    high: sum.interval.high + own.interval.high,
                },
                provenance: sum.provenance.weakest(own.provenance),
            };
            (energy, calls.map(|calls| calls.saturating_add(point.calls)))
        };
        let known = sums.remove(run);
        sums.insert(*run, known.map_or((own, Some(point.calls)), add));
    }
    sums
}

/// A pattern with `*` and `?` as a regular expression on the whole name.
fn wildcards(pattern: &str) -> Result<regex::Regex, Failure> {
    let escaped = regex::escape(pattern).replace(r"\*", ".*").replace(r"\?", ".");
    let regex =
        regex::RegexBuilder::new(&format!("^(?:{escaped})$")).dot_matches_new_line(true).build();
    regex.map_err(|error| Failure::Usage(anyhow!("--method {pattern}: {error}")))
}

#[cfg(test)]
mod tests {
    use wattle_schema::SchemaFile;

    use super::*;

    #[test]
    fn the_committed_schema_is_that_of_the_types() {
        let file = SchemaFile::new::<EnergyHistory>(
            "history-1",
            "wattle-history/1",
            "The result of `wattle history --json`. The keys are explained in docs/history.md.",
        );
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
        assert_eq!(file.check(&folder), Ok(()));
    }

    #[test]
    fn patterns_are_of_whole_names() {
        let regex = wildcards("a.B.*").expect("a pattern");
        assert!(
            regex.is_match("a.B.run") && !regex.is_match("axB.run") && !regex.is_match("x.a.B.run")
        );
        assert!(wildcards("a.B.r?n").expect("a pattern").is_match("a.B.run"));
    }
}
