//! Sentences of the pages. The promise itself is never worded here: the pages quote the manifest's
//! statement.

use openveil_core::release::Style;
use openveil_io::policy::Role;
use openveil_io::release_dir::write::Manifest;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry};
use std::fmt::Display;

/// Lists the limits of the promise of this release.
pub(super) fn not_promised(manifest: &Manifest, style: Style) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut say = |sentence: &str| words.push(sentence.to_owned());
    if manifest.guarantee.adversary != "knows-algorithm" {
        say(
            "A reader who runs the program again can learn more than the groups show: the promise is about a reader who only sees the release.",
        );
    }
    if manifest.guarantee.max_posterior.as_deref() == Some("1") {
        say("Values may become certain: the model allows it.");
    }
    say(
        "That somebody is in the table is not hidden: the promise is about readers who know who is in it.",
    );
    say(
        "How often each protected value occurs in the whole table is published. To somebody who knew less before, that alone is news.",
    );
    say(if manifest.guarantee.readers.is_empty() {
        "Readers may know how columns go together from elsewhere (that most people of 17 are pupils, say). The promise is about what the release adds for a reader to whom everybody is as likely to have each value as the table's frequencies say."
    } else {
        "Readers may know more of people from elsewhere than the odds above allow (that most people of 17 are pupils, say). About those nothing is promised."
    });
    if manifest.persons.is_none() {
        say(
            "The promise is about rows. If one person has several rows and a reader knows it, what their groups have in common is that person's.",
        );
    }
    say(match manifest.history {
        None => {
            "Another release of the same table, or of people who are in it, is not covered by this promise."
        }
        Some(_) => {
            "Another release of people who are in the table is not covered by this promise, unless it belongs to the same history."
        }
    });
    let role = |role: Role| {
        manifest
            .columns
            .iter()
            .any(|column| column.role == role.name())
    };
    let is_exact = |column: &ColumnEntry| {
        column.role == Role::QuasiIdentifier.name() && !column.cell_kind(style).is_range()
    };
    if manifest.columns.iter().any(is_exact) {
        say(
            "Known columns that are published by value are not hidden: they count as known to the reader.",
        );
    }
    if role(Role::Other) {
        say(
            "Columns for analysis (role `other`) are published by value, and nothing is promised about them.",
        );
    }
    if manifest.strata.is_some() || manifest.tables.iter().any(|table| table.strata.is_some()) {
        say(
            "How often each protected value occurs in each stratum is published, and the promise starts from there.",
        );
    }
    let rules = manifest.rules.iter().map(|rule| &rule.model);
    let mut exempt: Vec<&str> = rules
        .chain([&manifest.model])
        .flat_map(|model| &model.exempt)
        .map(String::as_str)
        .collect();
    exempt.sort_unstable();
    exempt.dedup();
    if !exempt.is_empty() {
        words.push(format!(
            "The values {} need no protection by the owner's word, and may become certain.",
            exempt.join(", ")
        ));
    }
    words
}

/// Describes a better informed reader whom a promise covers.
pub(super) fn reader(name: &str) -> &'static str {
    match name {
        "informed" => "To somebody who knows a few people",
        "informed-about-everybody" => "To somebody who knows something about everybody",
        _ => "To somebody who takes the groups as given",
    }
}

/// Explains how to read cells of a kind.
pub(crate) fn cells(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Interval => {
            "[17, 24] stands for a value from 17 to 24, both included; all rows of a group show the same"
        }
        CellKind::Bounds => {
            "two columns, the least and the greatest value that may be meant; all rows of a group show the same"
        }
        CellKind::Set => "{a|b} stands for one of these values; all rows of a group show the same",
        CellKind::Label => {
            "a label of a hierarchy stands for one of the values under it, which manifest.json lists where the policy does; all rows of a group show the same"
        }
        CellKind::Labels => {
            "{A|B} stands for one of the values under these labels of a hierarchy, which manifest.json lists where the policy does; all rows of a group show the same"
        }
        CellKind::Value => "the row's own value, exactly",
        CellKind::Sliced => {
            "a value of somebody in the group: the column is shuffled inside of each group by itself, so what stands beside it in a row means nothing"
        }
        CellKind::Counted => "how often each value occurs in each group, in a file of its own",
    }
}

/// Explains a role to people who have never heard of it.
pub(crate) fn role(name: &str) -> &'static str {
    match name {
        "quasi-identifier" => "known: others may know it of a person",
        "sensitive" => "protected",
        "other" => "for analysis: neither protected nor known",
        _ => "known or protected, as the rules say",
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

/// `1 row`, `2,000 rows`.
pub fn counted(number: impl Into<u128>, thing: &str) -> String {
    let number = number.into();
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {thing}{ending}", thousands(number))
}
