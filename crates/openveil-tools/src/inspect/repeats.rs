//! The question about a column that names people and repeats, with the answers that the table allows.

use super::starter::{Trial, quoted};
use super::{ColumnProfile, Inspection};
use openveil_io::policy::Role;
use std::fmt::Write;

/// Returns the guessed identifier that occurs in several rows.
fn repeating(inspection: &Inspection) -> Option<&ColumnProfile> {
    inspection.columns.iter().find(|column| {
        let is_identifier = column.guessed_role == Role::Identifier.name();
        is_identifier && column.distinct + column.missing < inspection.rows
    })
}

/// Returns the comment that asks if rows of one value are one person's, if a column repeats. An answer
/// other than `rows-are-people` stands in it only if the table can be published with it. `text` is the
/// policy, `l` its largest chance.
pub(super) fn question(inspection: &Inspection, text: &str, l: u32, trial: &Trial) -> String {
    let Some(column) = repeating(inspection) else {
        return String::new();
    };
    // A comment ends with its line, whatever characters names contain.
    let name = quoted(&column.name).replace(['\n', '\r'], " ");
    let mut question = format!(
        "# DECIDE: {name} repeats, and nothing is published before you choose one of these.\n"
    );
    if let Some(answer) = persons(inspection, text, &name, l, trial) {
        let _ = writeln!(question, "# A person has several rows: {answer}.");
    }
    if trial.succeeds(&format!("{text}\n[ties]\nid = {name}\n")) {
        let _ = writeln!(
            question,
            "# Its rows are people who share the secret, as in a household: write [ties] with id = {name}."
        );
    }
    question.push_str("# Every row is another person:\n# rows-are-people = true\n");
    question
}

/// Returns how to publish the table with one row per person.
fn persons(
    inspection: &Inspection,
    text: &str,
    name: &str,
    l: u32,
    trial: &Trial,
) -> Option<String> {
    let others = [Role::Other, Role::Undecided].map(Role::name);
    let has_others = inspection.columns.iter().any(|own| others.contains(&own.guessed_role));
    let role = |role: Role| format!("role = \"{}\"", role.name());
    let text = text.replace(&role(Role::Other), &role(Role::Drop));
    // A person's set of values may be so frequent that only a smaller l is possible.
    let smaller = (2..=l).rev();
    smaller.flat_map(|l| [(l, ""), (l, "varying = \"draw\"")]).find_map(|(own, varying)| {
        let text = text.replacen(&format!("\nl = {l} "), &format!("\nl = {own} "), 1);
        let section = format!("\n[persons]\nid = {name}\n{varying}\n");
        trial.succeeds(&(text + &section)).then(|| {
            let mut answer = format!("write [persons] with id = {name}");
            if !varying.is_empty() {
                let _ =
                    write!(answer, " and {varying} (one of the person's rows, drawn at random)");
            }
            if own < l {
                let _ = write!(answer, ", lower l to {own}");
            }
            if has_others {
                answer.push_str(", give no column the role other");
            }
            answer
        })
    })
}
