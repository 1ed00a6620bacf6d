//! Access to projects, and the record of it.

use wattle_jobs::{ErrorKind, NewAuditEntry, Project, ProjectId, Role};

use super::{Identity, Site};
use crate::http::WebError;

impl Site {
    /// A project by name, if the caller has a role in it. What they may not know of does not exist.
    pub async fn project(
        &self,
        identity: &Identity,
        name: &str,
        role: Role,
    ) -> Result<Project, WebError> {
        let project =
            self.data.projects().named(name).await.map_err(|error| match error.kind() {
                // A name that cannot be one is one that is not there.
                ErrorKind::Invalid => WebError::not_found(),
                _ => WebError::from(error),
            })?;
        self.data.projects().demand(&identity.caller, project.id, role).await?;
        Ok(project)
    }

    /// Notes who did what.
    pub async fn audit(
        &self,
        identity: &Identity,
        (action, subject): (&str, &str),
        project: Option<ProjectId>,
    ) -> Result<(), WebError> {
        let mut entry = NewAuditEntry::new(&identity.caller, action, subject, &identity.origin);
        entry.project = project;
        Ok(self.data.audit().add(&entry).await?)
    }
}
