//! Users, their sessions and their tokens.

use sqlx::{AssertSqlSafe, Row as _};

use super::api_token::{TOKEN_COLUMNS, api_token};
use super::audit_log::{self, NewAuditEntry};
use super::login_throttle::LoginAttempt;
use super::user_account::{USER_COLUMNS, stored_name, stored_title, user_account};
use super::{
    ApiToken, Caller, CallerProof, LoginSession, NewSession, NewToken, NewUser, Password,
    UserAccount,
};
use crate::base::{ErrorKind, Secret, SecretKind, ServerCore, ServerError, TokenId, UserId};

/// Time between two notes of a token's use, so that reading does not always write.
const USED_EVERY_MS: i64 = 3600 * 1000;

/// Users, their sessions and their tokens.
#[derive(Clone, Debug)]
pub struct Accounts {
    core: ServerCore,
}

impl Accounts {
    pub(crate) fn new(core: ServerCore) -> Self {
        Self { core }
    }

    /// Creates a user.
    pub async fn create(&self, new: &NewUser) -> Result<UserAccount, ServerError> {
        let name = stored_name("user name", &new.name)?;
        let title = match stored_title(&new.title) {
            title if title.is_empty() => name.clone(),
            title => title,
        };
        let password = match &new.password {
            Some(password) => Some(password.hashed().await?),
            None => None,
        };
        let mut write = self.core.write().await?;
        let text = "INSERT INTO user_account (name, title, password, is_admin, is_disabled, created_ms) \
            VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT (name) DO NOTHING RETURNING id";
        let query = sqlx::query(text)
            .bind(name.clone())
            .bind(title)
            .bind(password)
            .bind(i64::from(new.is_admin))
            .bind(self.core.now_ms());
        let row = query.fetch_optional(&mut *write).await?;
        let row = row.ok_or_else(|| ServerError::Conflict(format!("the user {name} exists")))?;
        let id = UserId(row.try_get(0)?);
        write.commit().await?;
        self.user(id).await
    }

    /// The number of users.
    pub async fn count(&self) -> Result<u64, ServerError> {
        let row = sqlx::query("SELECT COUNT(*) FROM user_account");
        Ok(row.fetch_one(self.core.reader()).await?.try_get::<i64, _>(0)?.max(0) as u64)
    }

