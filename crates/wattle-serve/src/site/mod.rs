//! The common ground of all requests: the data of the server, who asks, and kept histories.

mod form_fields;
mod histories;
mod identity;
mod site_state;

pub use self::form_fields::{CheckedForm, fields_of};
pub use self::histories::Histories;
pub use self::identity::{ApiCaller, Identity, PageCaller, SessionCookie};
pub use self::site_state::{Site, SiteSettings};
