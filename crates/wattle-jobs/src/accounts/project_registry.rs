//! Projects and their members.

use sqlx::{AssertSqlSafe, Row as _};

use super::project_record::{PROJECT_COLUMNS, project};
use super::user_account::{USER_COLUMNS, stored_name, stored_title, user_account};
use super::{Caller, CallerProof, Project, Role, UserAccount};
use crate::base::{ProjectId, ServerCore, ServerError, UserId};

/// Projects and their members.
#[derive(Clone, Debug)]
pub struct Projects {
    core: ServerCore,
}

/// Rows of a project, those that name others first.
const REMOVAL: [&str; 13] = [
    "DELETE FROM job_event WHERE job IN (SELECT id FROM job WHERE project = $1)",
    "DELETE FROM job_output WHERE job IN (SELECT id FROM job WHERE project = $1)",
    "DELETE FROM job_run WHERE job IN (SELECT id FROM job WHERE project = $1)",
    "DELETE FROM job_input WHERE job IN (SELECT id FROM job WHERE project = $1)",
    "DELETE FROM job WHERE project = $1",
    "DELETE FROM upload WHERE project = $1",
    "DELETE FROM stored_file WHERE project = $1",
    "DELETE FROM run_name WHERE project = $1",
    "DELETE FROM run_comment WHERE project = $1",
    "DELETE FROM share_link WHERE project = $1",
    "DELETE FROM api_token WHERE project = $1",
    "DELETE FROM membership WHERE project = $1",
    "DELETE FROM retention WHERE project = $1",
];

/// A member of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The user.
    pub user: UserAccount,
    /// The role.
    pub role: Role,
}

impl Projects {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Creates a project, with a first admin if one is named.
    pub async fn create(
        &self,
        name: &str,
        title: &str,
        admin: Option<UserId>,
    ) -> Result<Project, ServerError> {
        let name = stored_name("project name", name)?;
        let title = match stored_title(title) {
            title if title.is_empty() => name.clone(),
            title => title,
        };
        let mut write = self.core.write().await?;
        let text = "INSERT INTO project (name, title, created_ms) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING id";
        let query = sqlx::query(text).bind(name.clone()).bind(title).bind(self.core.now_ms());
        let row = query.fetch_optional(&mut *write).await?;
        let row = row.ok_or_else(|| ServerError::Conflict(format!("the project {name} exists")))?;
        let id = ProjectId(row.try_get(0)?);
        if self.core.location().postgres().is_some() {
            let schema = crate::base::ServerLocation::history_schema(id);
            let make = format!("CREATE SCHEMA IF NOT EXISTS {schema}");
            sqlx::query(AssertSqlSafe(make)).persistent(false).execute(&mut *write).await?;
        }
        if let Some(admin) = admin {
            let insert = "INSERT INTO membership (project, account, role) VALUES ($1, $2, $3)";
            let insert = sqlx::query(insert).bind(id.0).bind(admin.0).bind(Role::Admin.number());
            insert.execute(&mut *write).await?;
        }
        write.commit().await?;
        self.project(id).await
    }

    /// One project.
    pub async fn project(&self, id: ProjectId) -> Result<Project, ServerError> {
        let text = format!("SELECT {PROJECT_COLUMNS} FROM project p WHERE p.id = $1");
        let row = sqlx::query(AssertSqlSafe(text)).bind(id.0);
        let row = row.fetch_optional(self.core.reader()).await?;
        Ok(project(&row.ok_or(ServerError::NotFound("project"))?)?)
    }

    /// The project with a name.
    pub async fn named(&self, name: &str) -> Result<Project, ServerError> {
        let text = format!("SELECT {PROJECT_COLUMNS} FROM project p WHERE p.name = $1");
        let row = sqlx::query(AssertSqlSafe(text)).bind(name.to_ascii_lowercase());
        let row = row.fetch_optional(self.core.reader()).await?;
        Ok(project(&row.ok_or(ServerError::NotFound("project"))?)?)
    }

