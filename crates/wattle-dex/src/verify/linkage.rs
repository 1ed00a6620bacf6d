//! References between files that are loaded together: what they name must be there.

use std::sync::atomic::{AtomicU32, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::defect::Defect;
use crate::opcode_info::IndexKind;
use crate::{
    AccessFlags, ClassDefItem, ClassIndex, Decoded, Dex, FieldId, Member, MethodId, MethodItem,
    Opcode, ProtoId, Result, Section, TypeId,
};

/// The files of one program, as the runtime's class loader sees them: of two classes with one name the first
/// file's counts.
///
/// Only what the files themselves decide is decided: a class that none of them defines may be the
/// platform's, and a member may be inherited from such a class. Apps also carry copies of platform classes, in
/// part, to be compiled against: the runtime asks the platform first, so such a copy decides nothing.
#[derive(Debug)]
pub struct Linkage<'d, 'a> {
    files: &'d [Dex<'a>],
    classes: FxHashMap<&'a [u8], Place>,
}

/// A reference in one of the files that does not lead where it must.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrokenLink {
    /// Number of the file, from 0.
    pub file: usize,
    /// The problem: `missing-class`, `missing-method`, `missing-field` or `call-kind`, with its place.
    pub defect: Defect,
    /// Descriptor of the class that is named.
    pub class: String,
}

/// The place of a class definition.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: usize,
    item: ClassDefItem,
}

/// The definition that a number of a file leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolution {
    /// Nobody here can tell.
    Unknown,
    /// A static member of another file.
    Static,
    /// A member of another file that is not static.
    Instance,
    /// Nothing.
    Missing,
    /// It is for the verifier of the one file to say.
    Here,
}

/// The answers for all types, fields and methods of one file.
struct Resolutions {
    types: Vec<Resolution>,
    fields: Vec<Resolution>,
    methods: Vec<Resolution>,
}

/// Members of a class by name, with the file that says so.
type Members<'a> = FxHashMap<&'a [u8], Vec<Declared>>;

#[derive(Clone, Copy, Debug)]
struct Declared {
    file: usize,
    id: Id,
    is_static: bool,
}

#[derive(Clone, Copy, Debug)]
enum Id {
    Field(FieldId),
    Method(MethodId),
}

/// Most ancestors that a class may have; more are a cycle.
const MAX_ANCESTORS: usize = 1000;
/// Broken references that are listed of one file.
const MAX_BROKEN: usize = 10_000;
const OBJECT: &[u8] = b"Ljava/lang/Object;";

/// Packages of the platform's classes (Android's API reference and its internals).
const PLATFORM: [&[u8]; 10] = [
    b"Landroid/",
    b"Lcom/android/internal/",
    b"Ldalvik/",
    b"Ljava/",
    b"Ljavax/",
    b"Llibcore/",
    b"Lorg/json/",
    b"Lorg/w3c/dom/",
    b"Lorg/xml/sax/",
    b"Lorg/xmlpull/v1/",
];
/// The support library lives among them, but comes with the app.
const SUPPORT: &[u8] = b"Landroid/support/";

fn is_platform(class: &[u8]) -> bool {
    PLATFORM.iter().any(|package| class.starts_with(package)) && !class.starts_with(SUPPORT)
}

/// Methods that `java.lang.Object` declares, by the documentation of its API.
const OF_OBJECT: [(&[u8], &str); 12] = [
    (b"<init>", "()V"),
    (b"clone", "()Ljava/lang/Object;"),
    (b"equals", "(Ljava/lang/Object;)Z"),
    (b"finalize", "()V"),
    (b"getClass", "()Ljava/lang/Class;"),
    (b"hashCode", "()I"),
    (b"notify", "()V"),
    (b"notifyAll", "()V"),
    (b"toString", "()Ljava/lang/String;"),
    (b"wait", "()V"),
    (b"wait", "(J)V"),
    (b"wait", "(JI)V"),
];

