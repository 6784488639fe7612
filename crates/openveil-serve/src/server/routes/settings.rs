//! Routes for settings of the policy: columns, the promise, rules, and its text.

use super::{App, AppState, FormFields, beside, change, go, shown, texts};
use crate::desk::{DeskState, Draft, DraftRule, typed};
use crate::pages::promise::{MODELS, chosen, section};
use crate::pages::{self, Step};
use crate::texts::Problem;
use axum::extract::State as Shared;
use axum::http::HeaderMap;
use axum::response::Response;
use openveil_io::policy::{Policy, Role};
use openveil_tools::inspect::ColumnProfile;
use std::path::Path;
use std::sync::Arc;
use toml::Value;

pub(super) async fn columns(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::columns::page)
}

pub(super) async fn set_columns(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let texts = texts(&headers);
    let changed = change(&app.desk, texts, &form, |state| {
        for (index, column) in state
            .table
            .iter()
            .flat_map(|table| table.inspection.columns.clone())
            .collect::<Vec<_>>()
            .iter()
            .enumerate()
        {
            set_column(&mut state.draft, &form, index, column);
        }
        let missing = form.some("missing").filter(|own| *own != "error");
        state.draft.set("input", "missing", missing.map(Value::from));
        if let Some(chosen) = form.one("belongs") {
            set_belongs(&mut state.draft, chosen);
        }
        keep_strata(&mut state.draft);
    });
    match changed {
        Err(problem) => shown(&app, texts, Some(problem), pages::columns::page),
        Ok(()) if form.one("saved").is_some() => go(Step::Columns.path()),
        Ok(()) => go(Step::Promise.path()),
    }
}

/// Sets which rows belong together: `people`, `persons:COLUMN`, `ties:COLUMN`, or undecided.
fn set_belongs(draft: &mut Draft, chosen: &str) {
    let are_people = (chosen == "people").then_some(Value::Boolean(true));
    draft.set("input", "rows-are-people", are_people);
    for section in ["persons", "ties"] {
        let id = chosen.strip_prefix(section).and_then(|rest| rest.strip_prefix(':'));
        match id {
            Some(id) => draft.set(section, "id", Some(id.into())),
            None => draft.set_section(section, None),
        }
    }
}

fn set_column(draft: &mut Draft, form: &FormFields, index: usize, column: &ColumnProfile) {
    let name = &column.name;
    let of = |what: &str| form.some(&format!("{what}-{index}")).map(str::to_owned);
    // One answer for all undecided columns.
    let role = match of("role") {
        Some(role) if role == Role::Undecided.name() => {
            form.some("bulk").map(str::to_owned).or(Some(role))
        }
        role => role,
    };
    let role = role.filter(|role| pages::columns::ROLES.contains(&role.as_str()));
    let Some(role) = role else { return };
    let is_sensitive = role == Role::Sensitive.name();
    let is_known = role == Role::QuasiIdentifier.name();
    // Columns named in rules may be known to some readers and secret from others.
    let is_attribute = role == Role::Attribute.name();
    draft.set_of_column(name, "role", Some(role.clone().into()));
    draft.set_of_column(name, "type", of("type").filter(|own| own != "text").map(Value::from));
    // The found date format is kept as long as the type is date.
    if of("type").as_deref() != Some("date") {
        draft.set_of_column(name, "format", None);
    } else if let Some(format) = column.date_format {
        draft.set_of_column(name, "format", Some(format.into()));
    }
    if form.one(&format!("exempt-{index}")).is_some() {
        let exempt: Vec<Value> =
            of("exempt").unwrap_or_default().lines().map(|line| line.trim().into()).collect();
        let has = !exempt.is_empty();
        draft.set_of_column(name, "exempt", has.then_some(exempt.into()));
        draft.set_of_column(name, "quantiles", of("quantiles").and_then(|own| typed(&own)));
    }
    let is_published = pages::columns::PUBLISHED.contains(&role.as_str());
    if !is_published {
        draft.set_of_column(name, "floor", None);
    } else if let Some(floor) = form.one(&format!("floor-{index}")) {
        draft.set_of_column(name, "floor", typed(floor));
    }
    // Settings that belong to another role are removed.
    if !is_sensitive && !is_attribute {
        for key in ["exempt", "quantiles", "bins", "prefix"] {
            draft.set_of_column(name, key, None);
        }
    }
    if !is_sensitive && !is_known && !is_attribute {
        for key in ["hierarchy", "order", "weight", "lowest-common-ancestor", "publish", "cells"] {
            draft.set_of_column(name, key, None);
        }
    }
}

/// Removes strata that are not known columns.
fn keep_strata(draft: &mut Draft) {
    let known = draft.columns_with(Role::QuasiIdentifier);
    let strata = draft.list("privacy", "strata");
    let left: Vec<Value> =
        strata.into_iter().filter(|own| known.contains(own)).map(Value::from).collect();
    let has = !left.is_empty();
    draft.set("privacy", "strata", has.then_some(left.into()));
}

pub(super) async fn promise(Shared(app): AppState, headers: HeaderMap) -> Response {
    promised(app.clone(), headers, None).await
}

/// Returns the page with the engine's promise.
async fn promised(app: Arc<App>, headers: HeaderMap, problem: Option<Problem>) -> Response {
    beside(move || {
        let plan = app.desk.plan();
        shown(&app, texts(&headers), problem, |seen| pages::promise::page(seen, plan))
    })
    .await
}

