//! Source files: their methods as the virtual machine names them, and the lines these are on.

mod bracket_pairs;
mod declaration;
mod declared_methods;
mod java_members;
mod kotlin_members;
mod kotlin_properties;
mod kotlin_syntax;
mod language;
mod lexer;
mod member_collector;
mod native_functions;
mod parameter_type;
mod token;
mod token_cursor;

pub use declaration::{Declaration, DeclarationKind};
pub use declared_methods::DeclaredMethods;
pub use language::Language;
pub use parameter_type::descriptor_parameters;
