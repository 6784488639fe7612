//! Sentences of the pages. The promise itself is never worded here: the pages quote the manifest's
//! statement.

use openveil_core::release::Style;
use openveil_io::policy::Role;
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::CellKind;
use openveil_text::{Text, text};
use std::fmt::Display;

/// A table to look at: a header, followed by rows.
pub type ShownTable = Vec<Vec<Text>>;

/// Lists the limits of the promise of this release.
pub(super) fn not_promised(manifest: &Manifest, style: Style) -> Vec<Text> {
    let mut words: Vec<Text> = Vec::new();
    if manifest.guarantee.adversary != "knows-algorithm" {
        words.push(text!(
            "A reader who runs the program again can learn more than the groups show. The guarantee covers only a reader who sees the release and does not run the program."
        ));
    }
    if manifest.guarantee.max_posterior.as_deref() == Some("1") {
        words.push(text!(
            "A reader may become certain of sensitive values. The privacy model allows it."
        ));
    }
    words.push(text!(
        "The release does not hide that a person is in the table. The guarantee assumes that readers know who is in it."
    ));
    words.push(text!(
        "The release shows how often each sensitive value occurs in the whole table. A reader who did not know these frequencies learns them."
    ));
    words.push(if manifest.guarantee.readers.is_empty() {
        text!(
            "Readers may know from elsewhere how columns are related, for example that most people aged 17 are pupils. The guarantee does not cover such knowledge. It covers what the release adds for a reader to whom every person is as likely to have each value as the frequencies in the table say."
        )
    } else {
        text!(
            "Readers may know more about people from elsewhere than the odds above allow, for example that most people aged 17 are pupils. The guarantee does not cover these readers."
        )
    });
    if manifest.persons.is_none() {
        words.push(text!(
            "The guarantee covers rows, not people. If a person has several rows and a reader knows this, the values that all their groups have in common are that person's."
        ));
    }
    words.push(match manifest.history {
        None => text!(
            "The guarantee does not cover another release of the same table or of people who are in it."
        ),
        Some(_) => text!(
            "The guarantee does not cover another release of people who are in the table, unless that release belongs to the same history."
        ),
    });
    let role = |role: Role| manifest.columns.iter().any(|column| column.role == role.name());
    let shows_exact = manifest.columns.iter().any(|column| {
        column.role == Role::QuasiIdentifier.name() && !column.cell_kind(style).is_range()
    });
    if shows_exact {
        words.push(text!(
            "Quasi-identifiers that are published with exact values are not hidden. The guarantee assumes that the reader knows them."
        ));
    }
    if role(Role::Other) {
        words.push(text!(
            "Columns for analysis are published with their values. The guarantee does not protect them."
        ));
    }
    if manifest.strata.is_some() || manifest.tables.iter().any(|table| table.strata.is_some()) {
        words.push(text!(
            "The release shows how often each sensitive value occurs in each stratum. The guarantee assumes that the reader knows these frequencies."
        ));
    }
    let mut exempt: Vec<&str> = manifest
        .rules
        .iter()
        .map(|rule| &rule.model)
        .chain([&manifest.model])
        .flat_map(|model| &model.exempt)
        .map(String::as_str)
        .collect();
    exempt.sort_unstable();
    exempt.dedup();
    if !exempt.is_empty() {
        words.push(text!(
            "The owner declared that these values need no protection: {}. A reader may become certain of them.",
            exempt.join(", ")
        ));
    }
    words
}

/// Describes a better informed reader whom a promise covers.
pub(super) fn reader(name: &str) -> Text {
    match name {
        "informed" => text!("For a reader with inside knowledge about a few people"),
        "informed-about-everybody" => text!("For a reader with inside knowledge about everyone"),
        _ => text!("For a reader who takes the groups as given"),
    }
}