pub(super) async fn set_promise(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let changed = change(&app.desk, texts(&headers), &form, |state| set_model(state, &form));
    match changed {
        Err(problem) => promised(app.clone(), headers, Some(problem)).await,
        Ok(()) => go(Step::Promise.path()),
    }
}

fn set_model(state: &mut DeskState, form: &FormFields) {
    let draft = &mut state.draft;
    let asked = form.some("model");
    if let Some(offered) = MODELS.iter().find(|own| Some(own.key) == asked) {
        // Another model starts with its initial parameters.
        let is_same = chosen(draft).is_some_and(|own| own.key == offered.key);
        let value = |parameter: &str| {
            form.some(&format!("p-{parameter}")).filter(|_| is_same).and_then(typed)
        };
        let kept =
            ["combine", "protect", "link"].map(|key| (key, draft.get("privacy", key).cloned()));
        draft.set_section("privacy", Some(section(offered, value)));
        for (key, value) in kept {
            draft.set("privacy", key, value);
        }
    }
    if let Some(several) = form.some("several") {
        let secrets: Vec<Value> =
            draft.columns_with(Role::Sensitive).into_iter().map(Value::from).collect();
        let is_each = several == "each";
        draft.set("privacy", "combine", (!is_each).then_some(secrets.into()));
        draft.set("privacy", "protect", is_each.then_some("each".into()));
    }
    let strata: Vec<Value> = form.all("strata").map(Value::from).collect();
    let has = !strata.is_empty();
    draft.set("privacy", "strata", has.then_some(strata.into()));
    for key in ["odds", "people"] {
        draft.set("reader", key, form.some(key).and_then(typed));
    }
    let style = form.some("style").map(Value::from);
    draft.set("output", "style", style);
    draft.set("algorithm", "name", form.some("algorithm").map(Value::from));
}

pub(super) async fn rules(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, pages::rules::page)
}

pub(super) async fn set_rules(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let texts = texts(&headers);
    let changed = change(&app.desk, texts, &form, |state| {
        let mut rules = state.draft.rules();
        for (index, rule) in rules.iter_mut().enumerate() {
            let names = |what| form.all(&format!("{what}-{index}")).map(str::to_owned).collect();
            rule.given = names("given");
            rule.protect = names("protect");
            match form.some(&format!("l-{index}")).and_then(typed) {
                Some(l) => drop(rule.more.insert("l".to_owned(), l)),
                None => drop(rule.more.remove("l")),
            }
        }
        let asked = form.one("do").unwrap_or_default();
        if asked == "add" {
            rules.push(DraftRule::default());
        }
        let removed = asked.strip_prefix("remove-").and_then(|index| index.parse::<usize>().ok());
        if let Some(index) = removed.filter(|&index| index < rules.len()) {
            rules.remove(index);
        }
        set_roles(state, !rules.is_empty());
        state.draft.set_rules(&rules);
    });
    match changed {
        Err(problem) => shown(&app, texts, Some(problem), pages::rules::page),
        Ok(()) => go("/rules"),
    }
}

/// With rules, every known or secret column becomes an attribute; without rules, columns get their
/// earlier roles back.
fn set_roles(state: &mut DeskState, rules: bool) {
    let columns = state.table.iter().flat_map(|table| table.inspection.columns.clone());
    for column in columns.collect::<Vec<_>>() {
        let (role, _) = pages::columns::said(&state.draft, &column);
        let is_attribute = role == Role::Attribute.name();
        let is_asked_about =
            [Role::QuasiIdentifier, Role::Sensitive].iter().any(|own| own.name() == role);
        let new = match rules {
            true if is_asked_about => {
                state.roles_before.insert(column.name.clone(), role);
                Role::Attribute.name().to_owned()
            }
            false if is_attribute => {
                let before = state.roles_before.remove(&column.name);
                before.unwrap_or_else(|| column.guessed_role.to_owned())
            }
            _ => continue,
        };
        state.draft.set_of_column(&column.name, "role", Some(new.into()));
    }
    if rules {
        // Strata are for a single table.
        state.draft.set("privacy", "strata", None);
    }
}

pub(super) async fn policy(Shared(app): AppState, headers: HeaderMap) -> Response {
    shown(&app, texts(&headers), None, |seen| pages::policy::page(seen, None))
}

/// Sets the policy from text. It must be a valid policy, even if the table does not allow it yet.
pub(super) async fn set_policy(
    Shared(app): AppState,
    headers: HeaderMap,
    form: FormFields,
) -> Response {
    let texts = texts(&headers);
    let text = form.one("text").unwrap_or_default().replace("\r\n", "\n");
    let read = Policy::parse(&text, Path::new(crate::desk::POLICY_FILE));
    let draft = match read {
        // Its state would be deleted at the end with everything else.
        Ok(policy) if policy.history().is_some() => {
            Err(texts.t("policy.history").to_owned().into())
        }
        Ok(_) => Draft::of_text(&text).map_err(Problem::from),
        Err(error) => Err(error.into()),
    };
    let taken =
        draft.and_then(|draft| change(&app.desk, texts, &form, |state| state.draft = draft));
    match taken {
        Ok(()) => go(Step::Promise.path()),
        Err(problem) => {
            shown(&app, texts, Some(problem), |seen| pages::policy::page(seen, Some(&text)))
        }
    }
}
