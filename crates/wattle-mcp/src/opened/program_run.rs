//! A command of this program as another process: what it prints, its progress, its end.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{JobStep, ToolJob};
use crate::answer::ToolError;

/// The most bytes of standard output that are kept.
const MOST_OUTPUT: u64 = 64 << 20;
/// The most bytes of messages that are kept.
const MOST_ERRORS: usize = 16 << 10;
/// Time between two looks at a process.
const LOOK: Duration = Duration::from_millis(10);
/// Time for a process that was interrupted to put a device back.
const LAST_WORDS: Duration = Duration::from_mins(1);
/// The variable that names the process with which a command ends: this one, whose end closes the command's standard input.
pub const ENDS_WITH: &str = "WATTLE_ENDS_WITH";
/// The beginning of a line of progress.
const PROGRESS: &str = "wattle-progress ";

/// A command of this program.
#[derive(Clone, Debug)]
pub struct ProgramRun {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The longest time that it may take.
    pub deadline: Duration,
}

/// The end of a command.
#[derive(Clone, Debug)]
pub struct ProgramOutput {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub output: Vec<u8>,
    /// Its messages.
    pub messages: String,
}

impl ProgramRun {
    /// Runs it to its end; a job that is cancelled interrupts it, as Ctrl-C does.
    pub fn run(&self, job: &ToolJob) -> Result<ProgramOutput, ToolError> {
        let failed =
            |error: std::io::Error| ToolError::new(format!("{}: {error}", self.program.display()));
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env("WATTLE_PROGRESS", "lines");
        command.env(ENDS_WITH, std::process::id().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        // Open until it has ended, or this process has.
        let input = child.stdin.take();
        let output = child.stdout.take().map(all_of);
        let errors = child.stderr.take().map(|errors| messages(errors, job.clone()));
        let ended = wait(&mut child, job, self.deadline);
        drop(input);
        let output = output.and_then(|thread| thread.join().ok()).unwrap_or_default();
        let messages = errors.and_then(|thread| thread.join().ok()).unwrap_or_default();
        job.check()?;
        let (code, is_late) = ended.map_err(failed)?;
        if is_late {
            let limit = self.deadline.as_secs();
            return Err(ToolError::new(format!("not done after {limit} s; ended")));
        }
        Ok(ProgramOutput { code, output, messages })
    }
}

impl ProgramOutput {
    /// The message of a failure, without the program's name.
    pub fn message(&self) -> String {
        let lines = self.messages.lines().map(|line| {
            line.trim_start_matches("wattle: ").trim_start_matches("error: ").trim_end()
        });
        let text: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        if text.is_empty() {
            return match self.code {
                Some(code) => format!("ended with exit code {code} and no message"),
                None => "ended by a signal (out of memory?)".to_owned(),
            };
        }
        text.join("\n")
    }
}

/// Waits for the end: the exit code, `None` for a signal, and whether it took too long.
fn wait(
    child: &mut Child,
    job: &ToolJob,
    deadline: Duration,
) -> std::io::Result<(Option<i32>, bool)> {
    let started = Instant::now();
    let mut interrupted: Option<Instant> = None;
    let mut late = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), late));
        }
        late |= started.elapsed() > deadline;
        match interrupted {
            None if late || job.is_cancelled() => {
                interrupted = Some(Instant::now());
                interrupt(child);
            }
            Some(since) if since.elapsed() > LAST_WORDS => {
                child.kill()?;
                child.wait()?;
                return Ok((None, late));
            }
            _ => {}
        }
        std::thread::sleep(LOOK);
    }
}

/// Interrupts a process as Ctrl-C does, so that it puts a device back.
fn interrupt(child: &mut Child) {
    let asked = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !asked.is_ok_and(|status| status.success()) {
        // It may have ended by itself.
        let _ = child.kill();
    }
}

/// Reads all output meanwhile, of which the beginning is kept.
fn all_of(mut output: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What cannot be read is not there.
        let _ = (&mut output).take(MOST_OUTPUT).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut output, &mut std::io::sink());
        bytes
    })
}

/// Reads messages meanwhile; lines of progress become steps of the job.
fn messages(errors: impl Read + Send + 'static, job: ToolJob) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        let mut lines = BufReader::new(errors);
        let mut line = Vec::new();
        loop {
            line.clear();
            // A line without end must not fill the memory.
            let read = (&mut lines).take(MOST_ERRORS as u64).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) {
                return text;
            }
            let line = String::from_utf8_lossy(&line);
            if let Some(step) = line.strip_prefix(PROGRESS) {
                if let Some(step) = step_of(step) {
                    job.step(step);
                }
            } else if text.len() < MOST_ERRORS {
                text.push_str(&line);
            }
        }
    })
}

/// A step from `DONE TOTAL STAGE`.
fn step_of(line: &str) -> Option<JobStep> {
    let mut words = line.trim().splitn(3, ' ');
    let done = words.next()?.parse().ok()?;
    let total = words.next()?.parse().ok();
    Some(JobStep { done, total, stage: words.next()?.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_progress_are_steps() {
        let step = JobStep { done: 12.0, total: Some(100.0), stage: "reading".to_owned() };
        assert_eq!(step_of("12 100 reading\n"), Some(step));
        assert_eq!(step_of("12 - reading").map(|step| step.total), Some(None));
        assert_eq!(step_of("reading"), None);
    }

    fn shell(script: &str, deadline: Duration) -> ProgramRun {
        let arguments = ["-c", script].map(OsString::from).to_vec();
        ProgramRun { program: "sh".into(), arguments, deadline }
    }

    #[test]
    fn output_messages_and_codes_are_kept() {
        let run = shell("echo out; echo 'wattle: bad file' >&2; exit 3", Duration::from_mins(1));
        let ended = run.run(&ToolJob::default()).expect("it runs");
        assert_eq!((ended.code, ended.output.as_slice()), (Some(3), &b"out\n"[..]));
        assert_eq!(ended.message(), "bad file");
    }

    #[test]
    fn cancelled_and_late_processes_end() {
        let job = ToolJob::default();
        job.cancel();
        let started = Instant::now();
        let ended = shell("exec sleep 600", Duration::from_mins(1)).run(&job);
        assert_eq!(ended.err(), Some(ToolError::cancelled()));
        let late = shell("exec sleep 600", Duration::from_millis(50)).run(&ToolJob::default());
        assert_eq!(
            late.err().map(|it| it.to_string()).as_deref(),
            Some("not done after 0 s; ended")
        );
        // Where interrupts are ignored, as of background processes of shells, they are killed after their last words.
        assert!(started.elapsed() < Duration::from_mins(5));
    }
}
