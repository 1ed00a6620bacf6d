//! `wattle serve user`: who may log in.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;

use anyhow::{Context as _, anyhow};
use wattle_serve::{AddedUser, FirstPassword, ListedUser, Role, ServerOptions};

use super::server_failure::failure;
use crate::cli::{ProjectRole, UserVerb};
use crate::command::output;
use crate::exit::{Failure, Outcome};

/// Bytes of a file's first line.
const MOST: u64 = 4096;

/// A line on data that were made because there was no server: the folder may have been mistyped.
pub fn new_data(options: &ServerOptions) -> String {
    format!("there was no server in {}: made one\n", options.data.display())
}

/// Runs `wattle serve user`.
pub fn run(verb: &UserVerb, options: &ServerOptions) -> Outcome {
    match verb {
        UserVerb::Add { name, admin, project, role, no_password, password_file } => {
            let password =
                if *no_password { None } else { Some(password(password_file.as_deref())?) };
            let added = AddedUser {
                name: name.clone(),
                is_admin: *admin,
                project: project.clone(),
                role: role.map(role_of),
            };
            let is_new = !wattle_serve::exists(options);
            let user = wattle_serve::add_user(options, &added, password.as_ref().map(|it| &it.0));
            let user = user.map_err(failure)?;
            let manages = if user.is_admin { ", who manages the server" } else { "" };
            let mut text = format!("added the user {}{manages}\n", user.name);
            if is_new {
                text.push_str(&new_data(options));
            }
            if let Some((password, is_random)) = &password {
                add_password(&mut text, *is_random, password);
            }
            if wattle_serve::users(options).map_err(failure)?.len() == 1 {
                text.push_str("start a running server again: from now on it asks for a login\n");
            }
            output::print(text.as_bytes())
        }
        UserVerb::Role { name, role, project } => {
            let role = role_of(*role);
            let set = wattle_serve::set_user_role(options, (name, project), Some(role));
            set.map_err(failure)?;
            output::print(format!("{name} is {} of {project}\n", role.name()).as_bytes())
        }
        UserVerb::Remove { name, project } => {
            wattle_serve::set_user_role(options, (name, project), None).map_err(failure)?;
            output::print(format!("{name} has no role in {project}\n").as_bytes())
        }
        UserVerb::List => {
            let mut text = String::new();
            for ListedUser { user, roles } in wattle_serve::users(options).map_err(failure)? {
                let admin = if user.is_admin { "  manages the server" } else { "" };
                let disabled = if user.is_disabled { "  disabled" } else { "" };
                let _ = write!(text, "{}{admin}{disabled}", user.name);
                for (project, role) in roles {
                    let _ = write!(text, "  {project}: {}", role.name());
                }
                text.push('\n');
            }
            output::print(text.as_bytes())
        }
        UserVerb::Password { name, password_file } => {
            let (password, is_random) = password(password_file.as_deref())?;
            wattle_serve::set_password(options, name, &password).map_err(failure)?;
            let mut text = format!("{name} has another password, and has to log in again\n");
            add_password(&mut text, is_random, &password);
            output::print(text.as_bytes())
        }
        UserVerb::Disable { name } => {
            wattle_serve::set_disabled(options, name, true).map_err(failure)?;
            output::print(format!("{name} is locked out\n").as_bytes())
        }
        UserVerb::Enable { name } => {
            wattle_serve::set_disabled(options, name, false).map_err(failure)?;
            output::print(format!("{name} may log in again\n").as_bytes())
        }
    }
}

fn role_of(role: ProjectRole) -> Role {
    match role {
        ProjectRole::Reader => Role::Reader,
        ProjectRole::Member => Role::Member,
        ProjectRole::Admin => Role::Admin,
    }
}

fn add_password(text: &mut String, is_random: bool, password: &FirstPassword) {
    if is_random {
        let _ = writeln!(text, "password: {} (shown this once)", password.reveal());
    }
}

/// The password of a file, or a random one; and whether it is random.
fn password(file: Option<&Path>) -> Result<(FirstPassword, bool), Failure> {
    let Some(path) = file else {
        return FirstPassword::random().map(|password| (password, true)).map_err(failure);
    };
    let line = if output::is_stdout(Some(path)) {
        first_line(std::io::stdin().lock())
    } else {
        std::fs::File::open(path).and_then(first_line)
    };
    let line = line.with_context(|| format!("the password in {}", path.display()));
    let line = line.map_err(Failure::Input)?;
    if line.is_empty() {
        let text = format!("{}: expected a password in the first line", path.display());
        return Err(Failure::Usage(anyhow!(text)));
    }
    Ok((FirstPassword::chosen(line), false))
}

fn first_line(from: impl Read) -> std::io::Result<String> {
    let mut line = String::new();
    BufReader::new(from.take(MOST)).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
