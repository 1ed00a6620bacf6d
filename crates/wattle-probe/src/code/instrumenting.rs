//! Plan, map, rewrite, verify.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use wattle_apk::{Compression, PackedContent};
use wattle_dex::{Dex, Mutf8};

use super::division::{Room, divide, without_room};
use super::instrumented::{CodeFile, Instrumented, RewrittenFile, Stage};
use super::invocations::Invocations;
use super::map_text::{Calls, write_classes};
use super::rewriting::{Fault, Rewriting, Rewritten};
use super::stopwatch::Stopwatch;
use crate::plan::Plan;
use crate::{AppClasses, FrameworkCalls, MapId, Options, ProbeError, ProbeMap, Result, Runtime};

/// Most rounds in which untouchable methods are taken out of the plan; each round takes out all that was found, so
/// that more than two are not expected.
const ROUNDS: usize = 5;

/// Bytes of a probe map from which on it is kept deflated while code is written: it takes as much as half of the code.
const LARGE_MAP: usize = 16 << 20;

/// One Dalvik executable of the input.
struct Part<'f> {
    origin: usize,
    bytes: Cow<'f, [u8]>,
}

/// The part of the files with probes that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of them, whole.
    Whole,
    /// Files that have to be replaced or added beside the files as they are, which are loaded in their order.
    Changes,
}

