//! The server: what an editor asks, answered from energies and open files.

mod background_result;
mod call_items;
mod child_program;
mod class_files;
mod client_abilities;
mod client_link;
mod client_requests;
mod code_actions;
mod command_job;
mod direct_answers;
mod document_state;
mod editor_settings;
mod energy_symbols;
mod figure_text;
mod finding_list;
mod line_energies;
mod message_streams;
mod method_hints;
mod method_hover;
mod project_files;
mod server_loop;
mod server_setup;

pub use direct_answers::DirectAnswers;
pub use message_streams::MessageStreams;
pub use server_loop::{ServerError, run_server};
pub use server_setup::ServerSetup;
