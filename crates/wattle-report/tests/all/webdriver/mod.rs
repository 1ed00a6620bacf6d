//! A browser, driven over the W3C WebDriver protocol by chromedriver.
#![allow(dead_code, reason = "each test uses its own part of it")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// The key of an element reference in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser window of 1400 × 900. Closed when dropped.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: Profile,
}

/// A folder for the browser's own files, removed when dropped.
struct Profile(std::path::PathBuf);

impl Browser {
    /// Checks that the page has had no error and asked for nothing but itself and what it carries.
    #[track_caller]
    pub fn check_quiet(&self) {
        let log = self.log("browser");
        assert!(log.is_empty(), "console: {log:#?}");
        let requests = self.requests();
        assert!(!requests.is_empty(), "requests are not seen at all");
        for request in requests {
            let own = request.starts_with("file://") || request.starts_with("data:");
            assert!(own, "the page asked for {request}");
        }
    }

    /// Starts one.
    pub fn start(name: &str, arguments: &[&str]) -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver");
        let port = started(&mut driver);
        let profile = std::env::temp_dir().join(format!("wattle-{name}-{}", std::process::id()));
        let mut args = vec![
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--window-size=1400,900".to_owned(),
            format!("--user-data-dir={}", profile.display()),
        ];
        args.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        let mut browser = Self { driver, port, session: String::new(), _profile: Profile(profile) };
        let answer = browser.ask(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {"args": args},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            }}}),
        );
        browser.session = answer["sessionId"].as_str().map(str::to_owned).expect("a session");
        // The browser's own first page asks for things, too.
        browser.post("url", &json!({"url": "about:blank"}));
        browser.requests();
        browser.log("browser");
        browser
    }

    /// Opens a file and waits until the page has drawn itself.
    pub fn open(&self, file: &std::path::Path) {
        self.visit(&format!("file://{}", file.display()));
    }

    /// Opens an address and waits until the page has drawn itself.
    pub fn visit(&self, address: &str) {
        self.post("url", &json!({"url": address}));
        self.wait_until_ready();
    }

    /// Opens an address and waits for nothing.
    pub fn go(&self, address: &str) {
        self.post("url", &json!({"url": address}));
    }

    /// Enters the first frame that matches: scripts and elements are those of its document.
    pub fn enter_frame(&self, selector: &str) {
        let element = self.element(selector);
        self.post("frame", &json!({"id": {ELEMENT: element}}));
    }

    /// Leaves all frames: scripts and elements are those of the outermost document.
    pub fn leave_frames(&self) {
        self.post("frame", &json!({"id": null}));
    }

    /// Puts text where the focus is, at once.
    pub fn insert_text(&self, text: &str) {
        let command = json!({"cmd": "Input.insertText", "params": {"text": text}});
        self.post("goog/cdp/execute", &command);
        self.settle();
    }

    /// Presses keys of the focused element one behind the other, and releases them in reverse order.
    pub fn chord(&self, keys: &[&str]) {
        let press = |kind: &str, key: &str| json!({"type": kind, "value": key});
        let down = keys.iter().map(|key| press("keyDown", key));
        let up = keys.iter().rev().map(|key| press("keyUp", key));
        let actions: Vec<Value> = down.chain(up).collect();
        self.act(&json!({"type": "key", "id": "keyboard", "actions": actions}));
    }

    /// Waits until the page that is there, or comes, has drawn itself.
    pub fn wait_until_ready(&self) {
        for _ in 0..400 {
            if self.js("return document.documentElement.dataset.ready") == "yes" {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the page did not draw itself: {:?}", self.log("browser"));
    }

    /// Runs a script and returns its result.
    pub fn js(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Text of the first element that matches.
    pub fn text(&self, selector: &str) -> String {
        let text = || {
            let element = self.element(selector);
            self.asked("GET", &self.path(&format!("element/{element}/text")), &Value::Null)
        };
        // A page that has just drawn itself anew has another element there.
        let is_stale = |error: &String| error.contains("stale element");
        let found = match text() {
            Err(error) if is_stale(&error) => text(),
            found => found,
        };
        let text = found.unwrap_or_else(|error| panic!("{selector}: {error}"));
        text.as_str().unwrap_or_default().to_owned()
    }

    /// Puts axe-core into the page, from the file that the variable `WATTLE_AXE` names.
    pub fn load_axe(&self) {
        let axe = std::env::var_os("WATTLE_AXE").expect("a file");
        let axe = std::fs::read_to_string(axe).expect("axe.min.js");
        self.js(&format!("{axe}; return 1"));
    }

    /// Nothing that axe-core calls serious or critical is in the page as it is now.
    #[track_caller]
    pub fn check_accessibility(&self, what: &str) {
        self.js(
            "window.found = null;
             axe.run(document, { resultTypes: ['violations'] }).then((all) => { window.found = all.violations.map((one) => `${one.impact} ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`); });
             return 1",
        );
        let mut found = Value::Null;
        for _ in 0..100 {
            found = self.js("return window.found");
            if !found.is_null() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let found = found.as_array().expect("an answer of axe").iter().filter_map(Value::as_str);
        let is_serious = |text: &&str| text.starts_with("serious") || text.starts_with("critical");
        let serious: Vec<&str> = found.filter(is_serious).collect();
        assert!(serious.is_empty(), "{what}: {serious:#?}");
    }

    /// A number of a script.
    pub fn number(&self, script: &str) -> f64 {
        self.js(script).as_f64().unwrap_or_else(|| panic!("{script} is no number"))
    }

    /// Clicks the middle of the first element that matches.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        // The driver's own scrolling would be the page's smooth one, and it does not wait.
        self.js(&format!(
            "document.querySelector('{selector}')
                .scrollIntoView({{block: 'center', inline: 'center', behavior: 'instant'}}); return 1"
        ));
        self.post(&format!("element/{element}/click"), &json!({}));
        self.settle();
    }

    /// Types into the first element that matches.
    pub fn type_into(&self, selector: &str, text: &str) {
        let element = self.element(selector);
        self.post(&format!("element/{element}/value"), &json!({"text": text}));
        self.settle();
    }

    /// Empties an input.
    pub fn clear(&self, selector: &str) {
        let element = self.element(selector);
        self.post(&format!("element/{element}/clear"), &json!({}));
        self.js(&format!(
            "document.querySelector('{selector}').dispatchEvent(new Event('input')); return 1"
        ));
        self.settle();
    }

    /// Moves the pointer to a place of an element, from its top left corner, and clicks there if asked.
    pub fn point(&self, selector: &str, [x, y]: [f64; 2], click: bool) {
        let [x, y] = self.on_screen(selector, [x, y]);
        let mut actions = vec![pointer_move(x, y)];
        if click {
            actions.extend([json!({"type": "pointerDown", "button": 0}), pointer_up()]);
        }
        self.act(&json!({"type": "pointer", "id": "mouse", "actions": actions}));
    }

    /// Presses at one place of an element, moves to another, lets go.
    pub fn drag(&self, selector: &str, from: [f64; 2], to: [f64; 2]) {
        let [x, y] = self.on_screen(selector, from);
        let [to_x, to_y] = [x + to[0] - from[0], y + to[1] - from[1]];
        let actions = json!([
            pointer_move(x, y),
            {"type": "pointerDown", "button": 0},
            pointer_move(f64::midpoint(x, to_x), f64::midpoint(y, to_y)),
            pointer_move(to_x, to_y),
            pointer_up(),
        ]);
        self.act(&json!({"type": "pointer", "id": "mouse", "actions": actions}));
    }

    /// Turns the wheel above a place of an element.
    pub fn wheel(&self, selector: &str, at: [f64; 2], delta: i32) {
        let [x, y] = self.on_screen(selector, at);
        let scroll = json!({
            "type": "scroll", "x": x as i64, "y": y as i64, "deltaX": 0, "deltaY": delta,
            "duration": 0,
        });
        self.act(&json!({"type": "wheel", "id": "wheel", "actions": [scroll]}));
    }

    /// Makes the screen that of a telephone, of so many CSS pixels.
    pub fn become_telephone(&self, [width, height]: [u32; 2]) {
        let params =
            json!({"width": width, "height": height, "deviceScaleFactor": 2, "mobile": true});
        let command = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": params});
        self.post("goog/cdp/execute", &command);
    }

    /// Presses and releases a key of the focused element.
    pub fn key(&self, key: &str) {
        let actions = json!([{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]);
        self.act(&json!({"type": "key", "id": "keyboard", "actions": actions}));
    }

    /// Makes the screen that of a desktop, of so many pixels.
    pub fn resize(&self, [width, height]: [u32; 2]) {
        let params =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let command = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": params});
        self.post("goog/cdp/execute", &command);
    }

    /// Writes a picture of the window as it is now, as PNG.
    pub fn picture(&self, file: &std::path::Path) {
        let text = self.get("screenshot");
        let bytes = from_base64(text.as_str().expect("a picture"));
        std::fs::write(file, bytes).expect("a file");
    }

    /// Entries of a log (`browser`, `performance`) since the last call.
    pub fn log(&self, kind: &str) -> Vec<Value> {
        let entries = self.post("se/log", &json!({"type": kind}));
        entries.as_array().cloned().unwrap_or_default()
    }

    /// Addresses that the page asked for since the last call.
    pub fn requests(&self) -> Vec<String> {
        let message =
            |entry: &Value| serde_json::from_str::<Value>(entry["message"].as_str()?).ok();
        self.log("performance")
            .iter()
            .filter_map(message)
            .filter(|message| message["message"]["method"] == "Network.requestWillBeSent")
            .filter_map(|message| {
                let url = &message["message"]["params"]["request"]["url"];
                url.as_str().map(str::to_owned)
            })
            .collect()
    }

    /// Scrolls to an element and returns the position of a place of it in the window.
    fn on_screen(&self, selector: &str, [x, y]: [f64; 2]) -> [f64; 2] {
        let corner = self.js(&format!(
            "const node = document.querySelector('{selector}');
             node.scrollIntoView({{block: 'start', behavior: 'instant'}});
             scrollBy({{top: -90, behavior: 'instant'}});
             const box = node.getBoundingClientRect();
             return [box.left, box.top]"
        ));
        let at = |nth: usize| corner[nth].as_f64().unwrap_or_default();
        [at(0) + x, at(1) + y]
    }

    fn act(&self, source: &Value) {
        self.post("actions", &json!({"actions": [source]}));
        self.settle();
    }

    /// Two frames: one to draw, one to be sure.
    fn settle(&self) {
        self.post(
            "execute/async",
            &json!({
                "script": "const done = arguments[0];
                           requestAnimationFrame(() => requestAnimationFrame(() => done(1)))",
                "args": [],
            }),
        );
    }

    fn element(&self, selector: &str) -> String {
        let query = json!({"using": "css selector", "value": selector});
        let found = self.post("element", &query);
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("no {selector}")).to_owned()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &self.path(path), body)
    }

    fn get(&self, path: &str) -> Value {
        self.ask("GET", &self.path(path), &Value::Null)
    }

    fn path(&self, path: &str) -> String {
        format!("/session/{}/{path}", self.session)
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let found = self.asked(method, path, body);
        found.unwrap_or_else(|message| panic!("{method} {path}: {message}"))
    }

    /// One request, one connection; the driver's own message where it refuses.
    fn asked(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver");
        stream.set_read_timeout(Some(Duration::from_mins(1))).expect("a timeout");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("a request");
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("an answer");
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut content = vec![0; length];
        reader.read_exact(&mut content).expect("the answer's body");
        let answer: Value = serde_json::from_slice(&content).expect("JSON");
        let value = answer["value"].clone();
        match value.get("error") {
            None => Ok(value),
            Some(_) => Err(value["message"].to_string()),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The port that chromedriver says it has taken. What it says later is read and thrown away, or its pipe
/// would fill up.
fn started(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().expect("its output")).lines();
    let port = lines
        .by_ref()
        .map_while(Result::ok)
        .find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        })
        .expect("chromedriver's port");
    std::thread::spawn(move || lines.for_each(drop));
    port
}

/// The bytes of base64, of which the driver makes its pictures.
fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = text.bytes().filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte));
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_usize, 0);
    for value in values {
        bits = (bits << 6 | value) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

fn pointer_move(x: f64, y: f64) -> Value {
    json!({"type": "pointerMove", "duration": 0, "x": x as i64, "y": y as i64})
}

fn pointer_up() -> Value {
    json!({"type": "pointerUp", "button": 0})
}
