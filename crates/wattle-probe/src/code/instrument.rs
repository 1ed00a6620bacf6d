//! Plan, map, rewrite, verify.

use std::borrow::Cow;
use std::sync::Mutex;
use std::time::Instant;

use wattle_dex::{Dex, DexError, DexFile, MethodId};

use super::division::{divide, without_room};
use super::instrumented::{CodeFile, Instrumented, RewrittenFile, Stage};
use super::map_text::write_classes;
use super::texts::Texts;
use super::verification::{refused, verifies};
use crate::label::Labels;
use crate::plan::{FilePlan, Plan};
use crate::rewrite::{RuntimeCalls, wrap};
use crate::{MapId, Options, ProbeError, ProbeEvent, ProbeMap, Result, Runtime, SkipReason};

/// How often methods that turn out untouchable may be taken out of the plan; each round takes out all that were
/// found, so that more than two are not expected.
const ROUNDS: usize = 5;

/// One Dalvik executable of the input.
struct Part<'a> {
    origin: usize,
    bytes: Cow<'a, [u8]>,
}

/// Puts probes into all code of an app.
///
/// What was changed is verified on the bytes that were written; a method that does not pass keeps its old code and
/// is counted. The result does not depend on the number of threads.
pub fn instrument(files: &[CodeFile<'_>], options: &Options) -> Result<Instrumented> {
    let mut clock = Clock::start();
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
    clock.stop(Stage::Read);

    let mut exclusions = without_room(&dexes);
    for round in 0..ROUNDS {
        let plan = Plan::of(&dexes, options, &exclusions).map_err(in_file)?;
        clock.stop(Stage::Plan);
        let map = write_map(&dexes, &plan, options).map_err(in_file)?;
        let map_id = MapId::of(&map);
        clock.stop(Stage::Map);
        let mut written = Vec::with_capacity(parts.len());
        let known = exclusions.len();
        for (index, dex) in dexes.iter().enumerate() {
            let Some(file_plan) = plan.files.get(index) else { continue };
            let found = rewrite(dex, file_plan, options, &map_id, &mut clock);
            let (bytes, refused) = found.map_err(|error| in_file((index, error)))?;
            exclusions.extend(refused.into_iter().map(|(id, reason)| ((index, id), reason)));
            let origin = parts.get(index).map_or(index, |part| part.origin);
            written.push(RewrittenFile { origin, bytes });
        }
        if exclusions.len() > known && round + 1 < ROUNDS {
            continue;
        }
        let runtime = Runtime { sink: options.sink, map: map_id, package: options.package.clone() };
        let runtime = runtime.write(Runtime::VERSION).map_err(ProbeError::Runtime)?;
        clock.stop(Stage::Rewrite);
        if exclusions.len() > known {
            return Err(ProbeError::Unsettled { rounds: ROUNDS });
        }
        return Ok(Instrumented {
            mode: options.mode,
            sink: options.sink,
            files: written,
            runtime,
            map,
            map_id,
            counts: plan.counts,
            left_out: plan.left_out,
            stages: clock.stages,
        });
    }
    Err(ProbeError::Unsettled { rounds: ROUNDS })
}

fn parts<'a>(files: &[CodeFile<'a>]) -> Result<Vec<Part<'a>>> {
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
    dex.find_type(wattle_dex::Mutf8::new(Runtime::DESCRIPTOR.as_bytes())).is_some()
}

fn write_map(
    dexes: &[Dex<'_>],
    plan: &Plan,
    options: &Options,
) -> Result<Vec<u8>, (usize, DexError)> {
    let code: Vec<_> = dexes.iter().map(|dex| dex.header().signature).collect();
    let header = ProbeMap::header(options, &code, plan.probes);
    let mut map = serde_json::to_vec(&header).unwrap_or_default();
    map.push(b'\n');
    for (index, (dex, file)) in dexes.iter().zip(&plan.files).enumerate() {
        write_classes(dex, file, options.mapping.as_ref(), &mut map)
            .map_err(|error| (index, error))?;
    }
    Ok(map)
}

/// The file with probes, and the methods that cannot have them.
fn rewrite(
    dex: &Dex<'_>,
    plan: &FilePlan,
    options: &Options,
    map: &MapId,
    clock: &mut Clock,
) -> Result<(Vec<u8>, Vec<(MethodId, SkipReason)>), DexError> {
    if plan.methods.is_empty() {
        return Ok((dex.file_bytes().to_vec(), Vec::new()));
    }
    let mut file = DexFile::edit(dex);
    file.set_threads(options.threads());
    let events = [ProbeEvent::Enter, ProbeEvent::Exit, ProbeEvent::Unwind];
    let runtime = RuntimeCalls::intern(file.pool_mut(), options.sink, &events)?;
    let labels = Labels::new(options.sink, map);
    let mapping = options.mapping.as_ref();
    let texts = Texts::intern(file.pool_mut(), dex, plan, mapping, options.sink, &labels)?;
    clock.stop(Stage::Map);

    let out = Mutex::new(Vec::new());
    let written = file.write_where_possible(
        &|site| {
            let Some((position, planned)) = plan.method(site.method) else { return Ok(None) };
            wrap(dex, site, &runtime, texts.probes(position, planned.id)).map(Some)
        },
        &|site, error| {
            let reason = match error {
                DexError::Operand { .. } => SkipReason::FrameFull,
                DexError::TooMany { .. } => SkipReason::TooLarge,
                _ => SkipReason::Unverifiable,
            };
            if let Ok(mut out) = out.lock() {
                out.push((site.method, reason));
            }
        },
    )?;
    let mut out = out.into_inner().unwrap_or_default();
    clock.stop(Stage::Rewrite);

    let again = Dex::parse(&written)?;
    for method in refused(dex, &again, plan, options.threads())? {
        if out.iter().any(|(other, _)| *other == method) {
            continue;
        }
        let sound = verifies(dex, method)?;
        let reason = if sound { SkipReason::Refused } else { SkipReason::Unverifiable };
        out.push((method, reason));
    }
    clock.stop(Stage::Verify);
    Ok((written, out))
}

/// Adds up what the stages take.
struct Clock {
    last: Instant,
    stages: Vec<(Stage, std::time::Duration)>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    /// What has passed since the last stop belongs to this stage.
    fn stop(&mut self, stage: Stage) {
        let now = Instant::now();
        let passed = now - self.last;
        self.last = now;
        match self.stages.iter_mut().find(|(other, _)| *other == stage) {
            Some((_, total)) => *total += passed,
            None => self.stages.push((stage, passed)),
        }
    }
}
