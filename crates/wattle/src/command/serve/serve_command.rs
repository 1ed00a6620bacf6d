//! `wattle serve` itself.

use std::io::Write as _;

use anyhow::{Context as _, anyhow};
use wattle_serve::{Listening, ServerOptions};

use super::server_failure::failure;
use super::user_command;
use crate::cli::{Serve, ServeVerb, ServerPlace};
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Runs `wattle serve`.
pub fn serve(flags: &Serve) -> Outcome {
    let mut options = options(&flags.place)?;
    match &flags.verb {
        Some(ServeVerb::User(verb)) => return user_command::run(verb, &options),
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
    options.is_behind_proxy = flags.behind_proxy;
    options.limits.upload_bytes = flags.upload_limit.saturating_mul(1_000_000);
    wattle_serve::write_log();
    let opens = flags.open;
    wattle_serve::run_server(options, |server| say(server, opens)).map_err(failure)
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