    /// All projects, by name.
    pub async fn all(&self) -> Result<Vec<Project>, ServerError> {
        let text = format!("SELECT {PROJECT_COLUMNS} FROM project p ORDER BY p.name");
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(project).collect::<sqlx::Result<_>>()?)
    }

    /// Removes a project with its runs, files, jobs and links, unless one of its jobs is running. The audit log keeps its entries.
    pub async fn remove(&self, project: ProjectId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        self.core.take_turn(&mut write).await?;
        let running = sqlx::query("SELECT COUNT(*) FROM job WHERE project = $1 AND state = 1");
        let running = running.bind(project.0).fetch_one(&mut *write).await?;
        if running.try_get::<i64, _>(0)? > 0 {
            let text = "a job of this project is running; cancel it first".to_owned();
            return Err(ServerError::Conflict(text));
        }
        for text in REMOVAL {
            sqlx::query(text).bind(project.0).execute(&mut *write).await?;
        }
        let quota = sqlx::query("DELETE FROM quota WHERE holder = $1");
        let holder = super::QuotaHolder::Project(project).key();
        quota.bind(holder).execute(&mut *write).await?;
        let removed = sqlx::query("DELETE FROM project WHERE id = $1").bind(project.0);
        if removed.execute(&mut *write).await?.rows_affected() == 0 {
            return Err(ServerError::NotFound("project"));
        }
        if self.core.location().postgres().is_some() {
            let schema = crate::base::ServerLocation::history_schema(project);
            let drop = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
            sqlx::query(AssertSqlSafe(drop)).persistent(false).execute(&mut *write).await?;
        }
        write.commit().await?;
        let folder = self.core.location().project(project);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ServerError::file(&folder)(error))
            }
            _ => Ok(()),
        }
    }

    /// The projects that a caller may see, by name, with their role in each.
    pub async fn visible(&self, caller: &Caller) -> Result<Vec<(Project, Role)>, ServerError> {
        let mut visible = Vec::new();
        for project in self.all().await? {
            if let Some(role) = self.known_role(caller, project.id).await? {
                visible.push((project, role));
            }
        }
        Ok(visible)
    }

    /// The role of a caller in a project. Without one it is as if there were no project.
    pub async fn role(&self, caller: &Caller, project: ProjectId) -> Result<Role, ServerError> {
        self.known_role(caller, project).await?.ok_or(ServerError::NotFound("project"))
    }

    /// An error unless the caller has this role in a project, or a higher one.
    pub async fn demand(
        &self,
        caller: &Caller,
        project: ProjectId,
        role: Role,
    ) -> Result<Role, ServerError> {
        let known = self.role(caller, project).await?;
        if known < role {
            let reason = match &caller.proof {
                CallerProof::Token(token) if token.scope.role() < role => match role {
                    Role::Admin => "this needs a token of scope admin",
                    _ => "this needs a token of scope upload",
                },
                _ => "this needs a higher role in the project",
            };
            return Err(ServerError::Forbidden(reason));
        }
        Ok(known)
    }

    async fn known_role(
        &self,
        caller: &Caller,
        project: ProjectId,
    ) -> Result<Option<Role>, ServerError> {
        // A link shows its subject, which `ShareLink` names, and gives no role.
        if matches!(caller.proof, CallerProof::Link(_)) {
            return Ok(None);
        }
        let most = match &caller.proof {
            CallerProof::Token(token) if token.project.is_some_and(|it| it != project) => {
                return Ok(None);
            }
            CallerProof::Token(token) => token.scope.role(),
            _ => Role::Admin,
        };
        let is_everywhere = match (&caller.user, &caller.proof) {
            (Some(user), _) => user.is_admin,
            (None, proof) => matches!(proof, CallerProof::Local),
        };
        if is_everywhere {
            let known = sqlx::query("SELECT 1 FROM project WHERE id = $1").bind(project.0);
            let known = known.fetch_optional(self.core.reader()).await?;
            return Ok(known.map(|_| most));
        }
        let Some(user) = caller.user_id() else { return Ok(None) };
        let query = "SELECT role FROM membership WHERE project = $1 AND account = $2";
        let query = sqlx::query(query).bind(project.0).bind(user.0);
        let row = query.fetch_optional(self.core.reader()).await?;
        let role = row.map(|row| row.try_get(0).map(Role::from_number)).transpose()?;
        Ok(role.map(|role| role.min(most)))
    }

    /// The members of a project, by name.
    pub async fn members(&self, project: ProjectId) -> Result<Vec<Member>, ServerError> {
        let text = format!(
            "SELECT {USER_COLUMNS}, m.role FROM membership m JOIN user_account a ON a.id = m.account \
             WHERE m.project = $1 ORDER BY a.name"
        );
        let rows = sqlx::query(AssertSqlSafe(text)).bind(project.0);
        let rows = rows.fetch_all(self.core.reader()).await?;
        let member = |row| -> sqlx::Result<Member> {
            let role = Role::from_number(sqlx::Row::try_get(row, 7)?);
            Ok(Member { user: user_account(row)?, role })
        };
        Ok(rows.iter().map(member).collect::<sqlx::Result<_>>()?)
    }

    /// Gives a user a role in a project; `None` takes it away.
    pub async fn set_role(
        &self,
        project: ProjectId,
        user: UserId,
        role: Option<Role>,
    ) -> Result<(), ServerError> {
        self.project(project).await?;
        let mut write = self.core.write().await?;
        let delete = sqlx::query("DELETE FROM membership WHERE project = $1 AND account = $2");
        delete.bind(project.0).bind(user.0).execute(&mut *write).await?;
        if let Some(role) = role {
            let insert = "INSERT INTO membership (project, account, role) VALUES ($1, $2, $3)";
            let insert = sqlx::query(insert).bind(project.0).bind(user.0).bind(role.number());
            insert.execute(&mut *write).await?;
        }
        write.commit().await
    }
}
