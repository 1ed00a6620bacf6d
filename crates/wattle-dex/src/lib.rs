//! Dalvik executables 035 to 041: reading, editing, assembling, verifying, writing.
//!
//! A [`Dex`] is a view of bytes. A [`DexFile`] is an edit: what is not touched is copied when it is
//! written, so a file that nobody edits comes back byte for byte.
//!
//! ```
//! use wattle_dex::{AccessFlags, Body, Class, CodeBuilder, Dex, DexFile, Method};
//!
//! let mut file = DexFile::new(35);
//! let pool = file.pool_mut();
//! let ty = pool.ty("Lexample/Answer;");
//! let object = pool.ty("Ljava/lang/Object;");
//! let id = pool.method("Lexample/Answer;", "get", "()I")?;
//!
//! let mut code = CodeBuilder::new(1, 0);
//! code.const_int(0, 42).plain(wattle_dex::Opcode::RETURN, &[0]);
//! let mut class = Class::new(ty, Some(object), AccessFlags::PUBLIC);
//! let access = AccessFlags::PUBLIC | AccessFlags::STATIC;
//! class.direct_methods.push(Method { id, access, body: Body::Code(Box::new(code.finish()?)) });
//! file.add_class(class);
//!
//! let bytes = file.write()?;
//! let dex = Dex::parse(&bytes)?;
//! let written = dex.class(wattle_dex::ClassIndex(0))?;
//! assert_eq!(dex.method_name(written.direct_methods[0].id)?, "Lexample/Answer;->get()I");
//! # Ok::<(), wattle_dex::DexError>(())
//! ```

mod annotations;
mod argument_kind;
mod assembly;
mod chunk;
mod class;
mod class_def;
mod class_import;
mod class_slot;
mod code;
mod code_item;
mod cursor;
mod debug_info;
mod decoded;
mod dex;
mod dex_file;
mod dex_header;
mod effects;
mod encoded_value;
mod error;
mod frame_growth;
mod ids;
mod liveness;
mod map_list;
mod method_site;
mod mutf8;
mod new_code;
mod opcode;
mod opcode_info;
mod opcode_table;
mod pool;
mod references;
mod remap;
mod round_trip;
mod section;
mod unit_shape;
mod verify;
mod write;

pub use annotations::ClassAnnotations;
pub use argument_kind::ArgumentKind;
pub use assembly::{Assembly, ClassAssembly};
pub use class::{Body, Class, Field, Method};
pub use class_def::{ClassData, ClassDefItem, FieldItem, Member, MethodItem};
pub use class_import::Importer;
pub use code::{
    ArrayData, Code, CodeBuilder, Instruction, Label, Node, Operand, Switch, TryBlock, Wrapping,
};
pub use code_item::{CatchHandler, CodeItem, TryItem};
pub use debug_info::{DebugEvent, DebugEvents, DebugInfo};
pub use decoded::{Decoded, Registers, Units};
pub use dex::{Dex, FieldRef, MethodHandle, MethodRef, ProtoRef, TypeList};
pub use dex_file::DexFile;
pub use dex_header::Header;
pub use encoded_value::{Annotation, EncodedAnnotation, Value};
pub use error::{DexError, Result};
pub use frame_growth::NewRegisters;
pub use ids::{
    AccessFlags, CallSiteId, ClassIndex, FieldId, MethodHandleId, MethodId, ProtoId, StringId,
    TypeId,
};
pub use liveness::{Liveness, RegisterSet};
pub use map_list::{MapEntry, MapList};
pub use method_site::MethodSite;
pub use mutf8::{Mutf8, encode_mutf8};
pub use new_code::NewCode;
pub use opcode_info::{Format, IndexKind, OpcodeInfo};
pub use opcode_table::Opcode;
pub use pool::Pool;
pub use references::References;
pub use round_trip::RoundTrip;
pub use section::Section;
pub use verify::{BrokenLink, Defect, Linkage, Verification, Verifier};
pub use write::seal;
