//! A logical Dalvik executable as a view of its bytes.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::cursor::Cursor;
use crate::{
    CallSiteId, ClassData, ClassDefItem, ClassIndex, DexError, FieldId, Header, MapList,
    MethodHandleId, MethodId, Mutf8, ProtoId, Result, Section, StringId, TypeId,
};

/// A logical Dalvik executable: nothing is copied, each item is read when it is asked for.
#[derive(Clone, Debug)]
pub struct Dex<'a> {
    data: &'a [u8],
    header: Header,
    map: MapList,
}

/// `field_id_item`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRef {
    /// The class named in the reference.
    pub class: TypeId,
    /// Its name.
    pub name: StringId,
    /// Its type.
    pub ty: TypeId,
}

/// `method_id_item`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    /// The class (or array) named in the reference.
    pub class: TypeId,
    /// Its name.
    pub name: StringId,
    /// Its signature.
    pub proto: ProtoId,
}

/// `proto_id_item`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtoRef {
    /// The short form: one letter per type, all references `L`.
    pub shorty: StringId,
    /// The return type.
    pub return_type: TypeId,
    /// Offset of the parameters' type list, 0 without parameters.
    pub parameters_off: u32,
}

/// `method_handle_item`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodHandle {
    /// `METHOD_HANDLE_TYPE_*`: 0 static-put, 1 static-get, 2 instance-put, 3 instance-get, 4 invoke-static,
    /// 5 invoke-instance, 6 invoke-constructor, 7 invoke-direct, 8 invoke-interface.
    pub kind: u16,
    /// Number of the field (kinds 0 to 3) or of the method.
    pub member: u32,
}

/// The types of a `type_list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeList<'a>(&'a [u8]);

impl<'a> TypeList<'a> {
    /// The number of types.
    pub fn len(self) -> usize {
        self.0.len() / 2
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The types in order.
    pub fn iter(self) -> impl Iterator<Item = TypeId> + 'a {
        self.0.chunks_exact(2).map(|pair| TypeId(u32::from(u16::from_le_bytes([pair[0], pair[1]]))))
    }
}

