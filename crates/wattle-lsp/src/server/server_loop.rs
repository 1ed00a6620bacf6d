//! The loop of the server: messages in their order, and results of work in the background.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::{Receiver, Sender, after, select, unbounded};
use ls_types::Uri;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::background_result::Event;
use super::child_program;
use super::client_abilities::ClientAbilities;
use super::client_link::ClientLink;
use super::command_job::{self, CommandJob, CommandRequest};
use super::direct_answers::DirectAnswers;
use super::document_state::{DocumentState, KnownEnergies};
use super::editor_settings::EditorSettings;
use super::finding_list::{self, Finding};
use super::project_files::ProjectFiles;
use super::server_setup::ServerSetup;
use crate::documents::{OpenDocument, PositionEncoding, RunTexts};
use crate::energy::{CallDetails, ProjectEnergies};
use crate::source::Language;

/// The time between two looks at the history.
const LOOK: Duration = Duration::from_secs(2);

/// Why a server ended before the client asked it to.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Messages out of order, or none at all.
    #[error(transparent)]
    Protocol(#[from] lsp_server::ProtocolError),
    /// The client is gone.
    #[error("the client closed the connection without `exit`")]
    Disconnected,
}

/// Serves one client until it says `exit`.
pub fn run_server(
    connection: &Connection,
    direct: DirectAnswers,
    setup: ServerSetup,
) -> Result<(), ServerError> {
    let (id, parameters) = connection.initialize_start()?;
    let (events, results) = unbounded();
    let client = ClientLink::new(connection.sender.clone(), direct);
    let mut server = Server::new(&parameters, setup, (client, events));
    connection.initialize_finish(id, server.capabilities())?;
    server.load();
    server.serve(connection, &results)
}

/// The state of the server.
pub(super) struct Server {
    pub setup: ServerSetup,
    pub settings: EditorSettings,
    pub abilities: ClientAbilities,
    pub encoding: PositionEncoding,
    pub root: Option<PathBuf>,
    pub documents: FxHashMap<String, DocumentState>,
    pub energies: ProjectEnergies,
    pub details: Option<CallDetails>,
    pub findings: Vec<Finding>,
    pub texts: RunTexts,
    pub files: ProjectFiles,
    jobs: Vec<(RequestId, CommandJob)>,
    is_loading: bool,
    is_stale: bool,
    seen: Option<[Option<SystemTime>; 2]>,
    last_look: Instant,
    last_problem: String,
    next_request: i32,
    pub client: ClientLink,
    events: Sender<Event>,
}

impl Server {
    fn new(
        parameters: &Value,
        setup: ServerSetup,
        (client, events): (ClientLink, Sender<Event>),
    ) -> Self {
        let offered = parameters.pointer("/capabilities/general/positionEncodings");
        let offered =
            offered.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let root = ["/workspaceFolders/0/uri", "/rootUri"]
            .iter()
            .filter_map(|pointer| parameters.pointer(pointer)?.as_str())
            .find_map(path_of);
        let settings = parameters.get("initializationOptions").and_then(EditorSettings::from_value);
        Self {
            setup,
            settings: settings.unwrap_or_default(),
            abilities: ClientAbilities::new(&parameters["capabilities"]),
            encoding: PositionEncoding::choose(offered),
            root,
            documents: FxHashMap::default(),
            energies: ProjectEnergies::default(),
            details: None,
            findings: Vec::new(),
            texts: RunTexts::default(),
            files: ProjectFiles::default(),
            jobs: Vec::new(),
            is_loading: false,
            is_stale: false,
            seen: None,
            last_look: Instant::now(),
            last_problem: String::new(),
            next_request: 0,
            client,
            events,
        }
    }

