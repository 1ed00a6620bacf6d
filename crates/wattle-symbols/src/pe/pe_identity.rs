//! Which build a PE file is, and what it is called.

use object::{Object as _, ReadRef};

use crate::BuildId;

/// The identity of a PE file. Windows' symbol servers file images by the first and debug data by the second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PeIdentity {
    /// `TimeDateStamp` and `SizeOfImage`, four bytes each, the most significant first.
    pub image: Option<BuildId>,
    /// The GUID of the `.pdb` in the order in which it is written, and its age, four bytes, the most significant first.
    pub debug_data: Option<BuildId>,
}

impl PeIdentity {
    /// Of a file; nothing where it is no PE file.
    pub fn from_file<'d, R: ReadRef<'d>>(file: &object::File<'d, R>) -> Self {
        let image = match file {
            object::File::Pe32(file) => {
                let headers = file.nt_headers();
                Some((headers.file_header.time_date_stamp, headers.optional_header.size_of_image))
            }
            object::File::Pe64(file) => {
                let headers = file.nt_headers();
                Some((headers.file_header.time_date_stamp, headers.optional_header.size_of_image))
            }
            _ => None,
        };
        let Some((stamp, size)) = image else { return Self::default() };
        let numbers = [
            stamp.get(object::LittleEndian).to_be_bytes(),
            size.get(object::LittleEndian).to_be_bytes(),
        ];
        let debug_data = file.pdb_info().ok().flatten().map(|info| {
            let [a, b, c, d, e, f, g, h, rest @ ..] = info.guid();
            let mut bytes = vec![d, c, b, a, f, e, h, g];
            bytes.extend(rest);
            bytes.extend(info.age().to_be_bytes());
            bytes
        });
        Self {
            image: BuildId::new(numbers.as_flattened()),
            debug_data: debug_data.and_then(|bytes| BuildId::new(&bytes)),
        }
    }

    /// `SizeOfImage` in the identity of an image; `None` if it is another identity.
    pub fn image_size(id: &BuildId) -> Option<u32> {
        let bytes = id.bytes();
        let size = bytes.get(4..).filter(|it| (1..=4).contains(&it.len()))?;
        let mut whole = [0; 4];
        whole.iter_mut().zip(size).for_each(|(to, from)| *to = *from);
        Some(u32::from_be_bytes(whole))
    }

    /// The part to show.
    pub fn shown(&self) -> Option<&BuildId> {
        self.image.as_ref().or(self.debug_data.as_ref())
    }
}

/// The last part of a path of Windows, in small letters: case says nothing there.
pub(crate) fn file_name(path: &str) -> String {
    path.rsplit(['\\', '/']).next().unwrap_or(path).to_ascii_lowercase()
}

/// Whether a recording calls a PE file so: a path of Windows, or a file with one of its endings (Wine).
pub(crate) fn is_pe_name(mapping: &str) -> bool {
    let name = file_name(mapping);
    let has_ending =
        [".exe", ".dll", ".sys", ".ocx", ".drv", ".cpl"].iter().any(|it| name.ends_with(it));
    has_ending || mapping.contains('\\')
}
