//! Plan, map, rewrite, verify.

use std::borrow::Cow;

use wattle_dex::{Dex, DexError, Mutf8};

use super::division::{divide, without_room};
use super::instrumented::{CodeFile, Instrumented, RewrittenFile, Stage};
use super::map_text::write_classes;
use super::rewriting::Rewriting;
use super::stopwatch::Stopwatch;
use crate::plan::Plan;
use crate::{FrameworkCalls, MapId, Options, ProbeError, ProbeMap, Result, Runtime};

/// How often what turns out untouchable may be taken out of the plan; each round takes out all that was found, so
/// that more than two are not expected.
const ROUNDS: usize = 5;

/// One Dalvik executable of the input.
struct Part<'f> {
    origin: usize,
    bytes: Cow<'f, [u8]>,
}

/// Puts probes into all code of an app.
///
/// What was changed is verified on the bytes that were written; a method that does not pass keeps its old code and
/// is counted. The result does not depend on the number of threads.
pub fn instrument(files: &[CodeFile<'_>], options: &Options) -> Result<Instrumented> {
    let mut watch = Stopwatch::start();
    let parts = parts(files)?;
    let name = |part: usize| {
        let file = parts.get(part).and_then(|part| files.get(part.origin));
        file.map_or_else(String::new, |file| file.name.clone())
    };
    let in_file = |(part, source)| ProbeError::Dex { file: name(part), source };
    let mut dexes = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let dex = Dex::parse(&part.bytes).map_err(|error| in_file((index, error)))?;
        if is_probed(&dex) {
            return Err(ProbeError::AlreadyProbed { file: name(index) });
        }
        dexes.push(dex);
    }
    watch.stop(Stage::Read);
    let framework = if options.mode.apis() {
        let calls = FrameworkCalls::of(&dexes, &options.apis);
        Some(calls.map_err(|error| in_file((0, error)))?)
    } else {
        None
    };

    let mut exclusions = without_room(&dexes);
    for _ in 0..ROUNDS {
        let plan = Plan::of(&dexes, framework.as_ref(), options, &exclusions).map_err(in_file)?;
        watch.stop(Stage::Plan);
        let map = write_map(&dexes, &plan, framework.as_ref(), options).map_err(in_file)?;
        let map_id = MapId::of(&map);
        watch.stop(Stage::Map);
        let mut written = Vec::with_capacity(parts.len());
        let known = exclusions.len();
        for (index, (dex, planned)) in dexes.iter().zip(&plan.files).enumerate() {
            let framework = framework.as_ref();
            let rewriting = Rewriting { index, dex, planned, framework, options, map: &map_id };
            let bytes = rewriting
                .run(&mut exclusions, &mut watch)
                .map_err(|error| in_file((index, error)))?;
            let origin = parts.get(index).map_or(index, |part| part.origin);
            written.push(RewrittenFile { origin, bytes });
        }
        if exclusions.len() > known {
            continue;
        }
        let runtime = Runtime { sink: options.sink, map: map_id, package: options.package.clone() };
        let runtime = runtime.write(Runtime::VERSION).map_err(ProbeError::Runtime)?;
        watch.stop(Stage::Rewrite);
        return Ok(Instrumented {
            mode: options.mode,
            sink: options.sink,
            files: written,
            runtime,
            map,
            map_id,
            counts: plan.counts,
            left_out: plan.left_out,
            stages: watch.stages,
        });
    }
    Err(ProbeError::Unsettled { rounds: ROUNDS })
}

fn parts<'f>(files: &'f [CodeFile<'_>]) -> Result<Vec<Part<'f>>> {
    let mut parts = Vec::with_capacity(files.len());
    for (origin, file) in files.iter().enumerate() {
        let divided = divide(&file.bytes)
            .map_err(|source| ProbeError::Dex { file: file.name.clone(), source })?;
        parts.extend(divided.into_iter().map(|bytes| Part { origin, bytes }));
    }
    Ok(parts)
}

/// Whether the file defines the runtime class or calls it.
fn is_probed(dex: &Dex<'_>) -> bool {
    dex.find_type(Mutf8::new(Runtime::DESCRIPTOR.as_bytes())).is_some()
}

fn write_map(
    dexes: &[Dex<'_>],
    plan: &Plan,
    framework: Option<&FrameworkCalls<'_>>,
    options: &Options,
) -> Result<Vec<u8>, (usize, DexError)> {
    let code: Vec<_> = dexes.iter().map(|dex| dex.header().signature).collect();
    let header = ProbeMap::header(options, &code, plan.probes);
    let mut map = serde_json::to_vec(&header).unwrap_or_default();
    map.push(b'\n');
    for (index, (dex, file)) in dexes.iter().zip(&plan.files).enumerate() {
        write_classes(dex, file, framework, options.mapping.as_ref(), &mut map)
            .map_err(|error| (index, error))?;
    }
    Ok(map)
}
