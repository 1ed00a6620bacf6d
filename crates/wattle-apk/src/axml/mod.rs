//! Binary XML as `aapt` compiles it (AOSP `ResourceTypes.h`): manifests and resources of type XML.

mod app_manifest;
mod attribute_value;
mod axml_text;
mod document;
mod edit;
mod manifest_attribute;
mod manifest_defect;
mod manifest_editor;
mod string_pool;
mod xml_chunk;

pub use app_manifest::{
    Application, Component, ComponentKind, Instrumentation, Manifest, Profileable,
};
pub use attribute_value::Value;
pub use document::{Attribute, BinaryXml, Element, Node};
pub use manifest_defect::ManifestDefect;
pub use manifest_editor::ManifestEditor;
