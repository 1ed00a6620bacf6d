//! The real program in a pseudo-terminal of util-linux's `script`, and what its screen shows.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROWS: usize = 24;
const COLUMNS: usize = 110;
/// On a machine that is busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// A terminal with `wattle top` in it, between two words of what the terminal's settings are.
pub struct TerminalBench {
    script: Child,
    keys: Option<ChildStdin>,
    output: Arc<Mutex<Vec<u8>>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl TerminalBench {
    /// Starts it, by the program `script`.
    pub fn start(ledger: &Path) -> Self {
        let wattle = env!("CARGO_BIN_EXE_wattle");
        let ledger = ledger.to_str().expect("UTF-8");
        let inside = format!(
            "stty rows {ROWS} cols {COLUMNS}; echo \"before $(stty -g)\"; \
             sh -c 'echo \"pid $$\"; exec \"{wattle}\" top \"{ledger}\"'; \
             echo \"exit $?\"; echo \"after $(stty -g)\""
        );
        let mut script = Command::new("script")
            .args(["-q", "-e", "-f", "-c", &inside, "/dev/null"])
            .env("TERM", "xterm-256color")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program script (Debian: bsdutils)");
        let output = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&output);
        let mut from = script.stdout.take().expect("output");
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                into.lock().expect("output").extend_from_slice(&bytes[..count]);
            }
        });
        let keys = script.stdin.take();
        Self { script, keys, output, reader: Some(reader) }
    }

    /// Types.
    pub fn press(&mut self, keys: &str) {
        let to = self.keys.as_mut().expect("a terminal that is still there");
        to.write_all(keys.as_bytes()).and_then(|()| to.flush()).expect("keys");
    }

    /// Waits until the screen shows the words.
    #[track_caller]
    pub fn wait(&self, words: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.text().contains(words) {
            assert!(Instant::now() < until, "no {words:?} on the screen:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the text on the screen.
    pub fn text(&self) -> String {
        screen(&self.written())
    }

    /// Whether the program's own screen is shown, not the shell's.
    pub fn is_on_other_screen(&self) -> bool {
        let written = self.written();
        written.rfind("\u{1b}[?1049h") > written.rfind("\u{1b}[?1049l")
    }

    /// Asks the program to end as `kill` does.
    pub fn terminate(&self) {
        let written = self.written();
        let (_, after) = written.split_once("pid ").expect("a number");
        let pid: String = after.chars().take_while(char::is_ascii_digit).collect();
        let status = Command::new("kill").args(["-TERM", &pid]).status().expect("kill");
        assert!(status.success());
    }

    /// Waits for the end: the terminal must be as it was. Gives the exit code.
    pub fn end(mut self) -> i32 {
        let until = Instant::now() + PATIENCE;
        while self.script.try_wait().expect("a process").is_none() {
            assert!(Instant::now() < until, "no end:\n{}", self.written());
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(self.keys.take());
        if let Some(reader) = self.reader.take() {
            reader.join().expect("a reader");
        }
        assert!(!self.is_on_other_screen(), "the shell's screen is not back");
        let written = self.written();
        assert!(written.rfind("\u{1b}[?25h") > written.rfind("\u{1b}[?25l"), "no cursor");
        let word = |of: &str| {
            let (_, after) =
                written.rsplit_once(of).unwrap_or_else(|| panic!("no {of:?}:\n{written}"));
            after.lines().next().unwrap_or_default().trim().to_owned()
        };
        assert_eq!(word("before "), word("after "), "settings of the terminal");
        word("exit ").parse().expect("an exit code")
    }

    fn written(&self) -> String {
        String::from_utf8_lossy(&self.output.lock().expect("output")).into_owned()
    }
}

impl Drop for TerminalBench {
    /// A test that failed leaves nothing behind.
    fn drop(&mut self) {
        if let Ok(None) = self.script.try_wait() {
            let _ = self.script.kill();
            let _ = self.script.wait();
        }
    }
}

/// Returns the final screen after all that was written: text, moves of the cursor, erasing.
fn screen(written: &str) -> String {
    let mut cells = vec![vec![' '; COLUMNS]; ROWS];
    let (mut row, mut column) = (0_usize, 0_usize);
    let mut rest = written.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => {
                if rest.next_if_eq(&'[').is_none() {
                    rest.next();
                    continue;
                }
                let mut numbers = String::new();
                let end = loop {
                    match rest.next() {
                        Some(c) if c.is_ascii_alphabetic() => break c,
                        Some(c) => numbers.push(c),
                        None => break ' ',
                    }
                };
                let mut number = numbers.split(';').map(|it| it.parse::<usize>().unwrap_or(1));
                match end {
                    'H' => {
                        row = number.next().unwrap_or(1).saturating_sub(1);
                        column = number.next().unwrap_or(1).saturating_sub(1);
                    }
                    'J' => cells.iter_mut().for_each(|line| line.fill(' ')),
                    _ => {}
                }
            }
            '\n' => row += 1,
            '\r' => column = 0,
            c => {
                if let Some(cell) = cells.get_mut(row).and_then(|line| line.get_mut(column)) {
                    *cell = c;
                }
                column += 1;
            }
        }
    }
    let lines: Vec<String> = cells.into_iter().map(|line| line.into_iter().collect()).collect();
    lines.join("\n")
}