    /// All users, by name.
    pub async fn all(&self) -> Result<Vec<UserAccount>, ServerError> {
        let text = format!("SELECT {USER_COLUMNS} FROM user_account a ORDER BY a.name");
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(user_account).collect::<sqlx::Result<_>>()?)
    }

    /// One user.
    pub async fn user(&self, id: UserId) -> Result<UserAccount, ServerError> {
        let text = format!("SELECT {USER_COLUMNS} FROM user_account a WHERE a.id = $1");
        let row = sqlx::query(AssertSqlSafe(text)).bind(id.0);
        let row = row.fetch_optional(self.core.reader()).await?;
        Ok(user_account(&row.ok_or(ServerError::NotFound("user"))?)?)
    }

    /// The user with a name.
    pub async fn named(&self, name: &str) -> Result<UserAccount, ServerError> {
        let text = format!("SELECT {USER_COLUMNS} FROM user_account a WHERE a.name = $1");
        let row = sqlx::query(AssertSqlSafe(text)).bind(stored_name("user name", name)?);
        let row = row.fetch_optional(self.core.reader()).await?;
        Ok(user_account(&row.ok_or(ServerError::NotFound("user"))?)?)
    }

    /// Gives a user another password, and ends all their sessions.
    pub async fn set_password(&self, id: UserId, password: &Password) -> Result<(), ServerError> {
        let hash = password.hashed().await?;
        let mut write = self.core.write().await?;
        let update = sqlx::query("UPDATE user_account SET password = $1 WHERE id = $2");
        let changed = update.bind(hash).bind(id.0).execute(&mut *write).await?.rows_affected();
        if changed == 0 {
            return Err(ServerError::NotFound("user"));
        }
        let sessions = sqlx::query("DELETE FROM login_session WHERE account = $1").bind(id.0);
        sessions.execute(&mut *write).await?;
        write.commit().await
    }

    /// Locks a user out, sessions and tokens included, or lets them in again.
    pub async fn set_disabled(&self, id: UserId, is_disabled: bool) -> Result<(), ServerError> {
        self.set_flag("UPDATE user_account SET is_disabled = $1 WHERE id = $2", id, is_disabled)
            .await
    }

    /// Makes a user one who may manage the server, or no longer.
    pub async fn set_admin(&self, id: UserId, is_admin: bool) -> Result<(), ServerError> {
        self.set_flag("UPDATE user_account SET is_admin = $1 WHERE id = $2", id, is_admin).await
    }

    /// The last user who may manage the server stays one.
    async fn set_flag(
        &self,
        text: &'static str,
        id: UserId,
        flag: bool,
    ) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        self.core.take_turn(&mut write).await?;
        let admins = "SELECT COUNT(*) FROM user_account WHERE is_admin = 1 AND is_disabled = 0";
        let before: i64 = sqlx::query(admins).fetch_one(&mut *write).await?.try_get(0)?;
        let update = sqlx::query(text).bind(i64::from(flag)).bind(id.0);
        if update.execute(&mut *write).await?.rows_affected() == 0 {
            return Err(ServerError::NotFound("user"));
        }
        let after: i64 = sqlx::query(admins).fetch_one(&mut *write).await?.try_get(0)?;
        if before > 0 && after == 0 {
            let text = "this is the last user who may manage the server".to_owned();
            return Err(ServerError::Conflict(text));
        }
        write.commit().await
    }

    /// Logs in with a password. `origin` is the client's address; of IPv6 a /64 counts as one client. Too many failures are [`LimitKind::FailedLogins`](crate::LimitKind::FailedLogins); every other failure
    /// is the same error, whatever is wrong, and takes as long.
    pub async fn log_in(
        &self,
        name: &str,
        password: &Password,
        origin: &str,
    ) -> Result<NewSession, ServerError> {
        const REFUSED: ServerError = ServerError::Forbidden("user name or password is wrong");
        let Ok(name) = stored_name("user name", name) else { return Err(REFUSED) };
        let attempt = match LoginAttempt::begin(&self.core, &name, origin).await {
            Ok(attempt) => attempt,
            Err(error) => {
                if matches!(error, ServerError::Limit(_)) {
                    self.note(&name, "login.refused", origin).await?;
                }
                return Err(error);
            }
        };
        let text = "SELECT id, password, is_disabled FROM user_account WHERE name = $1";
        let row = sqlx::query(text).bind(name.clone());
        let row = row.fetch_optional(self.core.reader()).await?;
        let (id, hash) = match &row {
            Some(row) if row.try_get::<i64, _>(2)? == 0 => {
                (Some(UserId(row.try_get(0)?)), row.try_get(1)?)
            }
            _ => (None, None),
        };
        let is_right = password.is(hash).await?;
        let mut write = self.core.write_from_reserve().await?;
        let action = if is_right { "login" } else { "login.failed" };
        let entry = NewAuditEntry { actor: &name, action, project: None, subject: "", origin };
        audit_log::add(&mut write, self.core.now_ms(), &entry).await?;
        let (true, Some(id)) = (is_right, id) else {
            write.commit().await?;
            return Err(REFUSED);
        };
        attempt.succeeded(&mut write).await?;
        write.commit().await?;
        self.begin_session(id, origin).await
    }

    /// Begins a session of a user for whom another system vouches (OpenID Connect, the header of a reverse proxy), and creates the user if
    /// they are new and `creates` allows it.
    pub async fn log_in_trusted(
        &self,
        name: &str,
        origin: &str,
        creates: bool,
    ) -> Result<NewSession, ServerError> {
        let user = match self.named(name).await {
            Err(ServerError::NotFound(_)) if creates => {
                let (name, title) = (name.to_owned(), String::new());
                self.create(&NewUser { name, title, password: None, is_admin: false }).await?
            }
            other => other?,
        };
        if user.is_disabled {
            self.note(&user.name, "login.failed", origin).await?;
            return Err(ServerError::Forbidden("this user is disabled"));
        }
        self.note(&user.name, "login", origin).await?;
        self.begin_session(user.id, origin).await
    }

    /// Notes in the audit log what a user did about their own account.
    async fn note(&self, name: &str, action: &str, origin: &str) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let entry = NewAuditEntry { actor: name, action, project: None, subject: "", origin };
        audit_log::add(&mut write, self.core.now_ms(), &entry).await?;
        write.commit().await
    }

    async fn begin_session(&self, id: UserId, origin: &str) -> Result<NewSession, ServerError> {
        let secret = Secret::random(SecretKind::Session)?;
        let csrf = Secret::random(SecretKind::Csrf)?.reveal().to_owned();
        let created_ms = self.core.now_ms();
        let life = self.core.limits().session_life.as_millis();
        let expires_ms = created_ms.saturating_add(i64::try_from(life).unwrap_or(i64::MAX));
        let origin = stored_title(origin);
        let mut write = self.core.write_from_reserve().await?;
        let old = sqlx::query("DELETE FROM login_session WHERE expires_ms <= $1").bind(created_ms);
        old.execute(&mut *write).await?;
        let text = "INSERT INTO login_session (secret, account, csrf, created_ms, expires_ms, origin) \
            VALUES ($1, $2, $3, $4, $5, $6)";
        let query = sqlx::query(text)
            .bind(secret.hash().as_str().to_owned())
            .bind(id.0)
            .bind(csrf.clone())
            .bind(created_ms)
            .bind(expires_ms)
            .bind(origin.clone());
        query.execute(&mut *write).await?;
        write.commit().await?;
        let user = self.user(id).await?;
        Ok(NewSession {
            secret,
            user,
            session: LoginSession { csrf, created_ms, expires_ms, origin },
        })
    }

    /// Who has a session's secret; `None` if nobody has, or no longer.
    pub async fn session(&self, secret: &Secret) -> Result<Option<Caller>, ServerError> {
        let text = format!(
            "SELECT {USER_COLUMNS}, s.csrf, s.created_ms, s.expires_ms, s.origin FROM login_session s \
             JOIN user_account a ON a.id = s.account WHERE s.secret = $1 AND s.expires_ms > $2 AND a.is_disabled = 0"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(secret.hash().as_str().to_owned());
        let row = query.bind(self.core.now_ms()).fetch_optional(self.core.reader()).await?;
        let Some(row) = row else { return Ok(None) };
        let session = LoginSession {
            csrf: row.try_get(7)?,
            created_ms: row.try_get(8)?,
            expires_ms: row.try_get(9)?,
            origin: row.try_get(10)?,
        };
        Ok(Some(Caller { user: Some(user_account(&row)?), proof: CallerProof::Session(session) }))
    }

    /// Ends a session.
    pub async fn log_out(&self, secret: &Secret) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let delete = sqlx::query("DELETE FROM login_session WHERE secret = $1");
        delete.bind(secret.hash().as_str().to_owned()).execute(&mut *write).await?;
        write.commit().await
    }

    /// Ends all sessions of a user.
    pub async fn log_out_everywhere(&self, id: UserId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let delete = sqlx::query("DELETE FROM login_session WHERE account = $1").bind(id.0);
        delete.execute(&mut *write).await?;
        write.commit().await
    }

    /// Creates a token. The secret is shown this once.
    pub async fn create_token(&self, new: &NewToken) -> Result<(Secret, ApiToken), ServerError> {
        let secret = Secret::random(SecretKind::Token)?;
        let mut write = self.core.write().await?;
        let text = "INSERT INTO api_token (secret, account, project, title, scope, created_ms, expires_ms) \
            VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
        let query = sqlx::query(text)
            .bind(secret.hash().as_str().to_owned())
            .bind(new.user.0)
            .bind(new.project.map(|project| project.0))
            .bind(stored_title(&new.title))
            .bind(new.scope.role().number())
            .bind(self.core.now_ms())
            .bind(new.expires_ms);
        let id: i64 = query.fetch_one(&mut *write).await?.try_get(0)?;
        write.commit().await?;
        let tokens = self.tokens(new.user).await?;
        let token = tokens.into_iter().find(|token| token.id == TokenId(id));
        Ok((secret, token.ok_or(ServerError::NotFound("token"))?))
    }

    /// The tokens of a user.
    pub async fn tokens(&self, user: UserId) -> Result<Vec<ApiToken>, ServerError> {
        let text =
            format!("SELECT {TOKEN_COLUMNS} FROM api_token t WHERE t.account = $1 ORDER BY t.id");
        let rows = sqlx::query(AssertSqlSafe(text)).bind(user.0);
        let rows = rows.fetch_all(self.core.reader()).await?;
        Ok(rows.iter().map(api_token).collect::<sqlx::Result<_>>()?)
    }

    /// Deletes a token of a user.
    pub async fn delete_token(&self, user: UserId, token: TokenId) -> Result<(), ServerError> {
        let mut write = self.core.write_from_reserve().await?;
        let delete = sqlx::query("DELETE FROM api_token WHERE id = $1 AND account = $2");
        let deleted = delete.bind(token.0).bind(user.0).execute(&mut *write).await?;
        if deleted.rows_affected() == 0 {
            return Err(ServerError::NotFound("token"));
        }
        write.commit().await
    }

    /// Who has a token's secret; `None` if nobody has, or no longer.
    pub async fn token(&self, secret: &Secret) -> Result<Option<Caller>, ServerError> {
        let now = self.core.now_ms();
        let text = format!(
            "SELECT {TOKEN_COLUMNS} FROM api_token t WHERE t.secret = $1 AND (t.expires_ms IS NULL OR t.expires_ms > $2)"
        );
        let query = sqlx::query(AssertSqlSafe(text)).bind(secret.hash().as_str().to_owned());
        let Some(row) = query.bind(now).fetch_optional(self.core.reader()).await? else {
            return Ok(None);
        };
        let token = api_token(&row)?;
        let user = self.user(token.user).await?;
        if user.is_disabled {
            return Ok(None);
        }
        if token.used_ms.is_none_or(|used| now.abs_diff(used) >= USED_EVERY_MS as u64) {
            match self.note_use(token.id, now).await {
                // Whoever reads need not write.
                Err(error) if error.kind() == ErrorKind::NoRoom => {}
                other => other?,
            }
        }
        Ok(Some(Caller { user: Some(user), proof: CallerProof::Token(token) }))
    }

    async fn note_use(&self, token: TokenId, now: i64) -> Result<(), ServerError> {
        let mut write = self.core.write().await?;
        let update = sqlx::query("UPDATE api_token SET used_ms = $1 WHERE id = $2");
        update.bind(now).bind(token.0).execute(&mut *write).await?;
        write.commit().await
    }
}
