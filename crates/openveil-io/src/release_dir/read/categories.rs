use crate::source::Source;
use crate::spelling::or_meant;
use crate::{Error, Location};
use openveil_core::table::Secret;
use openveil_text::text;
use std::collections::HashMap;
use std::path::Path;

/// Reads the category of each sensitive value from a CSV file without a header: one line
/// `value;category` per value, in the format of hierarchies. Values are named as they are
/// published; parts of a combination are joined by ` + `.
///
/// Returns one number per value, equal for values of one category. O(lines).
///
/// # Errors
/// A file that cannot be read, a value that no row holds or that occurs twice, a value without a
/// line.
pub fn categories(path: &Path, sensitive: &Secret) -> Result<Vec<u32>, Error> {
    let mut source = Source::new(path);
    source.delimiter = b';';
    source.trim = true;
    source.names = Some(vec!["value".to_owned(), "category".to_owned()]);
    let raw = source.read_all()?;
    let (values, category) = (&raw.columns[0], &raw.columns[1]);
    let labels: Vec<String> =
        (0..sensitive.values() as u32).map(|value| sensitive.label(value)).collect();
    let code_of: HashMap<&str, usize> =
        labels.iter().enumerate().map(|(code, label)| (label.as_str(), code)).collect();
    let mut category_of = vec![None; labels.len()];
    for (&value, &category) in values.codes.iter().zip(&category.codes) {
        let text = values.values.get(value);
        let place = || raw.place_of(values, value);
        let Some(&code) = code_of.get(text) else {
            let error = Error::new(place(), text!("no row has the value `{text}`"));
            return Err(or_meant(
                error,
                text,
                labels.iter().map(String::as_str),
                || "name values as they are published",
            ));
        };
        if category_of[code].replace(category).is_some() {
            return Err(Error::new(place(), text!("names the value `{text}` twice")));
        }
    }
    let missing = category_of.iter().position(Option::is_none);
    match missing {
        None => Ok(category_of.into_iter().flatten().collect()),
        Some(code) => {
            let problem = text!("has no line for the value `{}`", labels[code]);
            Err(Error::new(Location::file(path), problem)
                .help("write one line `value;category` for every value"))
        }
    }
}
