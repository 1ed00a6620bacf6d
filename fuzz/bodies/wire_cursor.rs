//! Any bytes: the cursor ends, its offsets go up, what it yields lies inside, at every depth.

use wattle_wire::{Fields, Value};

pub fn run(bytes: &[u8]) {
    walk(bytes, 0);
}

fn walk(bytes: &[u8], depth: u32) {
    let mut fields = Fields::new(bytes);
    let mut last = 0;
    while let Some(field) = fields.next() {
        assert!(fields.offset() > last, "the cursor stands still");
        assert!(fields.offset() <= bytes.len() as u64);
        last = fields.offset();
        match field {
            Ok(field) => {
                assert!(field.number > 0);
                assert!(field.value.varints().count() <= bytes.len());
                if let (Value::Len(inner), true) = (field.value, depth < 8) {
                    walk(inner, depth + 1);
                }
            }
            Err(error) => {
                assert!(error.offset < bytes.len() as u64);
                assert!(fields.next().is_none(), "the cursor goes on after an error");
                return;
            }
        }
    }
}
