//! Starter policies.

use super::aim::{self, Aim, trial};
use super::choice::{Choice, published_known};
use super::presets::{Preset, PresetRule, joined, usual_floor};
use super::repeats;
use super::{ColumnProfile, Inspected, Inspection};
use jiff::tz::TimeZone;
use openveil_io::misleads;
use openveil_io::policy::Role;
use openveil_io::source::{Source, shown_delimiter};
use openveil_io::{Error, Location, load};
use openveil_publication as publish;
use openveil_publication::Options;
use openveil_text::{Text, text};
use std::fmt::Write;
use std::path::Path;

/// The wishes for a starter policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StarterWish {
    /// The preset; by default the preset of the aim.
    pub preset: Option<Preset>,
    /// The aim of the release, which decides style and l.
    pub aim: Option<Aim>,
}

/// A starter policy for an aim with its measured costs.
pub fn with_costs(text: &str, aim: Aim, costs: &str) -> String {
    text.replacen(&aim::comment(aim, None), &aim::comment(aim, Some(costs)), 1)
}

/// Returns the role of each column in the starter policy, with the reason; the guesses if there is no
/// starter policy.
pub(super) fn roles(inspection: &Inspection, wish: StarterWish) -> Vec<(&'static str, Text)> {
    let guess = |column: &ColumnProfile| (column.guessed_role, column.reason.clone());
    let Some(choice) = &inspection.starter else {
        return inspection.columns.iter().map(guess).collect();
    };
    let preset = wish.preset.or(wish.aim.and_then(Aim::preset));
    lines(inspection, choice, preset)
        .map(|line| match line.role() {
            (Role::Undecided, _) => guess(line.column),
            (role, why) => (role.name(), why),
        })
        .collect()
}

fn lines<'a>(
    inspection: &'a Inspection,
    choice: &'a Choice,
    preset: Option<Preset>,
) -> impl Iterator<Item = ColumnLine<'a>> {
    let known = published_known(&inspection.columns);
    inspection.columns.iter().enumerate().map(move |(index, column)| {
        let is_known = known.contains(&index);
        ColumnLine { inspection, choice, column, is_known, preset }
    })
}

/// Writes the policy, and tries it on the table: a starter policy must be publishable.
pub(super) fn tried(inspected: Inspected, path: &Path, wish: StarterWish) -> Result<String, Error> {
    let Inspected { inspection, source, raw } = inspected;
    let Some(choice) = &inspection.starter else {
        let problem = "has no column that could be protected: each is (mostly) empty, constant, free text, or identifies people";
        return Err(Error::new(Location::file(&source.path), problem)
            .help("a policy needs one sensitive column with at least two values, none of them in more than half of the rows"));
    };
    let as_written = Source { path: path.to_owned(), ..source.clone() };
    let question = repeats::question(&inspection, &raw);
    let text = policy(&inspection, choice, &as_written, wish, &question);
    let mut policy = trial(&text, Path::new(""))?;
    // The owner has to decide on the time zone.
    let columns = policy.columns.values_mut();
    columns.for_each(|column| column.timezone = column.timezone.take().or(Some(TimeZone::UTC)));
    // The inspected table, wherever the policy will be stored.
    policy.input.source = source;
    let loaded = load::load_raw(&policy, raw)?;
    publish::plan_of(&policy, Options::default(), &loaded)?;
    Ok(text)
}

/// Returns the l of a starter policy.
fn l_of(choice: &Choice, StarterWish { preset, aim }: StarterWish) -> u32 {
    let preset = preset.or(aim.and_then(Aim::preset));
    match (aim, preset) {
        (Some(aim), _) => aim.l(choice.l, choice.largest_l),
        (None, Some(preset)) => preset.l(choice.l, choice.largest_l),
        (None, None) => choice.l,
    }
}

