//! Database, place, clock, secrets and limits: the ground that everything else stands on.

mod disk_reserve;
mod disk_space;
mod hidden_letter;
mod limits_reached;
mod random_secret;
mod record_ids;
mod server_core;
mod server_error;
mod server_limits;
mod server_location;
mod server_tables;
mod stillness;
mod wall_clock;

pub(crate) use disk_space::free_bytes;
pub(crate) use hidden_letter::is_hidden;
pub use limits_reached::{LimitKind, LimitReached};
pub use random_secret::{Secret, SecretHash, SecretKind};
pub(crate) use random_secret::{hex, random_digits};
pub use record_ids::{CommentId, FileId, JobId, LinkId, ProjectId, TokenId, UploadId, UserId};
pub use server_core::private_folder;
pub(crate) use server_core::{Connected, ServerCore, make_private_folder};
pub use server_error::{ErrorKind, ServerError};
pub use server_limits::ServerLimits;
pub use server_location::ServerLocation;
pub use server_tables::SERVER_SCHEMA_VERSION;
pub use stillness::StillnessWatch;
pub use wall_clock::WallClock;
