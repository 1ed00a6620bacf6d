//! Binary XML as `aapt` compiles it (AOSP `ResourceTypes.h`): manifests and resources of type XML.

mod axml_text;
mod chunk;
mod document;
mod edit;
mod manifest;
mod manifest_editor;
mod string_pool;
mod value;

pub use document::{Attribute, BinaryXml, Element, Node};
pub use manifest::{Application, Component, ComponentKind, Instrumentation, Manifest, Profileable};
pub use manifest_editor::ManifestEditor;
pub use value::Value;
