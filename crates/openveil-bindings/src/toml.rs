//! Documents as TOML, with a line for each value, because messages name lines.

use crate::{Section, Value, input};
use openveil_io::Error;
use std::fmt::Write;

/// Returns a document of sections as TOML; lists of sections are repeated sections.
///
/// # Errors
/// A number that is not finite; a value in place of a section.
pub fn text(document: &Section) -> Result<String, Error> {
    let mut parts = Vec::new();
    for (name, section) in document.iter() {
        match section {
            Value::Section(section) => {
                parts.push(format!("[{}]\n{}", key(name), lines(section)?));
            }
            Value::List(several) => {
                for one in several {
                    let Value::Section(one) = one else {
                        return Err(misplaced(name));
                    };
                    parts.push(format!("[[{}]]\n{}", key(name), lines(one)?));
                }
            }
            _ => return Err(misplaced(name)),
        }
    }
    Ok(parts.join("\n"))
}

fn misplaced(name: &str) -> Error {
    input(format!("`{name}` is a section of a policy: it takes named values"))
}

fn lines(section: &Section) -> Result<String, Error> {
    let mut text = String::new();
    for (name, own) in section.iter() {
        writeln!(text, "{} = {}", key(name), value(own)?).expect("a text takes all");
    }
    Ok(text)
}

fn key(name: &str) -> String {
    if !name.is_empty()
        && name.chars().all(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// JSON's strings are TOML's, except for one character that TOML escapes as well.
fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).expect("a text is JSON");
    json.replace('\u{7f}', "\\u007f")
}

fn value(own: &Value) -> Result<String, Error> {
    Ok(match own {
        Value::Boolean(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) if number.is_finite() => format!("{number:?}"),
        Value::Number(number) => {
            return Err(input(format!("{number} is not a number that a policy can contain")));
        }
        Value::Text(text) => quoted(text),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(value).collect::<Result<_, _>>()?;
            format!("[{}]", values.join(", "))
        }
        Value::Section(section) => {
            let pairs: Vec<String> = section
                .iter()
                .map(|(name, own)| Ok(format!("{} = {}", key(name), value(own)?)))
                .collect::<Result<_, Error>>()?;
            format!("{{ {} }}", pairs.join(", "))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_alike() {
        let column: Section = [
            ("role".to_owned(), "quasi-identifier".into()),
            ("order".to_owned(), vec!["a \"b\"", "\u{7f}\n"].into()),
            ("floor".to_owned(), Value::Number(0.5)),
        ]
        .into_iter()
        .collect();
        let columns: Section = [("größe .".to_owned(), column.into())].into_iter().collect();
        let rule: Section = [("given".to_owned(), vec!["a"].into())].into_iter().collect();
        let document: Section = [
            ("columns".to_owned(), columns.into()),
            ("rules".to_owned(), vec![rule.clone(), rule].into()),
        ]
        .into_iter()
        .collect();
        let written = text(&document).unwrap();
        let read: ::toml::Table = written.parse().unwrap();
        let own = &read["columns"]["größe ."];
        assert_eq!(own["order"][1].as_str(), Some("\u{7f}\n"));
        assert_eq!(own["floor"].as_float(), Some(0.5));
        assert_eq!(read["rules"].as_array().map(Vec::len), Some(2));
        let infinite = [("t".to_owned(), Value::Number(f64::INFINITY))];
        let privacy = [("privacy".to_owned(), Section::from_iter(infinite).into())];
        assert!(text(&privacy.into_iter().collect()).is_err());
        assert!(text(&[("l".to_owned(), true.into())].into_iter().collect()).is_err());
    }
}