/// Puts probes into all code of an app.
///
/// Changed methods are verified on the bytes that were written; a method that does not pass keeps its old code and
/// is counted. The result does not depend on the number of threads.
pub fn instrument(files: &[CodeFile<'_>], options: &Options) -> Result<Instrumented> {
    let (mut code, files) =
        instrument_files(files, options, Extent::Whole, &|file, _, _| Ok(file))?;
    code.files = files;
    Ok(code)
}

/// Work on a file with probes as soon as it is verified: the file, whether it is the first of its origin, and the threads to use.
pub(crate) type Finish<'f, T> = dyn Fn(RewrittenFile, bool, usize) -> Result<T> + Sync + 'f;

/// Puts probes into the code of an app, of which all or only the changes are asked for. Each file is given away as soon as it is
/// verified, so that not all of them are in memory; the result has none. Where only changes are asked for, a large map comes packed.
pub(crate) fn instrument_files<T: Send>(
    files: &[CodeFile<'_>],
    options: &Options,
    extent: Extent,
    finish: &Finish<'_, T>,
) -> Result<(Instrumented, Vec<T>)> {
    let mut watch = Stopwatch::start();
    let code = signatures(files)?;
    let room = Room::from_options(options);
    let parts = parts(files, room)?;
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
        let calls = FrameworkCalls::new(&dexes, &options.apis);
        Some(calls.map_err(|error| in_file((0, error)))?)
    } else {
        None
    };
    let own = match framework {
        None if options.mode.methods() => {
            Some(AppClasses::from_files(&dexes).map_err(|error| in_file((0, error)))?)
        }
        _ => None,
    };
    let classes = framework.as_ref().map(FrameworkCalls::classes).or(own.as_ref());

    let mut exclusions = without_room(&dexes, room);
    for _ in 0..ROUNDS {
        let plan = Plan::new(&dexes, framework.as_ref(), options, &exclusions).map_err(in_file)?;
        watch.stop(Stage::Plan);
        let of_methods = classes.filter(|_| options.mode.methods());
        let invocations = of_methods.map(|classes| Invocations::new(classes, &plan));
        let calls =
            Calls { file: 0, framework: framework.as_ref(), invocations: invocations.as_ref() };
        let mut map = write_map(&code, &dexes, &plan, calls, options)?;
        let map_id = MapId::from_bytes(&map);
        let mut packed_map = None;
        if extent == Extent::Changes && map.len() >= LARGE_MAP {
            let threads = options.threads();
            let packed = PackedContent::deflate(&map, Compression::Deflated, None, threads)?;
            packed_map = Some(packed);
            map = Vec::new();
        }
        // As large as the tables of all files.
        drop(invocations);
        watch.stop(Stage::Map);
        let known = exclusions.len();
        let rewriting = |index: usize, threads: usize| {
            let planned = plan.files.get(index)?;
            let framework = framework.as_ref();
            let dex = dexes.get(index)?;
            // A file that is one of several parts replaces its origin in any case.
            let is_whole = matches!(parts.get(index)?.bytes, Cow::Borrowed(_));
            let extent = if is_whole { extent } else { Extent::Whole };
            let map = &map_id;
            Some(Rewriting {
                index,
                dex,
                planned,
                framework,
                options,
                threads,
                map,
                extent,
                classes,
            })
        };
        let sizes: Vec<usize> = dexes.iter().map(|dex| dex.file_bytes().len()).collect();
        // Once something has turned out to be untouchable, this round's files are of no use.
        let is_unsettled = AtomicBool::new(false);
        let rewritten = each_file(&sizes, options.threads(), |index, threads| {
            let done = rewriting(index, threads)?.run();
            let done = done.map_err(|fault| match fault {
                Fault::Source(source) => in_file((index, source)),
                Fault::Written(source) => ProbeError::Unsound { file: name(index), source },
            });
            let Rewritten { file, untouchable, mut times } = match done {
                Ok(done) => done,
                Err(error) => return Some(Err(error)),
            };
            if !untouchable.is_empty() {
                is_unsettled.store(true, Ordering::Relaxed);
            }
            let origin = parts.get(index)?.origin;
            let is_first = index
                .checked_sub(1)
                .and_then(|it| parts.get(it))
                .is_none_or(|it| it.origin != origin);
            let mut watch = Stopwatch::start();
            let file = file.filter(|_| !is_unsettled.load(Ordering::Relaxed));
            let file = file.map(|(placement, bytes)| {
                finish(RewrittenFile { origin, bytes, placement }, is_first, threads)
            });
            watch.stop(Stage::Package);
            times.extend(watch.stages);
            Some(file.transpose().map(|file| (file, untouchable, times)))
        });
        let mut written = Vec::with_capacity(parts.len());
        let mut stages = Vec::new();
        for (index, done) in rewritten.into_iter().flatten().enumerate() {
            let (file, untouchable, times) = done?;
            exclusions.add(index, untouchable);
            stages.extend(times);
            written.extend(file);
        }
        watch.stop_divided(&stages);
        if exclusions.len() > known || is_unsettled.into_inner() {
            continue;
        }
        let (sink, calibration) = (options.sink, options.calibration);
        let package = options.package.clone();
        let runtime = Runtime { sink, map: map_id, package, calibration };
        let runtime = runtime.write(Runtime::VERSION).map_err(ProbeError::Runtime)?;
        watch.stop(Stage::Rewrite);
        let code = Instrumented {
            mode: options.mode,
            sink: options.sink,
            files: Vec::new(),
            runtime,
            map,
            map_id,
            counts: plan.counts,
            left_out: plan.left_out,
            stages: watch.stages,
            packed_map,
        };
        return Ok((code, written));
    }
    Err(ProbeError::Unsettled { rounds: ROUNDS })
}

/// The headers of the files, of containers the first.
fn signatures(files: &[CodeFile<'_>]) -> Result<Vec<[u8; 20]>> {
    let signature = |file: &CodeFile<'_>| match Dex::parse(&file.bytes) {
        Ok(dex) => Ok(dex.header().signature),
        Err(source) => Err(ProbeError::Dex { file: file.name.clone(), source }),
    };
    files.iter().map(signature).collect()
}

fn parts<'f>(files: &'f [CodeFile<'_>], room: Room) -> Result<Vec<Part<'f>>> {
    let mut parts = Vec::with_capacity(files.len());
    for (origin, file) in files.iter().enumerate() {
        let divided = divide(&file.bytes, room)
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
    code: &[[u8; 20]],
    dexes: &[Dex<'_>],
    plan: &Plan,
    calls: Calls<'_, '_>,
    options: &Options,
) -> Result<Vec<u8>> {
    let header = ProbeMap::header(options, code, plan.probes);
    let mut map = serde_json::to_vec(&header).map_err(ProbeError::MapText)?;
    map.push(b'\n');
    for (position, (dex, file)) in dexes.iter().zip(&plan.files).enumerate() {
        let calls = Calls { file: position, ..calls };
        write_classes(dex, file, calls, options, &mut map)?;
    }
    Ok(map)
}

/// Does something with every file: with those that are most of the app one after the other, each with all
/// threads, with the others side by side. Results come in the order of the files.
fn each_file<T: Send>(
    sizes: &[usize],
    threads: usize,
    work: impl Fn(usize, usize) -> T + Sync,
) -> Vec<T> {
    let share = sizes.iter().sum::<usize>() / threads.max(1);
    let is_large = |index: &usize| sizes.get(*index).is_some_and(|&size| size > share);
    let (large, small): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(is_large);
    let mut done: Vec<(usize, T)> =
        large.into_iter().map(|index| (index, work(index, threads))).collect();
    done.extend(wattle_workers::numbered(threads, small.len(), |at| {
        let index = small.get(at).copied().unwrap_or_default();
        (index, work(index, 1))
    }));
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
