//! Data Package 2.0: <https://datapackage.org/standard/data-package/>.

use super::{DescribedFile, DescribedRelease, Field, FieldKind, identifier};
use openveil_io::release_dir::write::json_text;
use serde_json::{Value, json};

pub(super) fn text(release: &DescribedRelease) -> String {
    let mut taken = Vec::new();
    let resources = release.files.iter().map(|file| resource(release, file, &mut taken));
    let package = json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "openveil-release",
        "title": release.title,
        "description": release.description,
        "resources": resources.collect::<Vec<Value>>(),
    });
    json_text(&package).unwrap_or_default()
}

fn resource(release: &DescribedRelease, file: &DescribedFile, taken: &mut Vec<String>) -> Value {
    let fields: Vec<Value> = file.fields.iter().map(|own| field(own, file.is_csv())).collect();
    let mut resource = json!({
        "name": identifier(file.stem(), taken),
        "path": file.name,
        "type": "table",
        "schema": { "fields": fields },
    });
    if file.is_csv() {
        // The reference validator does not count the bytes of Parquet, and reports them as wrong.
        resource["bytes"] = file.bytes.into();
        resource["hash"] = format!("sha256:{}", file.sha256).into();
        resource["format"] = "csv".into();
        resource["mediatype"] = "text/csv".into();
        resource["encoding"] = "utf-8".into();
        resource["dialect"] = json!({ "delimiter": release.delimiter.to_string() });
    } else {
        resource["format"] = "parquet".into();
        resource["mediatype"] = "application/vnd.apache.parquet".into();
    }
    resource
}

fn field(field: &Field, is_csv: bool) -> Value {
    let kind = match field.kind {
        FieldKind::Integer => "integer",
        FieldKind::Number => "number",
        FieldKind::Date => "date",
        FieldKind::Text => "string",
        // The reference library refuses lists of Parquet as `array`.
        FieldKind::List => "any",
    };
    let mut own = json!({ "name": field.name, "type": kind });
    if !field.words.is_empty() {
        own["description"] = field.described().into();
    }
    if let Some(missing) = field.missing.as_ref().filter(|_| is_csv) {
        // Bounds are left empty.
        own["missingValues"] = json!(["", missing]);
    }
    own
}