/// Explains how to read cells of a kind.
pub(crate) fn cells(kind: CellKind) -> Text {
    match kind {
        CellKind::Interval => text!(
            "a range; [17, 24] means a value from 17 to 24, both included; all rows of a group show the same range"
        ),
        CellKind::Bounds => text!(
            "two columns with the lowest and the highest possible value; all rows of a group show the same two values"
        ),
        CellKind::Set => {
            text!("a set; {{a|b}} means one of these values; all rows of a group show the same set")
        }
        CellKind::Label => text!(
            "a label of a hierarchy, which means one of the values below it; manifest.json lists these values if the policy does; all rows of a group show the same label"
        ),
        CellKind::Labels => text!(
            "a set of labels of a hierarchy; {{A|B}} means one of the values below these labels; manifest.json lists these values if the policy does; all rows of a group show the same set"
        ),
        CellKind::Value => text!("the exact value of the row"),
        CellKind::Sliced => text!(
            "a value of someone in the group; the column is shuffled within each group on its own, so values beside each other in a row do not belong together"
        ),
        CellKind::Counted => {
            text!("counts; a separate file shows how often each value occurs in each group")
        }
    }
}

/// Explains a role to people who have never heard of it.
pub(crate) fn role(name: &str) -> Text {
    match name {
        "quasi-identifier" => text!("quasi-identifier (others may know it about a person)"),
        "sensitive" => text!("sensitive (protected)"),
        "other" => text!("for analysis (neither protected nor a quasi-identifier)"),
        _ => text!("quasi-identifier or sensitive, depending on the rule"),
    }
}

/// A type of values, as a manifest names it.
pub(super) fn value_type(name: Option<&str>) -> Text {
    match name {
        Some("integer") => text!("whole number"),
        Some("number") => text!("number"),
        Some("date") => text!("date"),
        Some("boolean") => text!("yes or no"),
        _ => text!("text"),
    }
}

/// A whole number, 0 or more, with commas between thousands.
pub fn thousands(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number, 0 or more, to be filled in.
pub(crate) fn number(number: impl Display) -> Text {
    Text::number(thousands(number))
}

/// A share in per cent.
pub(crate) fn share(share: f64) -> Text {
    match 100.0 * share {
        0.0 => Text::number("0 %"),
        little if little < 0.1 => text!("below {:text}", Text::number("0.1 %")),
        more => Text::number(format!("{more:.1} %")),
    }
}

/// A share in whole per cent.
pub(super) fn whole_share(share: f64) -> Text {
    Text::number(format!("{:.0} %", 100.0 * share))
}

/// The words for rows, of [`counted_in`].
pub const ROWS: [&str; 2] = ["1 row", "{0:text} rows"];

/// The words for groups, of [`counted_in`].
pub const GROUPS: [&str; 2] = ["1 group", "{0:text} groups"];

/// The words for people, of [`counted_in`].
pub const PEOPLE: [&str; 2] = ["1 person", "{0:text} people"];

/// The words for columns, of [`counted_in`].
pub(super) const COLUMNS: [&str; 2] = ["1 column", "{0:text} columns"];

/// The words for tables, of [`counted_in`].
pub(super) const TABLES: [&str; 2] = ["1 table", "{0:text} tables"];

/// The words for filler rows, of [`counted_in`].
pub(super) const FILLERS: [&str; 2] = ["1 filler row", "{0:text} filler rows"];

/// The words for rows that are not shown, of [`counted_in`].
pub(super) const FURTHER: [&str; 2] = ["1 further row", "{0:text} further rows"];

/// A number of things, from the words for one and for several: `["1 row", "{0:text} rows"]`.
pub fn counted_in(number: impl Into<u128>, [one, several]: [&'static str; 2]) -> Text {
    match number.into() {
        1 => one.into(),
        number => Text::new(several, vec![("0:text", Text::number(thousands(number)))]),
    }
}

/// `1 row`, `2,000 rows`.
pub fn counted(number: impl Into<u128>, thing: &str) -> String {
    let number = number.into();
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", thousands(number))
}
