//! The rate of failed logins.

use std::net::IpAddr;

use sqlx::Row as _;

use super::subscriber_network::network_of;
use crate::base::{Connected, LimitKind, LimitReached, ServerCore, ServerError};

/// Times as many failures from one address, or of one name from all addresses, as of one name from one address: so that nobody
/// locks out a user by failing in their name.
const WIDER: u64 = 10;

/// One attempt to log in. It counts as failed until it has succeeded, so that attempts at once are counted, too.
pub(crate) struct LoginAttempt {
    subjects: [String; 3],
    rows: Vec<i64>,
}

impl LoginAttempt {
    /// Begins an attempt, unless too many failed. `origin` is the client's address; whatever is no address is a client of its own.
    pub async fn begin(core: &ServerCore, name: &str, origin: &str) -> Result<Self, ServerError> {
        let limits = core.limits();
        let window = i64::try_from(limits.login_window.as_millis()).unwrap_or(i64::MAX);
        let now = core.now_ms();
        let client = origin.parse::<IpAddr>();
        let origin = client.map_or_else(|_| origin.to_owned(), |it| network_of(it).to_string());
        let subjects =
            [format!("at {name} {origin}"), format!("of {name}"), format!("from {origin}")];
        let mut write = core.write_from_reserve().await?;
        core.take_turn(&mut write).await?;
        // After a clock jumped back there are failures of the future.
        let old = sqlx::query("DELETE FROM failed_login WHERE at_ms < $1 OR at_ms > $2");
        let old = old.bind(now.saturating_sub(window)).bind(now.saturating_add(window));
        old.execute(&mut *write).await?;
        for (at, subject) in subjects.iter().enumerate() {
            let most = limits.failed_logins.saturating_mul(if at == 0 { 1 } else { WIDER });
            let wanted = failures(&mut write, subject).await?.saturating_add(1);
            // What has already failed is deleted; that is worth keeping.
            if let Err(error) = LimitReached::check(LimitKind::FailedLogins, wanted, most) {
                write.commit().await?;
                return Err(error.into());
            }
        }
        let mut rows = Vec::new();
        for subject in &subjects {
            let insert = "INSERT INTO failed_login (subject, at_ms) VALUES ($1, $2) RETURNING id";
            let insert = sqlx::query(insert).bind(subject.clone()).bind(now);
            rows.push(insert.fetch_one(&mut *write).await?.try_get(0)?);
        }
        write.commit().await?;
        Ok(Self { subjects, rows })
    }

    /// Takes the attempt back, and the failures of this name at this address.
    pub async fn succeeded(self, connection: &mut Connected) -> Result<(), ServerError> {
        for row in self.rows {
            let delete = sqlx::query("DELETE FROM failed_login WHERE id = $1").bind(row);
            delete.execute(&mut *connection).await?;
        }
        let [at, _, _] = self.subjects;
        let delete = sqlx::query("DELETE FROM failed_login WHERE subject = $1").bind(at);
        delete.execute(connection).await?;
        Ok(())
    }
}

async fn failures(connection: &mut Connected, subject: &str) -> Result<u64, ServerError> {
    let count = sqlx::query("SELECT COUNT(*) FROM failed_login WHERE subject = $1");
    let row = count.bind(subject.to_owned()).fetch_one(connection).await?;
    Ok(row.try_get::<i64, _>(0)?.max(0) as u64)
}
