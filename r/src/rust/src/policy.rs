//! Policies from arguments or from a file, with a table instead of the file that they name.
//!
//! R holds a policy as a list: `arguments`, or `text` and `path` of a file.

use crate::answer::answer;
use crate::documents::{section_of, value_of};
use crate::incoming::given_table;
use extendr_api::prelude::*;
use openveil_bindings::commands::{with, Replaced};
use openveil_bindings::input;
use openveil_bindings::policy::{model_line, PolicyDocument};
use openveil_bindings::work::{brief, Failure};
use openveil_io::policy::Policy;
use std::path::{Path, PathBuf};

/// Returns a policy as the text of a file, after checking it, with the types of a table or file.
#[extendr]
fn policy_text(policy: List, table: Robj, file: Robj) -> Robj {
    answer(|| {
        let given = (!table.is_null()).then(|| given_table(&table)).transpose()?;
        let text = match text_of(&policy, given, file.as_str().map(Path::new)) {
            // A policy that drops the rest may be shown before there is a table with a rest.
            Err(Failure::Error(_)) if given.is_none() && element(&policy, "text").is_none() => {
                let arguments = element(&policy, "arguments").unwrap_or_default();
                let own = PolicyDocument::of_arguments(section_of(&arguments)?)?.toml()?;
                format!("{own}\n# drop = TRUE: all other columns of the table are dropped\n")
            }
            text => text?,
        };
        checked_text(&policy, &text)?;
        Ok::<_, Failure>(text)
    })
}

/// Returns a model as policies write it on one line.
#[extendr]
fn model_text(model: Robj) -> Robj {
    answer(|| Ok::<_, Failure>(model_line(value_of(&model)?)?))
}

/// Returns the checked policy for a table or a file. `table` and `input` may be NULL.
pub(crate) fn checked(policy: &List, table: &Robj, input: &Robj) -> Result<Policy, Failure> {
    let table = (!table.is_null()).then(|| given_table(table)).transpose()?;
    let path = input.as_str().map(PathBuf::from);
    let text = text_of(policy, table, path.as_deref())?;
    let replaced = Replaced { table: table.cloned(), input: path, ..Replaced::default() };
    Ok(with(&checked_text(policy, &text)?, replaced)?)
}

/// Like [`checked`], but returns None if R passes NULL.
pub(crate) fn checked_if_any(
    policy: &Robj,
    table: &Robj,
    input: &Robj,
) -> Result<Option<Policy>, Failure> {
    match policy.as_list().filter(|list| !list.is_empty()) {
        Some(list) => checked(&list, table, input).map(Some),
        None => Ok(None),
    }
}

fn checked_text(policy: &List, text: &str) -> Result<Policy, Failure> {
    let path = element(policy, "path");
    let path = path.as_ref().and_then(Robj::as_str).unwrap_or("policy");
    Ok(Policy::parse(text, Path::new(path))?)
}

/// Returns whether a policy was given by arguments, not by a file.
pub(crate) fn is_by_arguments(policy: &List) -> bool {
    element(policy, "text").is_none()
}

/// Returns the element of a list with a name.
pub(crate) fn element(list: &List, name: &str) -> Option<Robj> {
    list.iter().find(|(own, _)| *own == name).map(|(_, own)| own)
}

/// Returns the text of a policy, with the types of a table or file.
fn text_of(
    policy: &List,
    table: Option<&openveil_io::source::Batches>,
    path: Option<&Path>,
) -> Result<String, Failure> {
    if let Some(text) = element(policy, "text") {
        let text = text.as_str().map(str::to_owned);
        return Ok(text.ok_or_else(|| input("the text of a policy is one text"))?);
    }
    let arguments = element(policy, "arguments").unwrap_or_default();
    let document = PolicyDocument::of_arguments(section_of(&arguments)?)?;
    if let Some(table) = table {
        let types = openveil_bindings::table::types(table);
        return Ok(document.for_table(&types, &table.orders())?);
    }
    let own = document.toml()?;
    let mut source = checked_text(policy, &own)?.input.source;
    if let Some(path) = path {
        source.turn_to(path.to_owned());
    }
    let types = brief(|| source.types());
    match types {
        Ok(types) => {
            let types: Vec<_> =
                types.into_iter().map(|(name, kind)| (name, kind.to_owned())).collect();
            Ok(document.for_table(&types, &[])?)
        }
        // A policy may be shown without its table; a function that needs the file reports that it
        // is missing.
        Err(Failure::Error(_)) if !document.drops_rest() => Ok(own),
        Err(failure) => Err(failure),
    }
}

extendr_module! {
    mod policy;
    fn policy_text;
    fn model_text;
}
