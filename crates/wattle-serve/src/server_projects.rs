//! Projects of a server, for a command line.

use wattle_jobs::{
    NewAuditEntry, Project, ProjectId, QuotaHolder, RetentionRules, ServerData, ServerError, Tidied,
};

use crate::serve_error::ServeError;
use crate::server_options::ServerOptions;
use crate::whole_server::{on_data, on_old_or_new_data};

/// A project, and what it holds.
#[derive(Clone, Debug)]
pub struct ListedProject {
    /// The project.
    pub project: Project,
    /// The number of its members.
    pub members: usize,
    /// Bytes of its files.
    pub bytes: u64,
    /// Runs in its history.
    pub runs: u64,
    /// The life of its runs and files.
    pub retention: RetentionRules,
}

/// Notes in the audit log what was done by a command.
pub async fn note(
    data: &ServerData,
    action: &str,
    project: Option<ProjectId>,
    subject: &str,
) -> Result<(), ServerError> {
    let entry = NewAuditEntry { actor: "command line", action, project, subject, origin: "" };
    data.audit().add(&entry).await
}

/// Adds a project. An empty title is the name.
///
/// # Errors
/// If the name is taken or cannot be one, or the data cannot be opened.
pub fn add_project(
    options: &ServerOptions,
    name: &str,
    title: &str,
) -> Result<Project, ServeError> {
    on_old_or_new_data(options, async |data| {
        let project = data.projects().create(name, title, None).await?;
        note(data, "project.create", Some(project.id), &project.name).await?;
        Ok(project)
    })
}

async fn listed(data: &ServerData, project: Project) -> Result<ListedProject, ServerError> {
    let usage = data.quotas().usage(QuotaHolder::Project(project.id)).await?;
    let mut history = data.history(project.id).await?;
    let runs = history.apps().await?.iter().map(|(_, runs)| runs).sum();
    history.close().await?;
    Ok(ListedProject {
        members: data.projects().members(project.id).await?.len(),
        bytes: usage.bytes,
        runs,
        retention: data.retention().rules(project.id).await?,
        project,
    })
}

/// All projects, by name.
///
/// # Errors
/// If the data cannot be opened.
pub fn projects(options: &ServerOptions) -> Result<Vec<ListedProject>, ServeError> {
    on_data(options, async |data| {
        let mut all = Vec::new();
        for project in data.projects().all().await? {
            all.push(listed(data, project).await?);
        }
        Ok(all)
    })
}

/// One project.
///
/// # Errors
/// If no project has that name, or the data cannot be opened.
pub fn project(options: &ServerOptions, name: &str) -> Result<ListedProject, ServeError> {
    on_data(options, async |data| listed(data, data.projects().named(name).await?).await)
}

/// Removes a project with all its runs, files, jobs and links.
///
/// # Errors
/// If no project has that name, one of its jobs is running, or the data cannot be opened.
pub fn remove_project(options: &ServerOptions, name: &str) -> Result<(), ServeError> {
    on_data(options, async |data| {
        let project = data.projects().named(name).await?;
        data.projects().remove(project.id).await?;
        note(data, "project.remove", None, &project.name).await
    })
}

/// Says how long a project keeps its runs and files.
///
/// # Errors
/// If no project has that name, or the data cannot be opened.
pub fn set_retention(
    options: &ServerOptions,
    name: &str,
    retention: RetentionRules,
) -> Result<(), ServeError> {
    on_data(options, async |data| {
        let project = data.projects().named(name).await?;
        data.retention().set(project.id, retention).await?;
        note(data, "retention.set", Some(project.id), &retention.to_string()).await
    })
}

/// Deletes what projects no longer keep, or with `is_dry` says what that would be.
///
/// # Errors
/// If the data cannot be opened or changed.
pub fn tidy(options: &ServerOptions, is_dry: bool) -> Result<Vec<Tidied>, ServeError> {
    on_data(options, async |data| {
        let tidied = data.tidy(is_dry).await?;
        if !is_dry {
            data.files().sweep().await?;
        }
        Ok(tidied)
    })
}
