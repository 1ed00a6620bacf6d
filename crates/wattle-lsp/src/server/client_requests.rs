//! Requests of the client, and their answers.

use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use ls_types::{Position, Uri};
use lsp_server::{ErrorCode, Request, RequestId};
use serde_json::{Value, json};

use super::document_state::{DocumentState, KnownEnergies};
use super::energy_symbols::{self, MOST_SYMBOLS};
use super::server_loop::{Server, read};
use super::{
    call_items, code_actions, command_job, finding_list, line_energies, method_hints, method_hover,
};
use crate::energy::GroupEnergies;

impl Server {
    /// Answers a request, now or when its command ended.
    pub(super) fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if command_job::verb(&method).is_some() && method.starts_with("wattle/") {
            return self.start_job(id, &method, params);
        }
        let uri = params
            .pointer("/textDocument/uri")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let result = match method.as_str() {
            "textDocument/inlayHint" => return self.hints(&id, &uri, &params),
            "textDocument/codeLens" => self.lenses(&uri),
            "textDocument/hover" => self.hover(&uri, &params),
            "textDocument/codeAction" => self.actions(&uri, &params),
            "workspace/symbol" => self.symbols(params["query"].as_str().unwrap_or_default()),
            "textDocument/prepareCallHierarchy" => self.prepare_calls(&uri, &params),
            "callHierarchy/incomingCalls" => self.calls(&params, false),
            "callHierarchy/outgoingCalls" => self.calls(&params, true),
            "workspace/executeCommand" => return self.execute(id, &params),
            "wattle/status" => self.status(),
            "wattle/lines" => self.line_energies(&uri),
            "wattle/refresh" => {
                self.load();
                Value::Null
            }
            _ => {
                let text = format!("unknown request {method}");
                return self.fail(id, ErrorCode::MethodNotFound as i32, &text);
            }
        };
        self.reply(id, result);
    }

    fn group(&self) -> Option<(usize, Arc<GroupEnergies>)> {
        let shown = self.shown();
        self.energies.groups.get(shown).map(|group| (shown, Arc::clone(group)))
    }

    fn hints(&mut self, id: &RequestId, uri: &str, parameters: &Value) {
        let (groups, shown, settings) =
            (self.energies.groups.clone(), self.shown(), self.settings.clone());
        let lines = lines_of(&parameters["range"]);
        let hints = self
            .state(uri)
            .map(|state| method_hints::hints(state, (&groups, shown), &settings, lines));
        self.client.answer(id, &hints.unwrap_or_default());
    }

    fn lenses(&mut self, uri: &str) -> Value {
        let (groups, shown, settings) =
            (self.energies.groups.clone(), self.shown(), self.settings.clone());
        let lenses =
            self.state(uri).map(|state| method_hints::lenses(state, (&groups, shown), &settings));
        lenses.unwrap_or_default().into()
    }

    fn line_energies(&mut self, uri: &str) -> Value {
        let Some((shown, group)) = self.group() else { return json!([]) };
        let rows = self.state(uri).map(|state| line_energies::rows(state, (&group, shown)));
        rows.unwrap_or_default().into()
    }

    fn hover(&mut self, uri: &str, parameters: &Value) -> Value {
        let groups = self.energies.groups.clone();
        let Some(line) = line_of(parameters) else { return Value::Null };
        let Some(state) = self.state(uri) else { return Value::Null };
        let on_line = state.versions().now.all.iter().enumerate().filter(|(_, it)| it.line == line);
        let texts: Vec<String> = on_line
            .map(|(method, _)| method_hover::method_text(state, &groups, method))
            .filter(|text| !text.is_empty())
            .collect();
        if texts.is_empty() {
            return Value::Null;
        }
        json!({ "contents": { "kind": "markdown", "value": texts.join("\n---\n\n") } })
    }

    fn actions(&mut self, uri: &str, parameters: &Value) -> Value {
        let findings = self.findings.clone();
        let Some((shown, group)) = self.group() else { return json!([]) };
        let lines = lines_of(&parameters["range"]);
        let Some(state) = self.state(uri) else { return json!([]) };
        let is_there = |it: &Value| {
            let line = it.pointer("/range/start/line").and_then(Value::as_u64);
            line.is_some_and(|line| u32::try_from(line).is_ok_and(|line| lines.contains(&line)))
        };
        let diagnostics = finding_list::diagnostics(state, &findings);
        let diagnostics: Vec<Value> = diagnostics.into_iter().filter(is_there).collect();
        code_actions::actions(state, (&group, shown), &diagnostics, lines).into()
    }

    fn symbols(&mut self, query: &str) -> Value {
        let Some((shown, group)) = self.group() else { return json!([]) };
        let mut symbols = Vec::new();
        for row in energy_symbols::rows(&group, query) {
            if symbols.len() >= MOST_SYMBOLS {
                break;
            }
            let symbol = self.at_place(group.methods.name(row), |state, uri| {
                let annotated = state.annotated(shown);
                let placed = annotated.methods.iter().find(|placed| placed.row == row)?;
                let method = state.versions().now.all.get(placed.method)?;
                let range = state.document.range(method.name_start..method.name_start);
                let place = json!({ "uri": uri, "range": range });
                Some(energy_symbols::symbol(&group, group.methods.row(row)?, method, &place))
            });
            symbols.extend(symbol);
        }
        symbols.into()
    }

    /// Looks at the file that declares a method, open or closed.
    fn at_place<T>(
        &mut self,
        name: &str,
        look: impl FnOnce(&DocumentState, &str) -> Option<T>,
    ) -> Option<T> {
        let root = self.root.clone()?;
        let path = self.files.file_of(&root, name)?;
        // Clients write addresses in ways of their own: the file decides what is open.
        let open = self.documents.iter().find(|(_, state)| state.document.path == path);
        if let Some(uri) = open.map(|(uri, _)| uri.clone()) {
            return look(self.state(&uri)?, &uri);
        }
        let uri = Uri::from_file_path(&path)?.as_str().to_owned();
        let energies =
            KnownEnergies { groups: &self.energies.groups, details: self.details.as_ref() };
        let state = self.files.closed(&path, (energies, &mut self.texts), self.encoding)?;
        look(&state, &uri)
    }

    fn prepare_calls(&mut self, uri: &str, parameters: &Value) -> Value {
        let Some((shown, group)) = self.group() else { return Value::Null };
        let Some(position) = read::<Position>(parameters["position"].clone()) else {
            return Value::Null;
        };
        let Some(state) = self.state(uri) else { return Value::Null };
        let offset = state.document.offset(position);
        let annotated = state.annotated(shown);
        let around = annotated.methods.iter().filter_map(|placed| {
            let method = state.versions().now.all.get(placed.method)?;
            (method.span.contains(&offset) || method.line == position.line)
                .then_some((method.span.len(), placed))
        });
        let Some((_, placed)) = around.min_by_key(|(length, _)| *length) else {
            return Value::Null;
        };
        let Some(row) = group.methods.row(placed.row) else { return Value::Null };
        let name = group.methods.name(placed.row);
        call_items::item(state, placed, (uri, name), (&row.total, row.calls)).into_iter().collect()
    }

    /// Callers or callees of an item, those of most energy first.
    fn calls(&mut self, parameters: &Value, is_caller: bool) -> Value {
        let name =
            parameters.pointer("/item/data/method").and_then(Value::as_str).unwrap_or_default();
        let Some((shown, group)) = self.group() else { return json!([]) };
        let Some(details) = &self.details else { return json!([]) };
        let Some(row) = group.methods.find(name) else { return json!([]) };
        let edges: Vec<(usize, wattle_units::Estimate, u64)> = details
            .edges_of(row, is_caller)
            .into_iter()
            .map(|edge| {
                let other = if is_caller { edge.callee } else { edge.caller };
                (other as usize, edge.energy, edge.calls)
            })
            .collect();
        let own_range = parameters.pointer("/item/selectionRange").cloned().unwrap_or(Value::Null);
        let mut calls = Vec::new();
        for (row, energy, count) in edges.into_iter().take(MOST_SYMBOLS) {
            let other = group.methods.name(row);
            let item = self.at_place(other, |state, uri| {
                let annotated = state.annotated(shown);
                let placed = annotated.methods.iter().find(|placed| placed.row == row)?;
                call_items::item(state, placed, (uri, other), (&energy, count as f64))
            });
            let Some(item) = item else { continue };
            // Where in the caller the call is may have moved: its name is certain.
            let (key, from) = if is_caller {
                ("to", own_range.clone())
            } else {
                ("from", item["selectionRange"].clone())
            };
            calls.push(json!({ key: item, "fromRanges": [from] }));
        }
        calls.into()
    }

    fn status(&self) -> Value {
        let group = |group: &Arc<GroupEnergies>| {
            json!({
                "title": group.title(),
                "app": group.runs.facts.app.package,
                "device": group.device(),
                "scenario": group.scenario(),
                "commit": group.commit(),
                "runs": group.runs.runs,
                "baseline": group.runs.before,
                "methods": group.methods.len(),
            })
        };
        let groups: Vec<Value> = self.energies.groups.iter().map(group).collect();
        json!({ "groups": groups, "shown": self.shown(), "hasCalls": self.details.is_some(), "findings": self.findings.len() })
    }

    fn execute(&mut self, id: RequestId, parameters: &Value) {
        let command = parameters["command"].as_str().unwrap_or_default();
        let argument = parameters["arguments"].get(0).cloned().unwrap_or(Value::Null);
        if command_job::verb(command).is_some() {
            let mut argument = if argument.is_null() { json!({}) } else { argument };
            if let Some(token) = parameters.get("workDoneToken") {
                argument["workDoneToken"] = token.clone();
            }
            return self.start_job(id, command, argument);
        }
        let result = match command {
            "wattle.openPage" => self.open_page(&argument),
            "wattle.explain" => self.explain(&argument),
            "wattle.refresh" => {
                self.load();
                Ok(Value::Null)
            }
            _ => Err(format!("unknown command {command}")),
        };
        match result {
            Ok(value) => self.reply(id, value),
            Err(problem) => self.fail(id, ErrorCode::RequestFailed as i32, &problem),
        }
    }

    /// Writes the page of a run and opens it at a method.
    fn open_page(&mut self, argument: &Value) -> Result<Value, String> {
        let run = argument["run"].as_i64().ok_or("expected the number of a run")?;
        let folder = std::env::temp_dir().join("wattle-pages");
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let file = folder.join(format!("run-{run}.html"));
        let page = file.to_string_lossy().into_owned();
        self.output(&["report", &format!("run:{run}"), "--html", &page, "--quiet"])?;
        let uri = Uri::from_file_path(&file).ok_or("the page has no address")?.as_str().to_owned();
        let selection = argument["method"]
            .as_str()
            .map(|method| format!("#mode=sandwich&frame={}", percent_encoded(method)));
        let uri = uri + &selection.unwrap_or_default();
        if self.abilities.shows_documents {
            self.ask("window/showDocument", json!({ "uri": uri, "external": true }));
        } else {
            self.say(3, &format!("the page is {uri}"));
        }
        Ok(json!({ "uri": uri }))
    }

    fn explain(&mut self, argument: &Value) -> Result<Value, String> {
        let rule = argument["rule"]
            .as_str()
            .filter(|rule| !rule.starts_with('-'))
            .ok_or("expected a rule")?;
        let text = self.output(&["explain", rule])?;
        self.say(3, &text);
        Ok(json!({ "text": text }))
    }

    /// The output of a command of the program that takes little time.
    fn output(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(&self.setup.program);
        command.args(arguments).envs(self.setup.variables.clone()).stdin(Stdio::null());
        command.current_dir(self.root.as_deref().unwrap_or(Path::new(".")));
        let output = command.output().map_err(|error| error.to_string())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }
}

/// The lines of a range.
fn lines_of(range: &Value) -> RangeInclusive<u32> {
    let line = |end: &str| range[end]["line"].as_u64().and_then(|line| u32::try_from(line).ok());
    line("start").unwrap_or(0)..=line("end").unwrap_or(u32::MAX)
}

fn line_of(parameters: &Value) -> Option<u32> {
    u32::try_from(parameters.pointer("/position/line")?.as_u64()?).ok()
}

fn percent_encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(
            |byte| {
                if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::server_loop::path_of;
    use super::*;

    #[test]
    fn addresses_are_of_files() {
        assert_eq!(path_of("file:///a/b%20c.kt").as_deref(), Some(Path::new("/a/b c.kt")));
        assert_eq!(path_of("untitled:1"), None);
        assert_eq!(percent_encoded("a.B.c(I)"), "a.B.c%28I%29");
    }
}