/// Returns a commented policy for an inspected table, with guessed roles, and a question about several
/// rows.
fn policy(
    inspection: &Inspection,
    choice: &Choice,
    source: &Source,
    wish: StarterWish,
    question: &str,
) -> String {
    let StarterWish { preset, aim } = wish;
    let mut text = String::from(HEAD);
    if let Some(aim) = aim {
        text.push_str(&aim::comment(aim, None));
    }
    let preset = preset.or(aim.and_then(Aim::preset));
    if let Some(preset) = preset {
        text.push_str(&preset.head(inspection));
    }
    push_input(&mut text, inspection, choice, source, question);
    text.push_str(COLUMNS);
    lines(inspection, choice, preset).for_each(|line| text.push_str(&line.line()));
    text.push_str(PRIVACY);
    let largest = choice.largest_l;
    let l = l_of(choice, wish);
    let slack = if l < largest { "; at the limit, groups are large" } else { "" };
    push(
        &mut text,
        format_args!("l = {l}  # at most {largest} with this sensitive column{slack}\n"),
    );
    if let Some(exempt) = &choice.exempt {
        push(
            &mut text,
            format_args!(
                "# {} is so frequent that no l protects it; it is exempt above. To protect it as well, at the price\n# of a weaker guarantee, remove `exempt` and write instead:\n# model = \"beta-likeness\"   # a chance is at most 1 + beta times the share of the value: doubled\n# beta = 1\n",
                quoted(exempt)
            ),
        );
    }
    if let Some(parts) = choice.quantiles {
        let name = quoted(&choice.sensitive);
        push(
            &mut text,
            format_args!(
                "# {name} holds numbers: `quantiles` publishes {parts} ranges instead, so means and linear regressions of it are lost.\n# To publish the numbers, remove `quantiles`: each group then shows at least l different numbers, which may be\n# so close together that a reader learns about how large a person's number is.\n"
            ),
        );
    }
    text.push_str(TAIL);
    if let Some(aim) = aim {
        push(&mut text, format_args!("style = {:?}\n", aim.style().name()));
    }
    text
}

const HEAD: &str = "\
# A starter policy, written and tested by `openveil inspect`. The roles are guesses: check every
# column, correct its role, and decide lines with `undecided` or DECIDE before you publish.
";

const COLUMNS: &str = "
# Roles: quasi-identifier  others may know it of a person; published coarsened
#        sensitive         must stay secret; published per group
#        other             neither: for analysis; published by value, not protected
#        identifier        names a person; never published
#        drop              not needed; never published
#        undecided         choose one of the others: nothing is published before you do
# Types: integer, number, date, boolean, text
[columns]
";

const PRIVACY: &str = "
[privacy]
model = \"l-diversity\"  # nobody's sensitive value can be guessed with a chance above 1/l
";

const TAIL: &str = "
[algorithm]
name = \"auto\"  # chooses by public facts; safe against a reader who knows the algorithm

[output]
dir = \"out\"  # becomes out/release (may be published) and out/owner (may not)
";

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string does not fail");
}

/// Returns a text quoted for TOML. TOML escapes the same characters as JSON, and one more.
/// Characters that are invisible or change the direction of text in an editor are escaped, too.
pub(super) fn quoted(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if misleads(character) {
            push(&mut written, format_args!("\\u{:04x}", u32::from(character)))
        } else {
            written.push(character)
        }
    }
    written
}

fn push_input(
    text: &mut String,
    inspection: &Inspection,
    choice: &Choice,
    source: &Source,
    question: &str,
) {
    let path = quoted(&source.path.to_string_lossy());
    push(text, format_args!("\n[input]\npath = {path}\n"));
    if source.delimiter != b',' {
        let delimiter = quoted(&char::from(source.delimiter).to_string());
        push(
            text,
            format_args!("delimiter = {delimiter}  # {}\n", shown_delimiter(source.delimiter)),
        );
    }
    if source.escape.is_some() {
        text.push_str("escape = \"\\\\\"  # before quotation marks inside of values\n");
    }
    if let Some(encoding) = &inspection.encoding {
        push(text, format_args!("encoding = {}\n", quoted(encoding)));
    }
    if inspection.decimal_comma {
        text.push_str("decimal = \",\"\n");
    }
    if let Some(sheet) = &source.sheet {
        push(text, format_args!("sheet = {}\n", quoted(sheet)));
    }
    if source.trim {
        text.push_str("trim = true\n");
    }
    if inspection.columns.iter().any(|column| column.are_moments) {
        text.push_str("# DECIDE: dates are points in time in UTC, and nothing is published before you name the time zone.\n# timezone = \"America/New_York\"\n");
    }
    let mut tokens: Vec<&String> =
        inspection.columns.iter().flat_map(|column| &column.missing_values).collect();
    tokens.sort_unstable();
    tokens.dedup();
    if !tokens.is_empty() {
        let tokens: Vec<String> = tokens.into_iter().map(|token| quoted(token)).collect();
        let tokens = tokens.join(", ");
        push(
            text,
            format_args!(
                "missing_values = [{tokens}]  # texts that seem to stand for a missing value\n"
            ),
        );
    }
    text.push_str(question);
    match choice.missing {
        Some("drop-rows") => text.push_str("missing = \"drop-rows\"  # or \"keep\" (as a value), or \"error\"\n"),
        Some(_) => text.push_str("missing = \"keep\"  # as the value (missing): dropping rows would lose many, or disclose who has none\n"),
        None => {}
    }
}

/// A column's line in the policy.
struct ColumnLine<'a> {
    inspection: &'a Inspection,
    choice: &'a Choice,
    column: &'a ColumnProfile,
    is_known: bool,
    preset: Option<Preset>,
}

