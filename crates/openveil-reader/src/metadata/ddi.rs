//! DDI Codebook 2.5: <https://ddialliance.org/Specification/DDI-Codebook/2.5/>.

use super::{DescribedFile, DescribedRelease, Field, FieldKind};
use crate::picture::escaped;
use openveil_io::source::Codebook;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) fn text(release: &DescribedRelease) -> String {
    let (title, words) = (escaped(&release.title), escaped(&release.description));
    let program = escaped(&release.program);
    let mut text = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="ddi:codebook:2_5 https://ddialliance.org/Specification/DDI-Codebook/2.5/XMLSchema/codebook.xsd" version="2.5">
  <stdyDscr>
    <citation>
      <titlStmt>
        <titl>{title}</titl>
      </titlStmt>
      <prodStmt>
        <software>{program}</software>
      </prodStmt>
    </citation>
    <stdyInfo>
      <abstract>{words}</abstract>
      <sumDscr>
        <dataKind>anonymised microdata</dataKind>
      </sumDscr>
    </stdyInfo>
  </stdyDscr>
"#
    );
    for (number, file) in (1..).zip(&release.files) {
        add_file(&mut text, number, file);
    }
    text.push_str("  <dataDscr>\n");
    let mut variable = 0;
    for (number, file) in (1..).zip(&release.files) {
        for field in &file.fields {
            variable += 1;
            add_variable(&mut text, variable, number, field);
        }
    }
    text.push_str("  </dataDscr>\n</codeBook>\n");
    text
}

fn add_file(text: &mut String, number: usize, file: &DescribedFile) {
    let name = escaped(&file.name);
    let kind = if file.is_csv() { "text/csv" } else { "application/vnd.apache.parquet" };
    let (rows, columns) = (file.rows, file.fields.len());
    let _ = write!(
        text,
        r#"  <fileDscr ID="F{number}" URI="{name}">
    <fileTxt>
      <fileName>{name}</fileName>
      <dimensns>
        <caseQnty>{rows}</caseQnty>
        <varQnty>{columns}</varQnty>
      </dimensns>
      <fileType>{kind}</fileType>
    </fileTxt>
    <notes type="sha256">{}</notes>
  </fileDscr>
"#,
        file.sha256
    );
}

fn add_variable(text: &mut String, variable: usize, file: usize, field: &Field) {
    let (name, words) = (escaped(&field.name), escaped(&field.words));
    let (format, scale) = match field.kind {
        FieldKind::Integer => (r#"type="numeric""#, "discrete"),
        FieldKind::Number => (r#"type="numeric""#, "contin"),
        FieldKind::Date => (r#"type="character" schema="ISO" category="date""#, "contin"),
        FieldKind::Text | FieldKind::List => (r#"type="character""#, "discrete"),
    };
    let _ = writeln!(
        text,
        r#"    <var ID="V{variable}" name="{name}" files="F{file}" intrvl="{scale}">
      <labl>{}</labl>"#,
        escaped(field.codes.label.as_ref().unwrap_or(&field.name))
    );
    if let Some(missing) = &field.missing {
        let missing = escaped(missing);
        let _ = writeln!(text, "      <invalrng><item VALUE=\"{missing}\"/></invalrng>");
    }
    if !words.is_empty() {
        let _ = writeln!(text, "      <txt>{words}</txt>");
    }
    for code in categories(&field.codes) {
        let missing = if field.codes.missing.contains(code) { r#" missing="Y""# } else { "" };
        let _ = write!(text, "      <catgry{missing}><catValu>{}</catValu>", escaped(code));
        if let Some(label) = field.codes.labels.get(code) {
            let _ = write!(text, "<labl>{}</labl>", escaped(label));
        }
        text.push_str("</catgry>\n");
    }
    let _ = writeln!(text, "      <varFormat {format}/>\n    </var>");
}

/// Codes that have a label or stand for a missing answer, in order.
fn categories(codes: &Codebook) -> BTreeSet<&String> {
    codes.labels.keys().chain(&codes.missing).collect()
}
