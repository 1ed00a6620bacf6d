//! Flags to options.

use wattle_probe::{ApiPatterns, ClassPattern, Mapping, Options};

use crate::bounded_file;
use crate::cli::{self, Probing};
use crate::exit::{Failure, Outcome};

/// Converts the flags to options of the instrumentation.
pub fn options(probing: &Probing) -> Result<Options, Failure> {
    refuse_empty_patterns(probing)?;
    let mut options = Options::default();
    options.mode = match probing.mode_or_methods() {
        cli::Mode::Methods => wattle_probe::Mode::Methods,
        cli::Mode::Apis => wattle_probe::Mode::Apis,
        cli::Mode::Both => wattle_probe::Mode::Both,
    };
    options.sink = sink(probing.sink_or_trace());
    if probing.sink_or_trace() == cli::Sink::Navitas
        && probing.mode_or_methods() != cli::Mode::Methods
    {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--sink navitas cannot record calls: expected --mode methods"
        )));
    }
    options.short_methods = match probing.short_methods {
        cli::ShortMethods::Skip => wattle_probe::ShortMethods::Skip,
        cli::ShortMethods::Probe => wattle_probe::ShortMethods::Probe,
    };
    let patterns = |texts: &[String]| texts.iter().map(|text| ClassPattern::new(text)).collect();
    options.scope.all = probing.all;
    options.scope.include = patterns(&probing.include);
    options.scope.exclude = patterns(&probing.exclude);
    options.apis = apis(probing)?;
    options.calibration = !probing.no_calibration;
    options.threads = probing.threads;
    if let Some(path) = &probing.mapping {
        let text = bounded_file::bytes(path, bounded_file::MOST).map_err(Failure::Input)?;
        let mapping = Mapping::parse(&text).ok_or_else(|| {
            Failure::Input(anyhow::anyhow!(
                "{}: expected a mapping.txt of R8 or ProGuard (`original.Name -> a.b:`), found no class in it",
                path.display()
            ))
        })?;
        options.mapping = Some(mapping);
    }
    Ok(options)
}

/// The library's word for a sink.
pub const fn sink(sink: cli::Sink) -> wattle_probe::Sink {
    match sink {
        cli::Sink::Trace => wattle_probe::Sink::Trace,
        cli::Sink::Logcat => wattle_probe::Sink::Logcat,
        cli::Sink::File => wattle_probe::Sink::File,
        cli::Sink::Navitas => wattle_probe::Sink::Navitas,
        cli::Sink::Orka => wattle_probe::Sink::Orka,
    }
}

/// An empty pattern comes from an unset variable of a script, and would match nothing.
fn refuse_empty_patterns(probing: &Probing) -> Outcome {
    let flags = [
        ("--include", &probing.include),
        ("--exclude", &probing.exclude),
        ("--api", &probing.api),
        ("--exclude-api", &probing.exclude_api),
    ];
    let empty = |patterns: &[String]| patterns.iter().any(|pattern| pattern.trim().is_empty());
    match flags.iter().find(|(_, patterns)| empty(patterns)) {
        Some((flag, _)) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag}: expected a class, a package or a pattern such as com.example.**, found nothing"
        ))),
        None => Ok(()),
    }
}

fn apis(probing: &Probing) -> Result<ApiPatterns, Failure> {
    let asked = !probing.api.is_empty() || !probing.exclude_api.is_empty();
    if asked && probing.mode_or_methods() == cli::Mode::Methods {
        return Err(Failure::Usage(anyhow::anyhow!(
            "--api and --exclude-api choose among calls: expected --mode apis or both"
        )));
    }
    Ok(match probing.api.as_slice() {
        [] => ApiPatterns::default().excluding(&probing.exclude_api),
        include => ApiPatterns::new(include, &probing.exclude_api),
    })
}

/// A bare `.dex` has no manifest and no signature.
pub fn refuse_flags_of_packages(probing: &Probing) -> Outcome {
    let signing = &probing.signing;
    let asked = [
        ("--debuggable", probing.debuggable),
        ("--key", signing.key.is_some()),
        ("--unsigned", signing.unsigned),
        ("--budget", probing.budget.is_some()),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        Some((flag, _)) => Err(Failure::Usage(anyhow::anyhow!(
            "{flag} applies to packages: a .dex has neither manifest nor signature"
        ))),
        None => Ok(()),
    }
}
