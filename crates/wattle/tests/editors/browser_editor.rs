//! Visual Studio Code as a server, with the extension, and a browser in front of it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::webdriver::Browser;

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_mins(1);

/// The attempts at opening a list: one closes when something else takes the focus.
const ATTEMPTS: u32 = 6;

const CONTROL: &str = "\u{e009}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const F1: &str = "\u{e031}";

/// The extension, built from this repository.
pub struct Extension {
    pub folder: tempfile::TempDir,
}

impl Extension {
    /// Copies the sources beside the packages that the gate fetched, checks and packs them.
    pub fn build() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
        for name in ["src", "test", "media"] {
            copy(&sources.join(name), &folder.path().join(name));
        }
        let files = ["package.json", "package-lock.json", "tsconfig.json", "build.mjs"];
        for name in files.into_iter().chain(["README.md", "LICENSE.txt"]) {
            std::fs::copy(sources.join(name), folder.path().join(name)).expect(name);
        }
        let packages = PathBuf::from(variable("WATTLE_EXTENSION_PACKAGES")).join("node_modules");
        std::os::unix::fs::symlink(packages, folder.path().join("node_modules")).expect("a link");
        Self { folder }
    }

    /// Runs the build script.
    pub fn run(&self, what: &str) {
        let mut node = Command::new(code_server().join("node"));
        node.args(["build.mjs", what]).current_dir(self.folder.path());
        let output = node.output().expect("Node runs");
        let text =
            [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        assert!(output.status.success(), "{}", text.concat());
    }

    /// The packed extension.
    pub fn package(&self) -> PathBuf {
        self.run("package");
        let mut files = std::fs::read_dir(self.folder.path())
            .expect("a folder")
            .flatten()
            .map(|file| file.path());
        files.find(|path| path.extension().is_some_and(|it| it == "vsix")).expect("a package")
    }
}

/// The editor in a browser.
pub struct Editor {
    pub browser: Browser,
    server: Child,
    address: String,
    pictures: PathBuf,
    _data: tempfile::TempDir,
}

