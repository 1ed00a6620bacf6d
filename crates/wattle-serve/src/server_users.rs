//! Users of a server, for a command line.

use wattle_jobs::{
    ErrorKind, NewUser, Password, Project, Role, ServerData, ServerError, UserAccount,
};

use crate::serve_error::ServeError;
use crate::server_options::ServerOptions;
use crate::server_projects::note;
use crate::web_server::FIRST_PROJECT;
use crate::whole_server::{FirstPassword, on_data, on_old_or_new_data};

/// A user to be added from a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddedUser {
    /// The name for logging in.
    pub name: String,
    /// Whether the user manages the server. The first user does.
    pub is_admin: bool,
    /// The project; the first one by default.
    pub project: Option<String>,
    /// The role in it; by default *member*, and *admin* for those who manage the server.
    pub role: Option<Role>,
}

/// A user, and the roles that they were given.
#[derive(Clone, Debug)]
pub struct ListedUser {
    /// The user.
    pub user: UserAccount,
    /// Names of projects, and the user's role in each.
    pub roles: Vec<(String, Role)>,
}

/// The project that is named, with an error that names it.
async fn named(data: &ServerData, name: &str) -> Result<Project, ServerError> {
    data.projects().named(name).await
}

/// Adds a user, and gives them a role in a project. Without a password another system has to vouch for them.
///
/// # Errors
/// If the name is taken or cannot be one, the password is too short, there is no such project, or the data cannot be opened.
pub fn add_user(
    options: &ServerOptions,
    added: &AddedUser,
    password: Option<&FirstPassword>,
) -> Result<UserAccount, ServeError> {
    on_old_or_new_data(options, async |data| {
        // Before anything is changed: a project that does not exist is a mistake.
        let project = match &added.project {
            Some(name) => Some(named(data, name).await?),
            None => match named(data, FIRST_PROJECT).await {
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                other => Some(other?),
            },
        };
        let is_first = data.accounts().count().await? == 0;
        let new = NewUser {
            name: added.name.clone(),
            title: String::new(),
            password: password.map(|password| Password::new(password.reveal())).transpose()?,
            is_admin: added.is_admin || is_first,
        };
        let user = data.accounts().create(&new).await?;
        note(data, "user.create", None, &user.name).await?;
        if let Some(project) = project {
            let usual = if user.is_admin { Role::Admin } else { Role::Member };
            let role = Some(added.role.unwrap_or(usual));
            set_role(data, &project, &user, role).await?;
        }
        Ok(user)
    })
}

async fn set_role(
    data: &ServerData,
    project: &Project,
    user: &UserAccount,
    role: Option<Role>,
) -> Result<(), ServerError> {
    data.projects().set_role(project.id, user.id, role).await?;
    let subject = format!("{} {}", user.name, role.map_or("none", Role::name));
    note(data, "member.set", Some(project.id), &subject).await
}

/// Gives a user a role in a project, or takes it away.
///
/// # Errors
/// If there is no such user or project, or the data cannot be opened.
pub fn set_user_role(
    options: &ServerOptions,
    (name, project): (&str, &str),
    role: Option<Role>,
) -> Result<(), ServeError> {
    on_data(options, async |data| {
        let (user, project) = (data.accounts().named(name).await?, named(data, project).await?);
        set_role(data, &project, &user, role).await
    })
}

/// All users, by name, with their roles.
///
/// # Errors
/// If the data cannot be opened.
pub fn users(options: &ServerOptions) -> Result<Vec<ListedUser>, ServeError> {
    on_data(options, async |data| {
        let users = data.accounts().all().await?;
        let mut users: Vec<_> =
            users.into_iter().map(|user| ListedUser { user, roles: Vec::new() }).collect();
        for project in data.projects().all().await? {
            for member in data.projects().members(project.id).await? {
                if let Some(user) = users.iter_mut().find(|it| it.user.id == member.user.id) {
                    user.roles.push((project.name.clone(), member.role));
                }
            }
        }
        Ok(users)
    })
}

/// Gives a user another password, and ends their sessions.
///
/// # Errors
/// If there is no such user, or the data cannot be opened.
pub fn set_password(
    options: &ServerOptions,
    name: &str,
    password: &FirstPassword,
) -> Result<(), ServeError> {
    on_data(options, async |data| {
        let user = data.accounts().named(name).await?;
        data.accounts().set_password(user.id, &Password::new(password.reveal())?).await?;
        note(data, "password.set", None, &user.name).await
    })
}

/// Locks a user out, or lets them in again.
///
/// # Errors
/// If there is no such user, if it is the last one who manages the server, or the data cannot be opened.
pub fn set_disabled(
    options: &ServerOptions,
    name: &str,
    is_disabled: bool,
) -> Result<(), ServeError> {
    on_data(options, async |data| {
        let user = data.accounts().named(name).await?;
        data.accounts().set_disabled(user.id, is_disabled).await?;
        let action = if is_disabled { "user.disable" } else { "user.enable" };
        note(data, action, None, &user.name).await
    })
}