impl<'d, 'a> Linkage<'d, 'a> {
    /// Takes the files in the order in which they are loaded.
    pub fn new(files: &'d [Dex<'a>]) -> Self {
        let mut classes = FxHashMap::default();
        for (file, dex) in files.iter().enumerate() {
            for item in dex.class_defs().filter_map(|(_, item)| item.ok()) {
                if let Ok(name) = dex.descriptor(item.class)
                    && !is_platform(name.bytes())
                {
                    classes.entry(name.bytes()).or_insert(Place { file, item });
                }
            }
        }
        Self { files, classes }
    }

    /// All instructions whose class, field or method is missing, or which call an instance method of
    /// another file as a static one or the other way round. In the order of files and classes.
    ///
    /// `must_be_here` says of a class's descriptor that one of the files has to define it; of other classes
    /// that none of them defines nothing is said.
    pub fn broken(
        &self,
        must_be_here: &(dyn Fn(&[u8]) -> bool + Sync),
        threads: usize,
    ) -> Vec<BrokenLink> {
        let mut broken = Vec::new();
        for (file, dex) in self.files.iter().enumerate() {
            let answers = self.answers(file, dex, must_be_here);
            if answers.decide_anything() {
                broken.extend(instructions(file, dex, &answers, threads));
            }
        }
        broken
    }

    fn answers(
        &self,
        file: usize,
        dex: &Dex<'a>,
        must_be_here: &(dyn Fn(&[u8]) -> bool + Sync),
    ) -> Resolutions {
        let of_type = |id: TypeId| {
            let name = dex.descriptor(id).map(crate::Mutf8::bytes).unwrap_or_default();
            let element = name.get(name.iter().take_while(|&&byte| byte == b'[').count()..);
            let element = element.unwrap_or_default();
            match self.classes.get(element) {
                Some(_) => Resolution::Here,
                None if must_be_here(element) => Resolution::Missing,
                None => Resolution::Unknown,
            }
        };
        let types: Vec<_> =
            (0..dex.count(Section::TYPE_IDS)).map(|id| of_type(TypeId(id))).collect();
        let declared = declared_here(dex);
        let mut members = FxHashMap::default();
        let mut of_member = |class: TypeId, member: Wanted<'a>| {
            let name = dex.descriptor(class).map(crate::Mutf8::bytes).unwrap_or_default();
            match types.get(class.0 as usize) {
                // Arrays have the methods of their own that the runtime gives them.
                Some(Resolution::Here) if name.first() != Some(&b'[') => {
                    self.find(name, file, &member, &mut members)
                }
                Some(Resolution::Missing) => Resolution::Missing,
                _ => Resolution::Unknown,
            }
        };
        let fields = (0..dex.count(Section::FIELD_IDS)).map(|id| {
            let id = FieldId(id);
            match (declared.contains(&(0, id.0)), dex.field(id)) {
                (false, Ok(field)) => match dex.string(field.name) {
                    Ok(name) => of_member(field.class, Wanted::Field(name.bytes(), field.ty)),
                    Err(_) => Resolution::Unknown,
                },
                _ => Resolution::Here,
            }
        });
        let fields = fields.collect();
        let methods = (0..dex.count(Section::METHOD_IDS)).map(|id| {
            let id = MethodId(id);
            match (declared.contains(&(1, id.0)), dex.method(id)) {
                (false, Ok(method)) => match dex.string(method.name) {
                    Ok(name) => of_member(method.class, Wanted::Method(name.bytes(), method.proto)),
                    Err(_) => Resolution::Unknown,
                },
                _ => Resolution::Here,
            }
        });
        let methods = methods.collect();
        Resolutions { types, fields, methods }
    }

    /// Looks a member up in a class and its ancestors.
    fn find(
        &self,
        class: &'a [u8],
        file: usize,
        wanted: &Wanted<'a>,
        known: &mut FxHashMap<&'a [u8], Members<'a>>,
    ) -> Resolution {
        let mut queue = vec![class];
        let mut seen = FxHashSet::default();
        let mut is_complete = true;
        let is_own = matches!(wanted, Wanted::Method(b"<init>" | b"<clinit>", _));
        while let Some(name) = queue.pop() {
            if seen.len() > MAX_ANCESTORS {
                return Resolution::Unknown;
            }
            if !seen.insert(name) {
                continue;
            }
            let Some(place) = self.classes.get(name) else {
                is_complete &= name == OBJECT;
                if name == OBJECT && self.is_of_object(file, wanted) {
                    return Resolution::Instance;
                }
                continue;
            };
            let members = known.entry(name).or_insert_with(|| self.members(place));
            let found = members.get(wanted.name()).into_iter().flatten();
            for declared in found {
                if self.is_same(file, wanted, declared) {
                    return match declared.is_static {
                        _ if declared.file == file && name == class => Resolution::Here,
                        true => Resolution::Static,
                        false => Resolution::Instance,
                    };
                }
            }
            if is_own {
                continue;
            }
            let Some(dex) = self.files.get(place.file) else { continue };
            let interfaces = dex.type_list(place.item.interfaces_off);
            let parents = interfaces.into_iter().flat_map(crate::TypeList::iter);
            for parent in parents.chain(place.item.superclass) {
                match dex.descriptor(parent) {
                    Ok(parent) => queue.push(parent.bytes()),
                    Err(_) => is_complete = false,
                }
            }
        }
        if is_complete { Resolution::Missing } else { Resolution::Unknown }
    }

    fn members(&self, place: &Place) -> Members<'a> {
        let mut members = Members::default();
        let Some(dex) = self.files.get(place.file) else { return members };
        let data = dex.class_data(&place.item).ok().flatten();
        for member in data.into_iter().flatten().map_while(Result::ok) {
            let (id, access) = match member {
                Member::StaticField(it) | Member::InstanceField(it) => {
                    (Id::Field(it.field), it.access)
                }
                Member::DirectMethod(it) | Member::VirtualMethod(it) => {
                    (Id::Method(it.method), it.access)
                }
            };
            let name = match id {
                Id::Field(id) => dex.field(id).and_then(|field| dex.string(field.name)),
                Id::Method(id) => dex.method(id).and_then(|method| dex.string(method.name)),
            };
            let is_static = access.contains(AccessFlags::STATIC);
            if let Ok(name) = name {
                let declared = Declared { file: place.file, id, is_static };
                members.entry(name.bytes()).or_default().push(declared);
            }
        }
        members
    }

    fn is_same(&self, file: usize, wanted: &Wanted<'_>, declared: &Declared) -> bool {
        let (Some(mine), Some(theirs)) = (self.files.get(file), self.files.get(declared.file))
        else {
            return false;
        };
        match (wanted, declared.id) {
            (Wanted::Field(_, ty), Id::Field(id)) => {
                theirs.field(id).is_ok_and(|field| same_type(mine, *ty, theirs, field.ty))
            }
            (Wanted::Method(_, proto), Id::Method(id)) => theirs
                .method(id)
                .is_ok_and(|method| same_proto(mine, *proto, theirs, method.proto) == Some(true)),
            _ => false,
        }
    }

    fn is_of_object(&self, file: usize, wanted: &Wanted<'_>) -> bool {
        let (Wanted::Method(name, proto), Some(dex)) = (wanted, self.files.get(file)) else {
            return false;
        };
        let signature = || -> Result<String> {
            let mut text = String::from("(");
            for ty in dex.parameters(*proto)?.iter() {
                text.push_str(&dex.descriptor_str(ty)?);
            }
            text.push(')');
            text.push_str(&dex.descriptor_str(dex.proto(*proto)?.return_type)?);
            Ok(text)
        };
        signature().is_ok_and(|text| OF_OBJECT.contains(&(*name, text.as_str())))
    }
}