    fn capabilities(&self) -> Value {
        json!({
            "capabilities": {
                "positionEncoding": self.encoding.name(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
                "inlayHintProvider": { "resolveProvider": false },
                "codeLensProvider": { "resolveProvider": false },
                "hoverProvider": true,
                "codeActionProvider": { "codeActionKinds": ["quickfix", ""], "resolveProvider": false },
                "workspaceSymbolProvider": { "resolveProvider": false },
                "callHierarchyProvider": true,
                "executeCommandProvider": {
                    "commands": [
                        "wattle.openPage", "wattle.explain", "wattle.run", "wattle.record", "wattle.compare",
                        "wattle.check", "wattle.refresh",
                    ],
                    "workDoneProgress": true,
                },
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": false } },
                "experimental": {
                    "wattle": { "requests": ["wattle/run", "wattle/record", "wattle/compare", "wattle/check", "wattle/status", "wattle/lines", "wattle/refresh"] },
                },
            },
            "serverInfo": { "name": "wattle", "version": self.setup.version },
        })
    }

    fn serve(
        &mut self,
        connection: &Connection,
        results: &Receiver<Event>,
    ) -> Result<(), ServerError> {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        loop {
            // All that arrived is looked at first: what was cancelled is not worked on.
            waiting.extend(connection.receiver.try_iter());
            let Some(message) = waiting.pop_front() else {
                select! {
                    recv(connection.receiver) -> message => match message {
                        Ok(message) => waiting.push_back(message),
                        Err(_) => return Err(ServerError::Disconnected),
                    },
                    recv(results) -> event => {
                        if let Ok(event) = event {
                            self.take(event);
                        }
                    },
                    recv(after(LOOK)) -> _ => self.look(),
                }
                continue;
            };
            while let Ok(event) = results.try_recv() {
                self.take(event);
            }
            if self.last_look.elapsed() >= LOOK {
                self.look();
            }
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        self.jobs.iter_mut().for_each(|(_, job)| job.cancel());
                        return Ok(());
                    }
                    if is_cancelled(&waiting, &request.id) {
                        self.fail(request.id, ErrorCode::RequestCanceled as i32, "cancelled");
                    } else {
                        self.answer(request);
                    }
                }
                Message::Notification(notification) => self.note(notification),
                Message::Response(_) => {}
            }
        }
    }

    /// Starts reading the energies of the project, unless that is under way.
    pub fn load(&mut self) {
        if self.is_loading {
            self.is_stale = true;
            return;
        }
        self.is_loading = true;
        // What changes from now on is not in what is being read.
        self.seen = self.history_state();
        self.read_findings();
        let (setup, folder, events) = (self.setup.clone(), self.root.clone(), self.events.clone());
        std::thread::spawn(move || {
            let found = child_program::energies(&setup, folder.as_deref());
            let _ = events.send(Event::Energies(found));
        });
    }

    fn read_findings(&mut self) {
        self.findings.clear();
        let root = self.root.clone().unwrap_or_default();
        let of_editor = self.settings.findings.iter().map(|path| root.join(path));
        for path in self.setup.findings.iter().cloned().chain(of_editor).collect::<Vec<_>>() {
            match finding_list::read(&path) {
                Ok(findings) => self.findings.extend(findings),
                Err(problem) => self.say(2, &format!("findings are not shown: {problem}")),
            }
        }
    }

    /// Whether the history changed since the last look.
    fn look(&mut self) {
        self.last_look = Instant::now();
        let Some(now) = self.history_state() else { return };
        let changed = self.seen.is_some_and(|seen| seen != now);
        self.seen = Some(now);
        if changed && !self.is_loading {
            self.load();
        }
    }

    /// When the files of the history were changed last; `None` where there are none to watch.
    fn history_state(&self) -> Option<[Option<SystemTime>; 2]> {
        let file = self.setup.watched.as_ref()?;
        let facts = |path: PathBuf| std::fs::metadata(path).ok();
        let mut journal = file.clone().into_os_string();
        journal.push("-wal");
        // Whoever only reads the history makes an empty journal.
        let journal = facts(journal.into()).filter(|facts| facts.len() > 0);
        let time = |facts: Option<std::fs::Metadata>| facts.and_then(|it| it.modified().ok());
        Some([time(facts(file.clone())), time(journal)])
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Energies(Ok(energies)) => {
                self.is_loading = false;
                self.last_problem.clear();
                self.energies = energies;
                self.details = None;
                self.show_anew();
                self.load_calls();
                self.seen = None;
                self.look();
                if std::mem::take(&mut self.is_stale) {
                    self.load();
                }
            }
            Event::Energies(Err(problem)) => {
                self.is_loading = false;
                if problem != self.last_problem {
                    self.say(2, &format!("energies are not shown: {problem}"));
                }
                self.last_problem = problem;
            }
            Event::Calls(Ok(details)) => {
                self.details = Some(details);
                self.show_anew();
            }
            Event::Calls(Err(problem)) => self.say(2, &format!("calls are not shown: {problem}")),
            Event::Line(id, line) => {
                let token = self
                    .jobs
                    .iter()
                    .find(|(job, _)| *job == id)
                    .and_then(|(_, job)| job.token.clone());
                if let Some(token) = token {
                    self.progress(&token, &json!({ "kind": "report", "message": line.trim() }));
                }
            }
            Event::Ended(id, code, output) => self.end_job(&id, code, &output),
        }
    }

    /// Starts reading the calls of the newest run of the group that is shown.
    fn load_calls(&self) {
        let Some(group) = self.energies.groups.get(self.shown()).cloned() else { return };
        let Some(run) = group.newest() else { return };
        let (setup, folder, events) = (self.setup.clone(), self.root.clone(), self.events.clone());
        std::thread::spawn(move || {
            let found = child_program::calls(&setup, folder.as_deref(), (run, &group));
            let _ = events.send(Event::Calls(found));
        });
    }

    /// The group that hints and lenses show: the first that the settings accept.
    pub fn shown(&self) -> usize {
        let has = |text: Option<&str>, part: &Option<String>| {
            part.as_ref().is_none_or(|part| {
                text.is_some_and(|text| text.to_lowercase().contains(&part.to_lowercase()))
            })
        };
        let is_meant = |group: &std::sync::Arc<crate::energy::GroupEnergies>| {
            has(Some(group.device()), &self.settings.device)
                && has(group.scenario(), &self.settings.scenario)
        };
        self.energies.groups.iter().position(is_meant).unwrap_or(self.energies.groups.len())
    }

    /// Lets the client ask again, and publishes diagnostics.
    fn show_anew(&mut self) {
        self.files.forget_energies();
        self.documents.values_mut().for_each(DocumentState::forget_energies);
        if self.abilities.refreshes_hints {
            self.ask("workspace/inlayHint/refresh", Value::Null);
        }
        if self.abilities.refreshes_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
        for uri in self.documents.keys().cloned().collect::<Vec<_>>() {
            self.publish(&uri);
        }
    }

    /// An open file, with everything worked out.
    pub fn state(&mut self, uri: &str) -> Option<&DocumentState> {
        let state = self.documents.get_mut(uri)?;
        let energies =
            KnownEnergies { groups: &self.energies.groups, details: self.details.as_ref() };
        state.update(energies, &mut self.texts);
        if state.is_elsewhere().is_none() {
            let path = &state.document.path;
            let is_elsewhere = self
                .root
                .as_deref()
                .is_some_and(|root| self.files.is_elsewhere(root, path, &state.versions().now));
            state.set_elsewhere(is_elsewhere);
            state.update(energies, &mut self.texts);
        }
        Some(state)
    }

    fn publish(&mut self, uri: &str) {
        let findings = std::mem::take(&mut self.findings);
        let diagnostics = self
            .state(uri)
            .map(|state| (state.document.version, finding_list::diagnostics(state, &findings)));
        self.findings = findings;
        if let Some((version, diagnostics)) = diagnostics {
            let parameters = json!({ "uri": uri, "version": version, "diagnostics": diagnostics });
            self.tell("textDocument/publishDiagnostics", parameters);
        }
    }

    fn note(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let Some(open) = read::<ls_types::DidOpenTextDocumentParams>(params) else {
                    return;
                };
                let document = open.text_document;
                let uri = document.uri.as_str().to_owned();
                let Some(path) = path_of(&uri) else { return };
                let Some(language) = Language::of_path(&path) else { return };
                let text = (document.version, document.text);
                let document = OpenDocument::new(path, language, text, self.encoding);
                // A file that is new is not known yet.
                if !document.path.is_file() {
                    self.files.forget();
                }
                self.documents.insert(uri.clone(), DocumentState::new(document));
                self.publish(&uri);
            }
            "textDocument/didChange" => {
                let Some(change) = read::<ls_types::DidChangeTextDocumentParams>(params) else {
                    return;
                };
                let uri = change.text_document.uri.as_str().to_owned();
                if let Some(state) = self.documents.get_mut(&uri) {
                    state.document.apply(change.text_document.version, change.content_changes);
                    state.changed();
                    if !self.findings.is_empty() {
                        self.publish(&uri);
                    }
                }
            }
            "textDocument/didClose" => {
                let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
                if let Some(uri) = uri.map(str::to_owned)
                    && self.documents.remove(&uri).is_some()
                {
                    self.tell(
                        "textDocument/publishDiagnostics",
                        json!({ "uri": uri, "diagnostics": [] }),
                    );
                }
            }
            "textDocument/didSave" => {
                self.files.forget();
                self.texts.forget_departed();
                self.documents.values_mut().for_each(DocumentState::files_changed);
            }
            "workspace/didChangeConfiguration" => {
                if let Some(settings) = EditorSettings::from_value(&params["settings"]) {
                    self.settings = settings;
                    self.read_findings();
                    self.details = None;
                    self.load_calls();
                    self.show_anew();
                }
            }
            "$/cancelRequest" => {
                let id = match &params["id"] {
                    Value::String(text) => Some(RequestId::from(text.clone())),
                    other => {
                        other.as_i64().and_then(|id| i32::try_from(id).ok()).map(RequestId::from)
                    }
                };
                self.jobs
                    .iter_mut()
                    .filter(|(job, _)| Some(job) == id.as_ref())
                    .for_each(|(_, job)| job.cancel());
            }
            "window/workDoneProgress/cancel" => {
                let token = Some(params["token"].clone());
                self.jobs
                    .iter_mut()
                    .filter(|(_, job)| job.token == token)
                    .for_each(|(_, job)| job.cancel());
            }
            _ => {}
        }
    }

    /// Starts a command of the program; the request is answered when it ends.
    pub fn start_job(&mut self, id: RequestId, method: &str, parameters: Value) {
        let Some((verb, title)) = command_job::verb(method) else {
            return self.fail(id, ErrorCode::MethodNotFound as i32, "unknown command");
        };
        let Some(mut request) = read::<CommandRequest>(parameters) else {
            return self.fail(
                id,
                ErrorCode::InvalidParams as i32,
                "expected {\"arguments\": [\"…\"]}",
            );
        };
        if request.work_done_token.is_none() && self.abilities.has_progress {
            let token = Value::from(format!("wattle-{id}"));
            self.ask("window/workDoneProgress/create", json!({ "token": token }));
            request.work_done_token = Some(token);
        }
        let token = request.work_done_token.clone();
        let program = (self.setup.program.as_path(), self.setup.variables.as_slice());
        let command = ((verb, title), request);
        match CommandJob::start(program, self.root.as_deref(), command, (&id, &self.events)) {
            Ok(job) => {
                if let Some(token) = token {
                    self.progress(
                        &token,
                        &json!({ "kind": "begin", "title": title, "cancellable": true }),
                    );
                }
                self.jobs.push((id, job));
            }
            Err(problem) => self.fail(id, ErrorCode::RequestFailed as i32, &problem),
        }
    }

    fn end_job(&mut self, id: &RequestId, code: Option<i32>, output: &str) {
        let Some(at) = self.jobs.iter().position(|(job, _)| job == id) else { return };
        let (id, job) = self.jobs.swap_remove(at);
        let words = match code {
            Some(0) => "done".to_owned(),
            _ if job.is_cancelled => "cancelled".to_owned(),
            Some(code) => format!("ended with exit code {code}"),
            None => "ended by a signal".to_owned(),
        };
        if let Some(token) = &job.token {
            self.progress(
                token,
                &json!({ "kind": "end", "message": format!("{}: {words}", job.title) }),
            );
        }
        if job.is_cancelled {
            self.fail(id, ErrorCode::RequestCanceled as i32, &words);
        } else {
            self.reply(id, json!({ "exitCode": code, "output": output }));
        }
        self.look();
    }

    fn progress(&self, token: &Value, value: &Value) {
        self.tell("$/progress", json!({ "token": token, "value": value }));
    }

    /// Says something to the user: 1 is an error, 2 a warning, 3 information.
    pub fn say(&self, kind: u8, text: &str) {
        self.tell(
            "window/showMessage",
            json!({ "type": kind, "message": format!("Wattle: {text}") }),
        );
    }

    pub fn tell(&self, method: &str, parameters: Value) {
        self.client.send(Notification::new(method.to_owned(), parameters));
    }

    /// Sends a request whose answer does not matter.
    pub fn ask(&mut self, method: &str, parameters: Value) {
        self.next_request += 1;
        let id = RequestId::from(format!("wattle-{}", self.next_request));
        self.client.send(Request { id, method: method.to_owned(), params: parameters });
    }

    pub fn reply(&self, id: RequestId, result: Value) {
        self.client.send(Response::new_ok(id, result));
    }

    pub fn fail(&self, id: RequestId, code: i32, text: &str) {
        self.client.send(Response::new_err(id, code, text.to_owned()));
    }
}

/// Whether a request that waits was cancelled by what came behind it.
fn is_cancelled(waiting: &VecDeque<Message>, id: &RequestId) -> bool {
    waiting.iter().any(|message| match message {
        Message::Notification(it) if it.method == "$/cancelRequest" => {
            serde_json::from_value::<RequestId>(it.params["id"].clone())
                .is_ok_and(|other| other == *id)
        }
        _ => false,
    })
}

/// Parameters; `None` where they are not what the protocol says.
pub(super) fn read<T: DeserializeOwned>(parameters: Value) -> Option<T> {
    serde_json::from_value(parameters).ok()
}

/// The file of a `file:` URI.
pub(super) fn path_of(uri: &str) -> Option<PathBuf> {
    let parsed: Uri = uri.parse().ok()?;
    let is_file = uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    parsed.to_file_path().filter(|_| is_file).map(std::borrow::Cow::into_owned)
}
