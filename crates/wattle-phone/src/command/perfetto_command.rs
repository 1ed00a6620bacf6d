//! `perfetto`, as `perfetto_cmd.cc` takes its arguments.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::core::Core;
use crate::recording::{end, record};
use crate::tool::Call;
use crate::trace_config::{RecordingConfig, light};

/// The only folder into which the recorder may write, by its SELinux domain.
const FOLDER: &str = "/data/misc/perfetto-traces/";
/// The first level with `--background-wait`.
const BACKGROUND_WAIT_API: u32 = 33;
/// The first with `--txt`.
const TEXT_API: u32 = 29;

#[derive(Clone, Debug, Default)]
struct Arguments {
    config: Option<String>,
    is_text: bool,
    out: Option<String>,
    background: bool,
    duration: Option<Duration>,
    apps: Vec<String>,
    words: Vec<String>,
}

pub(super) fn perfetto(call: &mut Call) -> io::Result<u8> {
    let words = call.arguments.clone();
    let arguments = match parse(&words, call.core.options.api) {
        Ok(arguments) => arguments,
        Err(reason) if reason.is_empty() => return call.out("Perfetto v33.1\n").map(|()| 0),
        Err(reason) => return call.fail(reason),
    };
    let Some(out) = arguments.out.clone() else {
        return call.fail("Either --out or --upload must be specified");
    };
    if out != "-" && !out.starts_with(FOLDER) {
        return call.fail(format!(
            "Failed to open {out}. If you get permission denied in /data/misc/perfetto-traces, the file might have been \
             created by another user, try deleting it first."
        ));
    }
    let config = match &arguments.config {
        Some(file) => {
            let bytes = if file == "-" {
                call.read_all()?
            } else {
                match call.core.files.rooted().read(file) {
                    Ok(bytes) => bytes,
                    Err(_) => return call.fail(format!("Could not open {file}")),
                }
            };
            RecordingConfig::parse(&bytes, arguments.is_text)
        }
        None => Ok(light(&arguments.words, &arguments.apps, arguments.duration)),
    };
    let config = match config {
        Ok(config) => config,
        Err(reason) => return call.fail(reason),
    };
    let core = Arc::clone(&call.core);
    let off = core.state().properties.get("persist.traced.enable").map(String::as_str) != Some("1");
    if core.faults().refuse_recording || off {
        return call.fail("Failed to connect to the traced producer socket: Connection refused");
    }
    if arguments.background {
        return in_background(call, &core, &config, &out);
    }
    let pid = call.pid;
    record(&core, pid, &config, &out);
    match end(&core, pid, || call.is_there(Duration::from_millis(10))) {
        None => Ok(1),
        Some(Err(reason)) => call.fail(reason),
        Some(Ok(trace)) if out == "-" => call.out(trace).map(|()| 0),
        Some(Ok(trace)) => {
            let text = format!("Wrote {} bytes into {out}", trace.len());
            call.fail(text).map(|_| 0)
        }
    }
}

fn in_background(
    call: &mut Call,
    core: &Arc<Core>,
    config: &RecordingConfig,
    out: &str,
) -> io::Result<u8> {
    let pid = core.journal.begin(core.clock.boot(), 2000, "perfetto", None);
    core.journal.set_recorder(pid, true);
    record(core, pid, config, out);
    // The folder shows that it lives to a shell that may not send it a signal; without it the phone looks as it would then.
    let shown = core.files.on_host(&format!("/proc/{pid}"));
    let _ = std::fs::create_dir_all(&shown);
    let own: Arc<Core> = Arc::clone(core);
    std::thread::Builder::new().name("phone-perfetto".into()).spawn(move || {
        // Nobody is left to be told of a failure but the file, as on a real phone.
        let _ = end(&own, pid, || true);
        let _ = std::fs::remove_dir(&shown);
    })?;
    call.out(format!("{pid}\n")).map(|()| 0)
}

fn parse(words: &[String], api: u32) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = || {
            attached
                .clone()
                .or_else(|| words.next().cloned())
                .ok_or_else(|| format!("perfetto: option requires an argument -- {flag}"))
        };
        match flag {
            "-c" | "--config" => arguments.config = Some(value()?),
            "-o" | "--out" => arguments.out = Some(value()?),
            "-t" | "--time" => arguments.duration = Some(seconds(&value()?)?),
            "-a" | "--app" => arguments.apps.push(value()?),
            "-b" | "--buffer" | "-s" | "--size" => drop(value()?),
            "--txt" if api >= TEXT_API => arguments.is_text = true,
            "-d" | "--background" => arguments.background = true,
            "-D" | "--background-wait" if api >= BACKGROUND_WAIT_API => arguments.background = true,
            "--no-guardrails" | "--no-clobber" => {}
            "--version" => return Err(String::new()),
            _ if flag.starts_with('-') && flag != "-" => {
                return Err(format!("perfetto: unrecognized option '{flag}'"));
            }
            _ => arguments.words.push(word.clone()),
        }
    }
    Ok(arguments)
}

/// `10s`, `500ms`, `2m`.
fn seconds(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let millis = match text.get(digits.len()..) {
        Some("ms") => 1,
        Some("s") => 1000,
        Some("m") => 60_000,
        Some("h") => 3_600_000,
        _ => 0,
    };
    let length = digits.parse::<u64>().ok().and_then(|count| count.checked_mul(millis));
    let length = length.filter(|length| *length > 0);
    length.map(Duration::from_millis).ok_or_else(|| format!("Failed to parse time '{text}'"))
}