/// A member that is looked for: its name, and its type or signature in the file that names it.
enum Wanted<'a> {
    Field(&'a [u8], TypeId),
    Method(&'a [u8], ProtoId),
}

impl<'a> Wanted<'a> {
    const fn name(&self) -> &'a [u8] {
        match self {
            Self::Field(name, _) | Self::Method(name, _) => name,
        }
    }
}

fn same_type(mine: &Dex<'_>, a: TypeId, theirs: &Dex<'_>, b: TypeId) -> bool {
    matches!((mine.descriptor(a), theirs.descriptor(b)), (Ok(a), Ok(b)) if a.bytes() == b.bytes())
}

fn same_proto(mine: &Dex<'_>, a: ProtoId, theirs: &Dex<'_>, b: ProtoId) -> Option<bool> {
    let (a_types, b_types) = (mine.parameters(a).ok()?, theirs.parameters(b).ok()?);
    let (a, b) = (mine.proto(a).ok()?, theirs.proto(b).ok()?);
    Some(
        a_types.len() == b_types.len()
            && same_type(mine, a.return_type, theirs, b.return_type)
            && a_types.iter().zip(b_types.iter()).all(|(a, b)| same_type(mine, a, theirs, b)),
    )
}

/// Fields (0) and methods (1) whose own class declares them in this file, by number.
fn declared_here(dex: &Dex<'_>) -> FxHashSet<(u8, u32)> {
    let items = dex.class_defs().filter_map(|(_, item)| item.ok());
    let members = items.filter_map(|item| dex.class_data(&item).ok().flatten());
    let members = members.flat_map(|members| members.map_while(Result::ok));
    members
        .map(|member| match member {
            Member::StaticField(it) | Member::InstanceField(it) => (0, it.field.0),
            Member::DirectMethod(it) | Member::VirtualMethod(it) => (1, it.method.0),
        })
        .collect()
}

