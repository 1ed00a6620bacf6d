//! Uploads that can be resumed, and the files that they become.

mod file_registry;
mod file_title;
mod running_digests;
mod stored_file;
mod upload_lock;
mod upload_record;
mod upload_registry;
mod upload_writer;

pub use file_registry::StoredFiles;
pub(crate) use file_registry::store_content;
pub(crate) use file_title::path_name;
pub use stored_file::StoredFile;
pub use upload_record::{NewUpload, Upload};
pub use upload_registry::Uploads;
pub use upload_writer::UploadWriter;