impl Editor {
    /// Installs the extension into a new editor and starts it.
    pub fn start(name: &str, (package, program): (&Path, &Path)) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let user = json!({
            "security.workspace.trust.enabled": false,
            "workbench.startupEditor": "none",
            "workbench.secondarySideBar.defaultVisibility": "hidden",
            "chat.commandCenter.enabled": false,
            "editor.minimap.enabled": false,
            "telemetry.telemetryLevel": "off",
            "extensions.autoCheckUpdates": false,
            "remote.autoForwardPorts": false,
            "testing.automaticallyOpenTestResults": "neverOpen",
        });
        for (folder, settings) in
            [("User", user), ("Machine", json!({ "wattle.program": program }))]
        {
            std::fs::create_dir_all(data.path().join(folder)).expect("a folder");
            std::fs::write(data.path().join(folder).join("settings.json"), settings.to_string())
                .expect("written");
        }
        let command = || {
            let mut command = Command::new(code_server().join("node"));
            command
                .arg(code_server().join("package/out/node/entry.js"))
                .arg("--config")
                .arg(data.path().join("config.yaml"))
                .arg("--extensions-dir")
                .arg(data.path().join("extensions"))
                .arg("--user-data-dir")
                .arg(data.path())
                .env("XDG_CONFIG_HOME", data.path())
                .env_remove("WATTLE_STORE")
                .stdin(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        let installed =
            command().arg("--install-extension").arg(package).output().expect("it runs");
        let text = String::from_utf8_lossy(&installed.stdout);
        assert!(text.contains("was successfully installed"), "{text}");
        let mut server = command()
            .args(["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry"])
            .args(["--disable-update-check"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the editor starts");
        let mut lines = BufReader::new(server.stdout.take().expect("its output")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("listening on ")?.1.trim().to_owned()))
            .expect("its address");
        std::thread::spawn(move || lines.for_each(drop));
        let browser =
            Browser::start(name, &["--hide-scrollbars", "--force-prefers-reduced-motion"]);
        browser.resize([1360, 800]);
        let pictures = std::env::var_os("WATTLE_PICTURES")
            .map_or_else(|| data.path().to_owned(), PathBuf::from);
        Self { browser, server, address, pictures, _data: data }
    }

    /// Opens a folder and waits for the extension's item in the status bar, whose text is to contain something.
    pub fn open(&self, folder: &Path, status: &str) {
        self.browser.go(&format!("{}?folder={}", self.address, folder.display()));
        self.wait_for("[id=\"wattle.wattle.wattle.energy\"]", status);
    }

    /// Waits until a script has a result that is neither null nor false.
    pub fn wait(&self, what: &str, script: &str) -> Value {
        if let Some(found) = self.poll(script, PATIENCE) {
            return found;
        }
        let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editor-failed.png");
        self.browser.picture(&picture);
        let text = self.browser.js("return document.body.innerText");
        panic!("no {what}; {}: {}", picture.display(), text.as_str().unwrap_or_default());
    }

    /// The result of a script that is neither null nor false, if there is one in time.
    fn poll(&self, script: &str, patience: Duration) -> Option<Value> {
        let started = Instant::now();
        loop {
            let found = self.browser.js(script);
            if !found.is_null() && found != false {
                return Some(found);
            }
            if started.elapsed() > patience {
                return None;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Waits until the text of one of the elements contains something; the text, with plain blanks.
    pub fn wait_for(&self, selector: &str, part: &str) -> String {
        let script = format!(
            "const texts = [...document.querySelectorAll({})].map((it) => it.textContent.replace(/\\s/g, ' '));
             return texts.find((it) => it.includes({})) ?? null",
            json!(selector),
            json!(part)
        );
        let found = self.wait(&format!("{part:?} in {selector}"), &script);
        found.as_str().unwrap_or_default().to_owned()
    }

    /// The texts of all elements that match, from top to bottom.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!(
            "const top = (it) => it.getBoundingClientRect().top;
             return [...document.querySelectorAll({})].sort((a, b) => top(a) - top(b)).map((it) => it.textContent.replace(/\\s/g, ' '))",
            json!(selector)
        );
        let found = self.browser.js(&script);
        let texts = found.as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// Runs a command of the palette by its whole title.
    pub fn command(&self, title: &str) {
        self.choose(|| self.browser.key(F1), title);
    }

    /// Chooses the entry of a list with a title that contains a text: it is typed, and Enter takes the first entry left.
    pub fn pick(&self, list: &str, part: &str) {
        self.wait_for(".quick-input-widget .quick-input-titlebar", list);
        self.choose(|| (), part);
    }

    /// Opens a file of the project.
    pub fn file(&self, name: &str) {
        self.choose(|| self.browser.chord(&[CONTROL, "p"]), name);
        self.wait_for(".tab.active", name);
    }

    /// Opens a list, types, and takes the entry that contains the text. A list closes when something else takes the focus, such as a file
    /// that is still being opened: then it is opened again.
    fn choose(&self, open: impl Fn(), part: &str) {
        let has_focus = "return document.activeElement?.matches('.quick-input-widget input')";
        let entry = format!(
            "const row = document.querySelector('.quick-input-widget .quick-input-list .monaco-list-row.focused');
             return row?.textContent.replace(/\\s/g, ' ').includes({})",
            json!(part)
        );
        for _ in 0..ATTEMPTS {
            // Keys go to the editor, not to the page in a panel.
            self.browser.js(
                "const active = document.activeElement;
                 if (active?.tagName === 'IFRAME') { active.blur(); window.focus(); }
                 const widget = document.querySelector('.quick-input-widget');
                 if (widget && widget.style.display !== 'none') widget.querySelector('input')?.focus();
                 return 1",
            );
            open();
            if self.poll(has_focus, PATIENCE / ATTEMPTS).is_some() {
                self.browser.insert_text(part);
                if self.poll(&entry, PATIENCE / ATTEMPTS).is_some() {
                    self.browser.key(ENTER);
                    return;
                }
            }
        }
        self.wait(&format!("entry {part:?}"), &entry);
    }

    /// Closes lists and messages.
    pub fn quiet(&self) {
        self.browser.key(ESCAPE);
        self.command("Notifications: Clear All Notifications");
    }

    /// Shows a container of views by its name.
    pub fn container(&self, name: &str) {
        let script = format!(
            "const tab = document.querySelector('.activitybar [aria-label^=\"{name}\"]');
             if (!tab) return false;
             if (!tab.closest('.action-item').classList.contains('checked')) tab.click();
             return true"
        );
        self.wait(name, &script);
    }

    /// Runs a closure in the page of the newest panel; what it returns.
    pub fn in_panel<T>(&self, run: impl FnOnce(&Browser) -> T) -> T {
        self.wait("panel", "return document.querySelector('iframe.webview.ready') !== null");
        let marked = "const all = [...document.querySelectorAll('iframe.webview.ready')].filter((it) => getComputedStyle(it.parentElement.closest('[style*=visibility]') ?? it).visibility !== 'hidden');
             all.forEach((it) => it.classList.remove('in-front'));
             all.at(-1)?.classList.add('in-front'); return all.length";
        self.browser.js(marked);
        self.browser.enter_frame("iframe.in-front");
        let inner = "return document.getElementById('active-frame') !== null";
        self.wait("page of the panel", inner);
        self.browser.enter_frame("#active-frame");
        self.wait("drawn page", "return document.documentElement.dataset.ready === 'yes'");
        let result = run(&self.browser);
        self.browser.leave_frames();
        result
    }

    /// Writes a picture for the documentation, into the folder that `WATTLE_PICTURES` names, else one that does not stay.
    pub fn picture(&self, name: &str) {
        std::thread::sleep(Duration::from_millis(500));
        let file = self.pictures.join(format!("vscode-{name}.png"));
        self.browser.picture(&file);
        let bytes = std::fs::metadata(&file).expect("a picture").len();
        assert!((10_000..400_000).contains(&bytes), "{name}: {bytes} bytes");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // Its children end with it.
        let asked = Command::new("kill").arg(self.server.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn variable(name: &str) -> std::ffi::OsString {
    std::env::var_os(name).unwrap_or_else(|| panic!("{name} names a folder"))
}

fn code_server() -> PathBuf {
    variable("WATTLE_CODE_SERVER").into()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for file in std::fs::read_dir(from).expect("a folder").flatten() {
        std::fs::copy(file.path(), to.join(file.file_name())).expect("copied");
    }
}
