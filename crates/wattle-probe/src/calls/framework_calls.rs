//! Calls that land in the framework.

use std::borrow::Cow;

use wattle_dex::{Code, CodeItem, Dex, MethodId, Node, Opcode, Operand, Result, TypeId};

use super::byte_count::ByteCounts;
use super::call_names::MethodKey;
use super::{ApiPatterns, AppClasses, ByteCount};

/// A method of the framework, as the app's calls reach it. Equal calls are equal in all files of the app;
/// [`FrameworkCalls`] tells its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameworkCall(MethodKey);

/// The calls of an app that land in the wanted part of the framework. Every method reference of every file is
/// followed once; afterwards a call is one look into a table, from any thread.
#[derive(Debug)]
pub struct FrameworkCalls<'a> {
    classes: AppClasses<'a>,
    /// Per file and method reference, for all calls but `invoke-super`.
    landings: Vec<Vec<Option<FrameworkCall>>>,
    /// Whether a type is wanted.
    wanted: Vec<bool>,
    byte_counts: ByteCounts,
}

impl<'a> FrameworkCalls<'a> {
    /// Of all files of an app, in the order in which the runtime asks them.
    pub fn new(files: &[Dex<'a>], patterns: &ApiPatterns) -> Result<Self> {
        let classes = AppClasses::from_files(files)?;
        let wanted = classes.names.types().iter().map(|it| is_wanted(it, patterns)).collect();
        let byte_counts = ByteCounts::new();
        let mut calls = Self { classes, landings: Vec::new(), wanted, byte_counts };
        calls.landings = calls
            .classes
            .files()
            .iter()
            .map(|file| {
                let land = |&method| calls.wanted(calls.classes.land(method));
                file.methods().iter().map(land).collect()
            })
            .collect();
        Ok(calls)
    }

    /// The classes of the app.
    pub(crate) fn classes(&self) -> &AppClasses<'a> {
        &self.classes
    }

    fn wanted(&self, method: Option<MethodKey>) -> Option<FrameworkCall> {
        method
            .filter(|method| {
                method.is_callable() && self.wanted.get(method.class.0 as usize) == Some(&true)
            })
            .map(FrameworkCall)
    }

    /// The method that a call lands in, if it is a wanted one of the framework. `file` is the position of the calling code's
    /// file, `caller` its class in that file. Calls of signatures (`invoke-polymorphic`) and of call sites
    /// (`invoke-custom`) never are.
    pub fn landing(
        &self,
        file: usize,
        caller: TypeId,
        opcode: Opcode,
        method: MethodId,
    ) -> Option<FrameworkCall> {
        match opcode {
            Opcode::INVOKE_SUPER | Opcode::INVOKE_SUPER_RANGE => {
                let names = self.classes.files().get(file)?;
                let landing = self.classes.land_super(names.ty(caller)?, names.method(method)?);
                self.wanted(landing)
            }
            Opcode::INVOKE_POLYMORPHIC
            | Opcode::INVOKE_POLYMORPHIC_RANGE
            | Opcode::INVOKE_CUSTOM
            | Opcode::INVOKE_CUSTOM_RANGE => None,
            _ if opcode.is_invoke() => {
                self.landings.get(file)?.get(method.0 as usize).copied().flatten()
            }
            _ => None,
        }
    }

    /// The wanted calls of a method as it stands in the file, in order. What cannot be decoded ends them.
    pub fn in_item(
        &self,
        file: usize,
        caller: TypeId,
        code: &CodeItem<'_>,
    ) -> impl Iterator<Item = FrameworkCall> {
        code.instructions().map_while(Result::ok).filter_map(move |(_, it)| {
            it.opcode
                .is_invoke()
                .then(|| self.landing(file, caller, it.opcode, MethodId(it.index)))
                .flatten()
        })
    }

    /// The wanted calls of a body with the positions of their nodes, in order.
    pub fn in_code(
        &self,
        file: usize,
        caller: TypeId,
        code: &Code,
    ) -> impl Iterator<Item = (usize, FrameworkCall)> {
        code.nodes.iter().enumerate().filter_map(move |(node, it)| match it {
            Node::Instruction(it) => match it.operand {
                Operand::Method(method) => {
                    Some((node, self.landing(file, caller, it.opcode, method)?))
                }
                _ => None,
            },
            Node::Label(_) | Node::Debug(_) => None,
        })
    }

    /// The class's name, such as `android.app.Activity`.
    pub fn class(&self, call: FrameworkCall) -> String {
        dotted(self.classes.names.descriptor(call.0.class).bytes())
            .map_or_else(String::new, Cow::into_owned)
    }

    /// The method's name; `<init>` for a constructor.
    pub fn name(&self, call: FrameworkCall) -> Cow<'a, str> {
        self.classes.names.method_name(call.0.name).to_str()
    }

    /// The place of the number of bytes that it moved, for calls that are known to move some.
    pub fn byte_count(&self, call: FrameworkCall) -> Option<ByteCount> {
        let class = dotted(self.classes.names.descriptor(call.0.class).bytes())?;
        if !self.byte_counts.has(&class) {
            return None;
        }
        self.byte_counts.of(&class, &self.name(call), &self.signature(call))
    }

    /// The method's signature, such as `(I)V`.
    pub fn signature(&self, call: FrameworkCall) -> String {
        self.classes.names.signature(call.0.signature)
    }
}

/// The name of a class by its descriptor; `None` for arrays and numbers.
fn dotted(descriptor: &[u8]) -> Option<Cow<'_, str>> {
    let name = descriptor.strip_prefix(b"L")?.strip_suffix(b";")?;
    let text = wattle_dex::Mutf8::new(name).to_str();
    Some(if text.contains('/') { Cow::Owned(text.replace('/', ".")) } else { text })
}

fn is_wanted(descriptor: &[u8], patterns: &ApiPatterns) -> bool {
    dotted(descriptor).is_some_and(|class| patterns.matches(&class))
}