impl ColumnLine<'_> {
    fn line(&self) -> String {
        let (role, why) = self.role();
        let mut line = format!("{} = {{ role = \"{}\"", quoted(&self.column.name), role.name());
        let rule = self.preset.and_then(|preset| preset.rule(self.column));
        let usual = usual_floor(self.column).filter(|_| rule.is_none());
        let coarsened = rule.as_ref().or(usual.as_ref().map(|(rule, _)| rule));
        let (as_type, keys) = match coarsened {
            Some(PresetRule::Coarsened { value_type, keys }) => (*value_type, keys.as_str()),
            _ => (None, ""),
        };
        let value_type = as_type.unwrap_or(self.column.value_type);
        // Undecided columns keep their type for whoever decides.
        if (role.is_published() || role == Role::Undecided) && value_type != "text" {
            push(&mut line, format_args!(", type = \"{value_type}\""));
            if let Some(format) = self.column.date_format {
                push(&mut line, format_args!(", format = {}", quoted(format)));
            }
            if let Some(sign) = self.column.thousands {
                push(&mut line, format_args!(", thousands = {}", quoted(&sign.to_string())));
            }
        }
        if role == Role::Identifier && self.column.has_spellings {
            line.push_str(", distinct = true");
        }
        if role == Role::Sensitive {
            if self.column.has_spellings {
                line.push_str(", merge = true");
            }
            if let Some(parts) = self.choice.quantiles {
                push(&mut line, format_args!(", quantiles = {parts}"));
            }
            if let Some(exempt) = &self.choice.exempt {
                push(&mut line, format_args!(", exempt = [{}]", quoted(exempt)));
            }
        }
        let is_coarsened = matches!(role, Role::QuasiIdentifier | Role::Other) && !keys.is_empty();
        if is_coarsened {
            push(&mut line, format_args!(", {keys}"));
        }
        let mut why = why.to_string();
        if let Some((_, reason)) = usual.filter(|_| is_coarsened) {
            push(&mut why, format_args!(". {reason}"));
        } else if let Some(advice) = joined(self.column).filter(|_| role == Role::QuasiIdentifier) {
            push(&mut why, format_args!(". {advice}"));
        }
        push(&mut line, format_args!(" }}  # {}\n", self.facts(role, why)));
        line
    }

    /// Returns the role in the policy, with a reason if it differs from the guess.
    fn role(&self) -> (Role, Text) {
        let reason = self.column.reason.clone();
        let rule = self.preset.and_then(|preset| preset.rule(self.column));
        if let Some(PresetRule::LeftOut(why)) = rule {
            return (Role::Drop, why);
        }
        match self.column.guessed_role {
            "identifier" => (Role::Identifier, reason),
            "other" => (Role::Other, reason),
            "quasi-identifier" if self.is_known => (Role::QuasiIdentifier, reason),
            "quasi-identifier" => (
                Role::Drop,
                text!("{reason:text}; more known columns than can be published at once"),
            ),
            "sensitive" if self.column.name == self.choice.sensitive => (Role::Sensitive, reason),
            "sensitive" if self.column.is_told => (
                Role::Drop,
                text!(
                    "sensitive too: {reason:text}. Protect several columns with `protect = \"each\"`, `combine` or [[rules]]"
                ),
            ),
            "sensitive" => (
                Role::Drop,
                text!(
                    "{reason:text}. If it is none: `quasi-identifier` if others may know it of a person, else `other`"
                ),
            ),
            "undecided" => (
                Role::Undecided,
                text!(
                    "DECIDE: {reason:text}. `quasi-identifier` if others may know it of a person, `sensitive` if nobody may learn it, `other` if neither"
                ),
            ),
            _ => (Role::Drop, reason),
        }
    }

    fn facts(&self, role: Role, why: String) -> String {
        let mut facts = why;
        if self.column.unusable.is_some() {
            return facts;
        }
        push(&mut facts, format_args!("; {} values", self.column.distinct));
        if self.column.missing > 0 {
            let share = 100.0 * self.column.missing as f64 / self.inspection.rows as f64;
            push(&mut facts, format_args!(", {share:.1} % missing"));
        }
        if let Some(l) = self.column.largest_l {
            push(&mut facts, format_args!(", l up to {l}"));
        }
        facts.push_str(match role {
            Role::Sensitive if self.column.has_spellings => {
                ", some of which read alike and are merged: `distinct = true` keeps them apart"
            }
            Role::Identifier if self.column.has_spellings => {
                ", some of which read alike: if they are spellings of one person, write `merge = true`"
            }
            _ => "",
        });
        // Keeps it on one line, whatever characters names contain.
        facts.replace(['\n', '\r'], " ")
    }
}
