//! Requests to a server.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use serde::de::DeserializeOwned;
use serde_json::Value;
use ureq::http::Response;
use ureq::{Agent, Body};

use crate::exit::Failure;

/// Bytes of an answer.
const MOST: u64 = 16 << 20;
/// Attempts of one request; the pauses between them double.
const ATTEMPTS: u32 = 6;

/// The content of a request.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// None.
    Nothing,
    /// JSON.
    Json(&'a Value),
    /// The bytes of an upload from an offset on.
    Part(u64, &'a [u8]),
}

/// A server, and the token for it.
pub struct ServerClient {
    agent: Agent,
    url: String,
    token: Option<String>,
}

impl ServerClient {
    /// For the server at an address. The token is the first line of a file, else the variable `WATTLE_TOKEN`.
    pub fn new(url: &str, token_file: Option<&Path>) -> Result<Self, Failure> {
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let text = format!("--server {url}: expected http://… or https://…");
            return Err(Failure::Usage(anyhow!(text)));
        }
        let token = match token_file {
            Some(path) => {
                let text = std::fs::read_to_string(path);
                let text = text.with_context(|| format!("the token in {}", path.display()));
                Some(text.map_err(Failure::Input)?)
            }
            None => std::env::var("WATTLE_TOKEN").ok(),
        };
        let first = token.as_deref().and_then(|text| text.trim().lines().next());
        let token = first.map(|line| line.trim().to_owned()).filter(|token| !token.is_empty());
        let is_plain = |token: &String| token.bytes().all(|byte| byte.is_ascii_graphic());
        if !token.as_ref().is_none_or(is_plain) {
            let place = token_file
                .map_or_else(|| "WATTLE_TOKEN".to_owned(), |path| path.display().to_string());
            return Err(Failure::Usage(anyhow!(
                "{place}: its first line is no token of a wattle server"
            )));
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_recv_response(Some(Duration::from_mins(2)))
            .timeout_send_body(Some(Duration::from_mins(15)))
            .user_agent(concat!("wattle/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: config.into(), url: url.trim_end_matches('/').to_owned(), token })
    }

    /// The path of a project in the API.
    pub fn project(name: &str) -> String {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let part = |byte: u8| {
            if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
        };
        format!("/projects/{}", name.bytes().map(part).collect::<String>())
    }

    /// The address of a path that an answer names.
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Asks, again where the network or a busy server is to blame, and returns the answer.
    pub fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content: Content<'_>,
    ) -> Result<T, ServerRefusal> {
        let mut pause = Duration::from_millis(300);
        for attempt in 1.. {
            let refusal = match self.ask_once(method, path, content) {
                Ok(answer) => return Ok(answer),
                Err(refusal) => refusal,
            };
            if !refusal.may_pass || attempt >= ATTEMPTS {
                return Err(refusal);
            }
            std::thread::sleep(pause);
            pause *= 2;
        }
        Err(ServerRefusal { status: 0, message: "no attempt".to_owned(), may_pass: false })
    }

    fn ask_once<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content: Content<'_>,
    ) -> Result<T, ServerRefusal> {
        let response = self.send(method, path, content).map_err(|error| ServerRefusal {
            status: 0,
            message: format!("{}: {error}", self.url),
            may_pass: true,
        })?;
        let status = response.status().as_u16();
        let text = response.into_body().into_with_config().limit(MOST).read_to_string();
        let text = text.map_err(|error| ServerRefusal {
            status,
            message: error.to_string(),
            may_pass: true,
        })?;
        if (200..300).contains(&status) {
            let text = if text.is_empty() { "null" } else { &text };
            return serde_json::from_str(text).map_err(|error| ServerRefusal {
                status,
                message: format!("the answer is not that of a wattle server: {error}"),
                may_pass: false,
            });
        }
        let message = serde_json::from_str::<Value>(&text).ok();
        let message = message.and_then(|json| json["message"].as_str().map(str::to_owned));
        Err(ServerRefusal {
            status,
            message: message.unwrap_or_else(|| format!("the server answered {status}")),
            may_pass: matches!(status, 408 | 429 | 502..=504),
        })
    }

    fn send(
        &self,
        method: &str,
        path: &str,
        content: Content<'_>,
    ) -> Result<Response<Body>, ureq::Error> {
        let mut request =
            ureq::http::Request::builder().method(method).uri(format!("{}/api/v1{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        match content {
            Content::Nothing => self.agent.run(request.body(())?),
            Content::Json(json) => {
                let request = request.header("content-type", "application/json");
                self.agent.run(request.body(json.to_string())?)
            }
            Content::Part(offset, bytes) => {
                let request = request
                    .header("content-type", "application/octet-stream")
                    .header("upload-offset", offset.to_string());
                self.agent.run(request.body(bytes)?)
            }
        }
    }
}

/// The reason why a server does not do something.
#[derive(Debug)]
pub struct ServerRefusal {
    /// The status; 0 where there is no answer.
    pub status: u16,
    /// A sentence.
    pub message: String,
    may_pass: bool,
}

impl From<ServerRefusal> for Failure {
    fn from(refusal: ServerRefusal) -> Self {
        let text = match refusal.status {
            401 => format!(
                "{}: pass an API token with --token-file, or in WATTLE_TOKEN",
                refusal.message
            ),
            _ => refusal.message,
        };
        let error = anyhow!("the server: {text}");
        match refusal.status {
            400..=499 => Self::Usage(error),
            _ => Self::Environment(error),
        }
    }
}
