//! The common ground of all requests: the data of the server, who asks, and kept histories.

mod caller_identity;
mod form_fields;
mod header_login;
mod histories;
mod project_access;
mod readiness_check;
mod site_state;

pub use self::caller_identity::{ApiCaller, Identity, LastingReader, PageCaller, SessionCookie};
pub use self::form_fields::{CheckedForm, fields_of};
pub use self::header_login::{check_login_header, named_user};
pub use self::histories::Histories;
pub use self::readiness_check::Readiness;
pub use self::site_state::{Site, SiteSettings};
