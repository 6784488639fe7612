//! Croissant 1.1: <https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html>.

use super::{DescribedFile, DescribedRelease, FieldKind, identifier};
use openveil_io::release_dir::write::json_text;
use serde_json::{Value, json};

pub(super) fn text(release: &DescribedRelease) -> String {
    let files = release.files.iter().map(|file| {
        json!({
            "@type": "cr:FileObject",
            "@id": file.name,
            "name": file.name,
            "contentUrl": file.name,
            "contentSize": format!("{} B", file.bytes),
            "encodingFormat": match (file.is_csv(), release.delimiter) {
                (true, '\t') => "text/tab-separated-values",
                (true, _) => "text/csv",
                (false, _) => "application/x-parquet",
            },
            "sha256": file.sha256,
        })
    });
    let mut taken = Vec::new();
    let sets = release.files.iter().map(|file| record_set(file, &mut taken));
    let dataset = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": "openveil-release",
        "alternateName": release.title,
        "description": release.description,
        "distribution": files.collect::<Vec<Value>>(),
        "recordSet": sets.collect::<Vec<Value>>(),
    });
    json_text(&dataset).unwrap_or_default()
}

fn record_set(file: &DescribedFile, taken: &mut Vec<String>) -> Value {
    let id = identifier(file.stem(), taken);
    let mut of_fields = Vec::new();
    let fields = file.fields.iter().map(|field| {
        let is_csv = file.is_csv();
        let kind = match field.kind {
            // Croissant has no word for a missing value: numbers with one are loaded as texts, and
            // whole numbers with gaps as others.
            FieldKind::Integer | FieldKind::Number | FieldKind::Date
                if field.missing.is_some() && is_csv =>
            {
                "sc:Text"
            }
            FieldKind::Integer if field.missing.is_some() => "sc:Float",
            FieldKind::Integer => "sc:Integer",
            FieldKind::Number => "sc:Float",
            FieldKind::Date => "sc:Date",
            FieldKind::Text | FieldKind::List => "sc:Text",
        };
        json!({
            "@type": "cr:Field",
            "@id": format!("{id}/{}", identifier(&field.name, &mut of_fields)),
            "name": field.name,
            "description": field.described(),
            "dataType": kind,
            "source": {
                "fileObject": { "@id": file.name },
                "extract": { "column": field.name },
            },
        })
    });
    json!({
        "@type": "cr:RecordSet",
        "@id": id,
        "name": file.stem(),
        "description": format!("{} rows.", file.rows),
        "field": fields.collect::<Vec<Value>>(),
    })
}

/// The standard's context, limited to the terms used here.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": { "@id": "cr:data", "@type": "@json" },
        "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty",
        "examples": { "@id": "cr:examples", "@type": "@json" },
        "extract": "cr:extract",
        "field": "cr:field",
        "fileObject": "cr:fileObject",
        "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    })
}