impl<'a> Dex<'a> {
    /// Reads the first logical file of the bytes.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Self::parse_at(data, 0)
    }

    /// Reads the logical file whose header is at an offset of a container.
    pub fn parse_at(data: &'a [u8], at: u32) -> Result<Self> {
        let header = Header::parse(data, at)?;
        let size_at = u64::from(at) + if header.version >= 41 { 0x70 } else { 32 };
        let found = u64::from(header.container_size);
        if found > data.len() as u64 {
            return Err(DexError::Truncated {
                section: Section::HEADER,
                offset: size_at,
                expected: found,
                found: data.len() as u64,
            });
        }
        if found >= 1 << 31 {
            return Err(DexError::Malformed {
                section: Section::HEADER,
                offset: size_at,
                expected: "a file of less than 2 GiB",
                found,
            });
        }
        let data = data.get(..header.container_size as usize).unwrap_or_default();
        if header.file_size < header.header_size
            || u64::from(at) + u64::from(header.file_size) > data.len() as u64
        {
            return Err(DexError::Malformed {
                section: Section::HEADER,
                offset: u64::from(at) + 32,
                expected: "file_size between the header's and what is left of the container",
                found: u64::from(header.file_size),
            });
        }
        let map = MapList::parse(data, header.map_off)?;
        let dex = Self { data, header, map };
        for section in Section::CANONICAL {
            let Some(entry) = section.entry_size() else { continue };
            let (count, offset) = dex.table(section);
            if section != Section::HEADER && count > 0 {
                Cursor::new(data, offset, section).bytes(count as usize * entry as usize)?;
            }
        }
        Ok(dex)
    }

    /// All logical files of a container, one before version 041.
    pub fn parse_container(data: &'a [u8]) -> Result<Vec<Self>> {
        let mut files = Vec::new();
        let mut at = 0;
        loop {
            let dex = Self::parse_at(data, at)?;
            let end = dex.header.container_size;
            at += dex.header.file_size;
            let more = dex.header.version >= 41 && at < end;
            files.push(dex);
            if !more {
                return Ok(files);
            }
        }
    }

    /// The bytes of the container; offsets count from its start.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The bytes of this logical file.
    pub fn file_bytes(&self) -> &'a [u8] {
        let start = self.header.header_offset as usize;
        self.data.get(start..start + self.header.file_size as usize).unwrap_or_default()
    }

    /// The link section, which only statically linked files have.
    pub(crate) fn link_data(&self) -> &'a [u8] {
        let (start, size) = (self.header.link_off as usize, self.header.link_size as usize);
        self.data.get(start..start.saturating_add(size)).unwrap_or_default()
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The map.
    pub fn map(&self) -> &MapList {
        &self.map
    }

    /// Number of entries and offset of an identifier table.
    pub(crate) fn table(&self, section: Section) -> (u32, u32) {
        match section {
            Section::HEADER => (1, self.header.header_offset),
            Section::STRING_IDS => self.header.tables[0],
            Section::TYPE_IDS => self.header.tables[1],
            Section::PROTO_IDS => self.header.tables[2],
            Section::FIELD_IDS => self.header.tables[3],
            Section::METHOD_IDS => self.header.tables[4],
            Section::CLASS_DEFS => self.header.tables[5],
            // Only the map knows these two.
            _ => self.map.get(section).map_or((0, 0), |entry| (entry.count, entry.offset)),
        }
    }

    /// Number of entries of an identifier table; 0 for other sections.
    pub fn count(&self, section: Section) -> u32 {
        if section.entry_size().is_some() { self.table(section).0 } else { 0 }
    }

    /// The entry of an identifier table.
    fn entry(&self, section: Section, index: u32) -> Result<Cursor<'a>> {
        let (limit, offset) = self.table(section);
        if index >= limit {
            return Err(DexError::Index {
                section,
                offset: u64::from(offset),
                pool: section,
                limit,
                found: index,
            });
        }
        let size = section.entry_size().unwrap_or(0);
        Ok(Cursor::new(self.data, offset + index * size, section))
    }

    /// Offset of a string's `string_data_item`.
    pub fn string_data_off(&self, id: StringId) -> Result<u32> {
        self.entry(Section::STRING_IDS, id.0)?.u32()
    }

    /// A string.
    pub fn string(&self, id: StringId) -> Result<Mutf8<'a>> {
        string_at(self.data, self.string_data_off(id)?)
    }

    /// The string of a type's descriptor.
    pub fn type_string(&self, id: TypeId) -> Result<StringId> {
        self.entry(Section::TYPE_IDS, id.0)?.u32().map(StringId)
    }

    /// A type's descriptor, such as `Ljava/lang/String;`.
    pub fn descriptor(&self, id: TypeId) -> Result<Mutf8<'a>> {
        self.string(self.type_string(id)?)
    }

    /// A type's descriptor as text.
    pub fn descriptor_str(&self, id: TypeId) -> Result<Cow<'a, str>> {
        self.descriptor(id).map(Mutf8::to_str)
    }

    /// A signature.
    pub fn proto(&self, id: ProtoId) -> Result<ProtoRef> {
        let mut entry = self.entry(Section::PROTO_IDS, id.0)?;
        Ok(ProtoRef {
            shorty: StringId(entry.u32()?),
            return_type: TypeId(entry.u32()?),
            parameters_off: entry.u32()?,
        })
    }

    /// The parameters of a signature.
    pub fn parameters(&self, id: ProtoId) -> Result<TypeList<'a>> {
        self.type_list(self.proto(id)?.parameters_off)
    }

    /// The `type_list` at an offset; none at 0.
    pub fn type_list(&self, at: u32) -> Result<TypeList<'a>> {
        if at == 0 {
            return Ok(TypeList(&[]));
        }
        let mut cursor = Cursor::new(self.data, at, Section::TYPE_LISTS);
        let count = cursor.u32()? as usize;
        cursor.bytes(count.saturating_mul(2)).map(TypeList)
    }

    /// A field reference.
    pub fn field(&self, id: FieldId) -> Result<FieldRef> {
        let mut entry = self.entry(Section::FIELD_IDS, id.0)?;
        Ok(FieldRef {
            class: TypeId(u32::from(entry.u16()?)),
            ty: TypeId(u32::from(entry.u16()?)),
            name: StringId(entry.u32()?),
        })
    }

    /// A method reference.
    pub fn method(&self, id: MethodId) -> Result<MethodRef> {
        let mut entry = self.entry(Section::METHOD_IDS, id.0)?;
        Ok(MethodRef {
            class: TypeId(u32::from(entry.u16()?)),
            proto: ProtoId(u32::from(entry.u16()?)),
            name: StringId(entry.u32()?),
        })
    }

    /// A method as `Lclass;->name(params)return`.
    pub fn method_name(&self, id: MethodId) -> Result<String> {
        let method = self.method(id)?;
        let mut name =
            format!("{}->{}(", self.descriptor(method.class)?, self.string(method.name)?);
        for parameter in self.parameters(method.proto)?.iter() {
            name.push_str(&self.descriptor_str(parameter)?);
        }
        name.push(')');
        name.push_str(&self.descriptor_str(self.proto(method.proto)?.return_type)?);
        Ok(name)
    }

    /// A method handle.
    pub fn method_handle(&self, id: MethodHandleId) -> Result<MethodHandle> {
        let mut entry = self.entry(Section::METHOD_HANDLES, id.0)?;
        let kind = entry.u16()?;
        entry.u16()?;
        Ok(MethodHandle { kind, member: u32::from(entry.u16()?) })
    }

    /// Offset of a call site's `encoded_array_item`: method handle, name, signature, further arguments.
    pub fn call_site_off(&self, id: CallSiteId) -> Result<u32> {
        self.entry(Section::CALL_SITE_IDS, id.0)?.u32()
    }

    /// A class definition.
    pub fn class_def(&self, index: ClassIndex) -> Result<ClassDefItem> {
        ClassDefItem::parse(self.entry(Section::CLASS_DEFS, index.0)?)
    }

    /// The members of a class; `None` where it has none.
    pub fn class_data(&self, class: &ClassDefItem) -> Result<Option<ClassData<'a>>> {
        match class.class_data_off {
            0 => Ok(None),
            at => ClassData::parse(self.data(), at).map(Some),
        }
    }

    /// All class definitions, in file order.
    pub fn class_defs(&self) -> impl Iterator<Item = (ClassIndex, Result<ClassDefItem>)> + '_ {
        (0..self.count(Section::CLASS_DEFS))
            .map(|index| (ClassIndex(index), self.class_def(ClassIndex(index))))
    }

    /// Looks a string up in the sorted table.
    pub fn find_string(&self, text: Mutf8<'_>) -> Option<StringId> {
        let found = self.search(Section::STRING_IDS, |index| {
            Some(self.string(StringId(index)).ok()?.cmp(&text))
        });
        found.map(StringId)
    }

    /// Looks a string up, first near a place of the table; where it would stand if there is none.
    pub(crate) fn string_near(&self, text: Mutf8<'_>, near: u32) -> std::result::Result<u32, u32> {
        let count = self.count(Section::STRING_IDS);
        let compare = |index: u32| {
            // What cannot be read ends the search, as no match.
            self.string(StringId(index)).map_or(Ordering::Greater, |it| it.cmp(&text))
        };
        let (mut low, mut high, mut step) = (near.min(count), near.min(count), 1);
        if high < count && compare(high).is_lt() {
            low = high + 1;
            loop {
                high = low.saturating_add(step).min(count);
                if high == count || compare(high).is_ge() {
                    break;
                }
                low = high + 1;
                step *= 2;
            }
        } else {
            while low > 0 {
                low = high.saturating_sub(step);
                if compare(low).is_lt() {
                    low += 1;
                    break;
                }
                high = low;
                step *= 2;
            }
        }
        // Everything before `low` is less, everything from `high` on is not.
        while low < high {
            let middle = low + (high - low) / 2;
            if compare(middle).is_lt() { low = middle + 1 } else { high = middle }
        }
        if low < count && compare(low).is_eq() { Ok(low) } else { Err(low) }
    }

    /// Looks a type up.
    pub fn find_type(&self, descriptor: Mutf8<'_>) -> Option<TypeId> {
        let string = self.find_string(descriptor)?;
        let found = self.search(Section::TYPE_IDS, |index| {
            Some(self.type_string(TypeId(index)).ok()?.cmp(&string))
        });
        found.map(TypeId)
    }

    /// Binary search in a sorted table; `None` also where the table cannot be read.
    pub(crate) fn search(
        &self,
        section: Section,
        compare: impl Fn(u32) -> Option<Ordering>,
    ) -> Option<u32> {
        let (mut low, mut high) = (0, self.count(section));
        while low < high {
            let middle = low + (high - low) / 2;
            match compare(middle)? {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Reads a `string_data_item`.
pub(crate) fn string_at(data: &[u8], at: u32) -> Result<Mutf8<'_>> {
    let mut cursor = Cursor::new(data, at, Section::STRING_DATA);
    cursor.uleb()?;
    let rest = data.get(cursor.at() as usize..).unwrap_or_default();
    match memchr::memchr(0, rest) {
        Some(end) => Ok(Mutf8::new(rest.get(..end).unwrap_or_default())),
        None => Err(cursor.malformed("a string that ends with NUL", rest.len() as u64)),
    }
}
