//! Users, projects and what each may do: accounts, roles, sessions, tokens, share links, quotas, and the audit log.

mod account_registry;
mod api_token;
mod audit_log;
mod caller;
mod link_registry;
mod login_session;
mod login_throttle;
mod password_hash;
mod project_record;
mod project_registry;
mod project_role;
mod quota_book;
mod retention_rules;
mod share_link;
mod subscriber_network;
mod user_account;

pub use account_registry::Accounts;
pub use api_token::{ApiToken, NewToken, TokenScope};
pub use audit_log::{AuditEntry, AuditLog, AuditScope, NewAuditEntry};
pub use caller::{Caller, CallerProof};
pub use link_registry::ShareLinks;
pub use login_session::{LoginSession, NewSession};
pub use password_hash::Password;
pub use project_record::Project;
pub use project_registry::{Member, Projects};
pub use project_role::Role;
pub use quota_book::{Quota, QuotaHolder, Quotas, Usage};
pub(crate) use quota_book::{UsageSums, check_queued_jobs, check_upload};
pub use retention_rules::{RetentionBook, RetentionRules};
pub use share_link::{NewLink, ShareLink, ShareSubject};
pub use subscriber_network::network_of;
pub use user_account::{NewUser, UserAccount};
