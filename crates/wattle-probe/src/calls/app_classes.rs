//! The classes of an app, over all of its files.

use rustc_hash::FxHashMap;
use wattle_dex::{AccessFlags, ClassDefItem, Dex, Opcode, Result, TypeId, TypeList};

use super::call_names::{FileNames, MethodKey, Names, TypeName};

/// The classes that an app defines, over all of its files: superclass, interfaces, methods. Everything else that
/// its code names is the framework's.
///
/// So is what only stands in for a class of the framework: compilers (D8, R8) put a class of the same name that throws when
/// it is initialised into apps that also install where the framework has none yet. Where it has one, that is found first.
///
/// Nothing is copied out of the files but numbers.
#[derive(Debug)]
pub struct AppClasses<'a> {
    pub(crate) names: Names<'a>,
    files: Vec<FileNames>,
    /// Per type.
    classes: Vec<Option<AppClass<'a>>>,
    methods: FxHashMap<MethodKey, AccessFlags>,
    pub(crate) object: TypeName,
    pub(crate) runtime: TypeName,
}

/// One class of the app.
#[derive(Clone, Debug)]
pub(crate) struct AppClass<'a> {
    pub(crate) access: AccessFlags,
    pub(crate) superclass: Option<TypeName>,
    /// The position of its file.
    file: usize,
    /// By the numbers of its file: classes may share a list, so it is not copied.
    interfaces: TypeList<'a>,
}

impl AppClass<'_> {
    pub(crate) fn is_interface(&self) -> bool {
        self.access.contains(AccessFlags::INTERFACE)
    }

    pub(crate) fn is_abstract(&self) -> bool {
        self.access.contains(AccessFlags::ABSTRACT)
    }
}

impl<'a> AppClasses<'a> {
    /// Of all files of an app, in the order in which the runtime asks them: of classes that several files define
    /// the first is taken. An error where a table of a file cannot be read.
    pub fn from_files(files: &[Dex<'a>]) -> Result<Self> {
        let mut names = Names::default();
        let object = names.ty(b"Ljava/lang/Object;");
        let runtime = names.ty(crate::Runtime::DESCRIPTOR.as_bytes());
        let named = files.iter().map(|dex| names.add(dex)).collect::<Result<Vec<_>>>()?;
        let mut classes = vec![None; names.types().len()];
        let mut methods = FxHashMap::default();
        for (position, (dex, file)) in files.iter().zip(&named).enumerate() {
            for (_, item) in dex.class_defs() {
                let item = item?;
                let ty = |id| match file.ty(id) {
                    Some(ty) => Ok(ty),
                    // Gives the error: what the table has is known.
                    None => dex.descriptor(id).map(|_| object),
                };
                let class = ty(item.class)?;
                let Some(slot @ None) = classes.get_mut(class.0 as usize) else { continue };
                if stands_in(dex, &item)? {
                    continue;
                }
                *slot = Some(AppClass {
                    access: item.access,
                    superclass: item.superclass.map(ty).transpose()?,
                    file: position,
                    interfaces: dex.type_list(item.interfaces_off)?,
                });
                for member in dex.class_data(&item)?.into_iter().flatten() {
                    if let Some(method) = member?.method()
                        && let Some(key) = file.method(method.method)
                    {
                        methods.entry(key).or_insert(method.access);
                    }
                }
            }
        }
        Ok(Self { names, files: named, classes, methods, object, runtime })
    }

    /// A class of the app; `None` for one of the framework.
    pub(crate) fn class(&self, ty: TypeName) -> Option<&AppClass<'a>> {
        self.classes.get(ty.0 as usize)?.as_ref()
    }

    /// The position of the file whose definition of a class runs; the class is a type of the file at a position. `None` for a
    /// class of the framework.
    pub(crate) fn running_file(&self, file: usize, ty: TypeId) -> Option<usize> {
        let name = self.files.get(file)?.ty(ty)?;
        self.class(name).map(|class| class.file)
    }

    /// The interfaces that a class of the app names.
    pub(crate) fn interfaces(&self, ty: TypeName) -> impl Iterator<Item = TypeName> + '_ {
        let class = self.class(ty);
        let file = class.and_then(|class| self.files.get(class.file));
        let ids = class.into_iter().flat_map(|class| class.interfaces.iter());
        ids.filter_map(move |id| file?.ty(id))
    }

    /// The flags of a method that a class of the app declares itself.
    pub(crate) fn declared(&self, key: MethodKey) -> Option<AccessFlags> {
        self.methods.get(&key).copied()
    }

    pub(crate) fn files(&self) -> &[FileNames] {
        &self.files
    }
}

/// Whether all that a class does is to say that it is not there.
fn stands_in(dex: &Dex<'_>, class: &ClassDefItem) -> Result<bool> {
    if !class.access.contains(AccessFlags::SYNTHETIC) {
        return Ok(false);
    }
    for member in dex.class_data(class)?.into_iter().flatten() {
        let Some(method) = member?.method().filter(|it| it.code_off != 0) else { continue };
        let name = dex.method(method.method)?.name;
        if dex.string(name)?.bytes() != b"<clinit>" {
            continue;
        }
        // Code that cannot be read is somebody else's business.
        let Ok(code) = dex.code(method.code_off) else { return Ok(false) };
        let first = code.instructions().next().and_then(Result::ok).map(|(_, first)| first);
        return Ok(first.is_some_and(|it| {
            it.opcode == Opcode::NEW_INSTANCE
                && dex
                    .descriptor(TypeId(it.index))
                    .is_ok_and(|thrown| thrown.bytes() == b"Ljava/lang/NoClassDefFoundError;")
        }));
    }
    Ok(false)
}
