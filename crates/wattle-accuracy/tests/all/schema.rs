//! The schema of the table of errors is generated from the types that are written.

use std::path::Path;

use wattle_accuracy::Table;
use wattle_schema::SchemaFile;

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let file = SchemaFile::new::<Table>(
        "accuracy-1",
        "wattle-accuracy/1",
        "Errors of every model on published data sets. The keys are explained in docs/accuracy-json.md.",
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    assert_eq!(file.check(&folder), Ok(()));
}
