//! Reads everything that any bytes hold as a Dalvik executable.

use wattle_dex::{ClassIndex, Code, Dex, Liveness, Member, Section, StringId};

pub fn run(bytes: &[u8]) {
    let Ok(files) = Dex::parse_container(bytes) else { return };
    for dex in &files {
        assert!(dex.file_bytes().len() <= bytes.len());
        for id in 0..dex.count(Section::STRING_IDS) {
            let _ =
                dex.string(StringId(id)).map(|text| (text.is_well_formed(), text.to_str().len()));
        }
        for (index, item) in dex.class_defs() {
            let Ok(item) = item else { continue };
            let _ = dex.class(index);
            let _ = dex.hidden_api_flags(index);
            let _ = dex.annotations(item.annotations_off);
            let _ = dex.encoded_array(item.static_values_off);
            read_members(dex, index);
        }
    }
}

fn read_members(dex: &Dex<'_>, index: ClassIndex) {
    let item = dex.class_def(index).expect("it was read before");
    let members = dex.class_data(&item).ok().flatten();
    for member in members.into_iter().flatten().map_while(Result::ok) {
        let Some(method) = member.method() else {
            let (Member::StaticField(it) | Member::InstanceField(it)) = member else { continue };
            let _ = dex.field(it.field);
            continue;
        };
        let _ = dex.method_name(method.method);
        let Ok(item) = dex.code(method.code_off) else { continue };
        if let Ok(Some(debug)) = dex.debug_info(item.debug_info_off) {
            for event in debug.events() {
                if event.is_err() {
                    break;
                }
            }
        }
        if let Ok(code) = Code::decode_with_lines(dex, &item)
            && let Ok(liveness) = Liveness::from_code(&code)
        {
            let _ = liveness.free_at_entry(&code, 16);
        }
    }
}