impl Resolutions {
    fn decide_anything(&self) -> bool {
        let decides =
            |answer: &Resolution| !matches!(answer, Resolution::Unknown | Resolution::Here);
        self.types.iter().chain(&self.fields).chain(&self.methods).any(decides)
    }

    /// The rule that an instruction breaks, with what was expected and found.
    fn broken(
        &self,
        dex: &Dex<'_>,
        it: &Decoded,
    ) -> Option<(&'static str, String, String, TypeId)> {
        let index = it.index as usize;
        let named = |result: Result<String>| result.unwrap_or_else(|_| format!("number {index}"));
        match it.info().index {
            IndexKind::Type => {
                let missing = self.types.get(index) == Some(&Resolution::Missing);
                let ty = TypeId(it.index);
                let name = || named(dex.descriptor_str(ty).map(std::borrow::Cow::into_owned));
                missing
                    .then(|| ("missing-class", format!("the class {}", name()), "none".into(), ty))
            }
            IndexKind::Field => {
                let missing = self.fields.get(index) == Some(&Resolution::Missing);
                let field = dex.field(FieldId(it.index)).ok().filter(|_| missing)?;
                let name = dex.descriptor_str(field.class).and_then(|class| {
                    let ty = dex.descriptor_str(field.ty)?;
                    Ok(format!("{class}->{}:{ty}", dex.string(field.name)?))
                });
                let expected = format!("the field {}", named(name));
                Some(("missing-field", expected, "none".into(), field.class))
            }
            IndexKind::Method => {
                let id = MethodId(it.index);
                let is_static =
                    matches!(it.opcode, Opcode::INVOKE_STATIC | Opcode::INVOKE_STATIC_RANGE);
                let (rule, expected, found) = match (self.methods.get(index)?, is_static) {
                    (Resolution::Missing, _) => ("missing-method", "the method", "none"),
                    (Resolution::Static, false) => {
                        ("call-kind", "invoke-static of", it.opcode.name())
                    }
                    (Resolution::Instance, true) => {
                        ("call-kind", "a call with an object of", it.opcode.name())
                    }
                    _ => return None,
                };
                let expected = format!("{expected} {}", named(dex.method_name(id)));
                Some((rule, expected, found.into(), dex.method(id).ok()?.class))
            }
            _ => None,
        }
    }
}

/// The instructions of a file that lead to nothing, class by class.
fn instructions(
    file: usize,
    dex: &Dex<'_>,
    answers: &Resolutions,
    threads: usize,
) -> Vec<BrokenLink> {
    let next = AtomicU32::new(0);
    let count = dex.count(Section::CLASS_DEFS);
    let work = || {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count || found.len() > MAX_BROKEN {
                return found;
            }
            let methods = methods(dex, ClassIndex(index)).unwrap_or_default();
            for method in methods {
                of_method(file, dex, answers, method, &mut |link| found.push((index, link)));
            }
        }
    };
    let mut found: Vec<_> = wattle_workers::together(threads, work).into_iter().flatten().collect();
    found.sort_by_key(|(index, _)| *index);
    found.into_iter().map(|(_, link)| link).take(MAX_BROKEN).collect()
}

fn methods(dex: &Dex<'_>, index: ClassIndex) -> Result<Vec<MethodItem>> {
    let members = dex.class_data(&dex.class_def(index)?)?.into_iter().flatten();
    let methods = members.map_while(Result::ok).filter_map(Member::method);
    Ok(methods.filter(|method| method.code_off != 0).collect())
}

fn of_method(
    file: usize,
    dex: &Dex<'_>,
    answers: &Resolutions,
    method: MethodItem,
    report: &mut dyn FnMut(BrokenLink),
) {
    let Ok(code) = dex.code(method.code_off) else { return };
    for (unit, it) in code.instructions().map_while(Result::ok) {
        let Some((rule, expected, found, class)) = answers.broken(dex, &it) else { continue };
        let mut defect = Defect::new(rule, (Section::CODE, method.code_off), expected, found);
        defect.unit = Some(unit);
        defect.method = dex.method_name(method.method).ok();
        let class = dex.descriptor_str(class).map(std::borrow::Cow::into_owned);
        report(BrokenLink { file, defect, class: class.unwrap_or_default() });
    }
}
