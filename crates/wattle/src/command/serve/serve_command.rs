//! `wattle serve` itself.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use wattle_serve::{ChildLimits, Listening, ProxyTrust, ServerOptions};

use super::server_failure::failure;
use super::{attached_devices, frugal_memory, project_command, user_command};
use crate::cli::{Serve, ServeLimits, ServeProxy, ServeVerb, ServerPlace};
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle serve`.
pub fn serve(flags: &Serve) -> Outcome {
    if flags.verb.is_none() {
        frugal_memory::ensure();
    }
    let mut options = options(&flags.place)?;
    match &flags.verb {
        Some(ServeVerb::User(verb)) => return user_command::run(verb, &options),
        Some(ServeVerb::Project(verb)) => return project_command::run(verb, &options),
        Some(ServeVerb::Tidy { dry_run }) => return project_command::tidy(&options, *dry_run),
        Some(ServeVerb::Backup { folder }) => {
            wattle_serve::back_up(&options, folder).map_err(failure)?;
            return output::print(format!("backed up to {}\n", folder.display()).as_bytes());
        }
        Some(ServeVerb::Restore { folder }) => {
            wattle_serve::restore(&options, folder).map_err(failure)?;
            let text = format!("restored {} into {}\n", folder.display(), options.data.display());
            return output::print(text.as_bytes());
        }
        None => {}
    }
    options.bind = flags.bind;
    options.workers = flags.workers;
    options.public_url.clone_from(&flags.public_url);
    options.trust = trust(&flags.proxy);
    options.login_header.clone_from(&flags.proxy.login_header);
    set_limits(&mut options, &flags.limits);
    if flags.all_devices || !flags.device.is_empty() {
        options.devices = Some(attached_devices::source(flags.device.clone()));
    }
    wattle_serve::write_log();
    let opens = flags.open;
    wattle_serve::run_server(options, |server| say(server, opens)).map_err(failure)
}

/// The peers that may say who clients are.
fn trust(proxy: &ServeProxy) -> ProxyTrust {
    if proxy.behind_proxy {
        ProxyTrust::Everybody
    } else if proxy.trust_proxy.is_empty() {
        ProxyTrust::Nobody
    } else {
        ProxyTrust::These(proxy.trust_proxy.clone())
    }
}

fn set_limits(options: &mut ServerOptions, flags: &ServeLimits) {
    let limits = &mut options.limits;
    limits.upload_bytes = flags.upload_limit.0;
    limits.reserve_bytes = flags.keep_free.0;
    limits.user_bytes = flags.user_quota.0;
    limits.project_bytes = flags.project_quota.0;
    limits.server_bytes = flags.server_quota.0;
    limits.project_runs = flags.project_runs;
    limits.open_uploads = flags.user_uploads;
    limits.queued_jobs = flags.user_jobs;
    limits.link_days = flags.share_days;
    options.view_bytes = flags.view_files.0;
    options.connections.open = flags.connections as usize;
    options.connections.of_client = flags.client_connections as usize;
    let wall = Duration::from_mins(flags.job_time);
    let mut children = ChildLimits::for_machine(options.workers).with_time(wall);
    children.address_space = flags.job_memory.map_or(children.address_space, |it| it.0);
    children.folder_bytes = flags.job_files.0;
    children.file_bytes = children.file_bytes.min(children.folder_bytes);
    options.children = children;
}

/// A server's data, and the program that its jobs run: this one.
fn options(place: &ServerPlace) -> Result<ServerOptions, Failure> {
    let folder = match &place.data {
        Some(folder) => folder.clone(),
        None => wattle_apk::data_folder()
            .map(|folder| folder.join("server"))
            .ok_or_else(|| {
                let text = "no folder for the server's data: set $XDG_DATA_HOME or $HOME, or name one with --data";
                Failure::Environment(anyhow!(text))
            })?,
    };
    let program = std::env::current_exe().context("this program's own path");
    let mut options = ServerOptions::new(folder, program.map_err(Failure::Environment)?);
    options.database.clone_from(&place.store);
    Ok(options)
}

/// Says on standard output where the server is.
fn say(server: &Listening, opens: bool) {
    let who = if server.has_users { "" } else { " (this machine only; there are no users)" };
    let mut output = std::io::stdout().lock();
    // Whoever closed standard output reads the log.
    let _ = writeln!(output, "Wattle serves {}{who}", server.url);
    let _ = output.flush();
    if opens && open::that_detached(&server.url).is_err() {
        let _ = writeln!(std::io::stderr(), "wattle: no browser could be started");
    }
}
