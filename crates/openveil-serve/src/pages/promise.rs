//! The third step: the promise, in the engine's words.

use super::{PageSources, Step, frame, gauge, next, no_table, promised, select};
use crate::desk::Draft;
use crate::texts::Problem;
use maud::{Markup, html};
use openveil_core::release::Style;
use openveil_io::policy::Role;
use openveil_papers::algorithm;
use openveil_publication::Plan;
use toml::Value;

/// A model of the list: its key in the texts, its name in the policy, and its parameters with
/// initial values.
pub(crate) struct Offered {
    pub(crate) key: &'static str,
    pub(crate) model: &'static str,
    pub(crate) variant: Option<&'static str>,
    pub(crate) parameters: &'static [(&'static str, &'static str)],
}

const fn offered(
    key: &'static str,
    model: &'static str,
    variant: Option<&'static str>,
    parameters: &'static [(&'static str, &'static str)],
) -> Offered {
    Offered { key, model, variant, parameters }
}

/// The models with a form of their own; all others can be set in the policy's text.
pub(crate) const MODELS: [Offered; 13] = [
    offered("ratio", "l-diversity", None, &[("l", "4")]),
    offered("distinct", "l-diversity", Some("distinct"), &[("l", "3")]),
    offered("entropy", "l-diversity", Some("entropy"), &[("l", "2.5")]),
    offered("recursive", "l-diversity", Some("recursive"), &[("c", "3"), ("l", "2")]),
    offered("k-anonymity", "k-anonymity", None, &[("k", "5")]),
    offered("alpha-k", "alpha-k-anonymity", None, &[("alpha", "0.5"), ("k", "5")]),
    offered("p-sensitive", "p-sensitive-k-anonymity", None, &[("p", "3"), ("k", "5")]),
    offered("closeness", "t-closeness", None, &[("t", "0.3"), ("distance", "equal")]),
    offered("breach", "rho1-rho2", None, &[("rho1", "0.1"), ("rho2", "0.5")]),
    offered("kifer", "kifer", None, &[("bound", "0.5"), ("distance", "total-variation")]),
    offered("beta", "beta-likeness", None, &[("beta", "1")]),
    offered("beta-enhanced", "beta-likeness", Some("enhanced"), &[("beta", "1")]),
    offered("delta", "delta-disclosure", None, &[("delta", "1")]),
];

/// Returns the choices for a parameter that is not a number.
fn choices(parameter: &str, model: &str) -> Option<&'static [&'static str]> {
    match (parameter, model) {
        ("distance", "t-closeness") => Some(&["equal", "ordered", "hierarchical"]),
        ("distance", _) => Some(&["total-variation", "maximum", "euclidean", "kullback-leibler"]),
        _ => None,
    }
}

/// Returns the model of a draft, if it is in the list.
pub(crate) fn chosen(draft: &Draft) -> Option<&'static Offered> {
    let model = draft.shown("privacy", "model")?;
    let variant =
        draft.shown("privacy", "variant").filter(|own| !["ratio", "basic"].contains(&own.as_str()));
    MODELS.iter().find(|own| own.model == model && own.variant == variant.as_deref())
}

/// Shows the step; `plan` is the promise that the engine would make, or the reason why it cannot.
pub(crate) fn page(seen: &PageSources<'_>, plan: Option<Result<Plan, Problem>>) -> Markup {
    let body = match (&seen.state.table, plan) {
        (Some(_), Some(plan)) => html! {
            p { (seen.t("promise.intro")) }
            div.beside {
                (form(seen, plan.as_ref().ok()))
                (statement(seen, &plan))
            }
            p { a href="/rules" { (seen.t("promise.rules")) } }
            p { a href="/policy" { (seen.t("promise.policy")) } }
        },
        _ => no_table(seen),
    };
    frame::frame(seen, Step::Promise, seen.t("promise.title"), &body)
}

/// Shows the engine's promise for this policy, or the reason why there is none.
fn statement(seen: &PageSources<'_>, plan: &Result<Plan, Problem>) -> Markup {
    match plan {
        Err(error) => seen.said(error),
        Ok(plan) => html! {
            section id="statement" aria-live="polite" {
                h2 { (seen.t("promise.promised")) }
                (promised(seen, &plan.guarantee))
                @if let Some(largest) = plan.largest_l {
                    p { (seen.texts.fill("promise.largest", &[("l", &largest.to_string())])) }
                }
                (gauge::section(seen, plan))
                @if !plan.warnings.is_empty() {
                    h3 { (seen.t("promise.warnings")) }
                    ul { @for warning in &plan.warnings { li.warning { (seen.texts.say(warning)) } } }
                }
                p.note { (seen.t("promise.looked")) }
                ul { @for line in &plan.checklist { li { (seen.texts.say(line)) } } }
                (next(seen, Step::Publish))
                p { a href=(Step::Ahead.path()) { (seen.t("next.ahead")) } }
            }
        },
    }
}

fn form(seen: &PageSources<'_>, plan: Option<&Plan>) -> Markup {
    let draft = &seen.state.draft;
    html! {
        form method="post" action="/promise" data-saves {
            (seen.version())
            fieldset {
                legend { (seen.t("promise.model")) }
                (model(seen, plan))
            }
            (several(seen))
            (strata(seen))
            fieldset {
                legend { (seen.t("promise.reader")) }
                label for="odds" { (seen.t("promise.odds")) }
                input id="odds" name="odds" size="6" value=(draft.shown("reader", "odds").unwrap_or_default());
                label for="people" { (seen.t("promise.people")) }
                input id="people" name="people" size="4" inputmode="numeric" value=(draft.shown("reader", "people").unwrap_or_default());
            }
            fieldset {
                legend { (seen.t("promise.form")) }
                label for="style" { (seen.t("promise.style")) }
                (select("style", "style", &styles(seen), &draft.shown("output", "style").unwrap_or_else(|| Style::Generalize.name().to_owned())))
                label for="algorithm" { (seen.t("promise.algorithm")) }
                (select("algorithm", "algorithm", &algorithms(seen), &draft.shown("algorithm", "name").unwrap_or_else(|| "auto".to_owned())))
            }
            p.next { button { (seen.t("promise.save")) } }
        }
    }
}

/// Shows the list of models, and the parameters of the chosen one.
fn model(seen: &PageSources<'_>, plan: Option<&Plan>) -> Markup {
    let draft = &seen.state.draft;
    let chosen = chosen(draft);
    let mut options: Vec<(String, String)> = MODELS
        .iter()
        .map(|own| (own.key.to_owned(), seen.t(&format!("model.{}", own.key)).to_owned()))
        .collect();
    if chosen.is_none() {
        options.insert(0, (String::new(), seen.t("promise.other-model").to_owned()));
    }
    let key = chosen.map_or("", |own| own.key);
    html! {
        label for="model" { (seen.t("promise.which")) }
        (select("model", "model", &options, key))
        @if let Some(own) = chosen {
            p.note { (seen.t(&format!("means.{}", own.key))) }
            @for (parameter, begins) in own.parameters {
                (parameter_field(seen, own, parameter, begins, plan))
            }
        }
    }
}

fn parameter_field(
    seen: &PageSources<'_>,
    own: &Offered,
    parameter: &str,
    begins: &str,
    plan: Option<&Plan>,
) -> Markup {
    let value = seen.state.draft.shown("privacy", parameter).unwrap_or_else(|| begins.to_owned());
    let name = format!("p-{parameter}");
    let label = seen.t(&format!("parameter.{parameter}")).to_owned();
    if let Some(choices) = choices(parameter, own.model) {
        let options: Vec<_> = choices
            .iter()
            .map(|own| (own.to_string(), seen.t(&format!("distance.{own}")).to_owned()))
            .collect();
        return html! { label for=(name) { (label) } (select(&name, &name, &options, &value)) };
    }
    let slides = own.key == "ratio" && value.parse::<u32>().is_ok();
    let most = largest(seen, plan).max(value.parse().unwrap_or(2)).max(2);
    let sentence = seen.t("promise.one-in");
    html! {
        label for=(name) { (label) }
        @if slides {
            input type="range" id=(name) name=(name) min="2" max=(most) value=(value) data-sentence=(sentence);
            output for=(name) { (seen.texts.fill("promise.one-in", &[("l", &value)])) }
        } @else {
            input id=(name) name=(name) size="8" value=(value);
        }
    }
}

/// Returns the largest l that the table allows, by the plan or by the column.
fn largest(seen: &PageSources<'_>, plan: Option<&Plan>) -> u32 {
    if let Some(largest) = plan.and_then(|plan| plan.largest_l) {
        return largest;
    }
    let sensitive = seen.state.draft.columns_with(Role::Sensitive);
    seen.state
        .table
        .iter()
        .flat_map(|table| &table.inspection.columns)
        .filter(|column| sensitive.contains(&column.name))
        .filter_map(|column| column.largest_l)
        .min()
        .unwrap_or(10)
}

/// Shows how several secrets are protected: as one, or each separately.
fn several(seen: &PageSources<'_>) -> Markup {
    let draft = &seen.state.draft;
    if draft.columns_with(Role::Sensitive).len() < 2 || !draft.rules().is_empty() {
        return html! {};
    }
    let chosen = match draft.get("privacy", "protect") {
        Some(_) => "each",
        None => "combine",
    };
    let options = ["combine", "each"]
        .map(|own| (own.to_owned(), seen.t(&format!("several.{own}")).to_owned()));
    html! {
        label for="several" { (seen.t("several.how")) }
        (select("several", "several", &options, chosen))
    }
}

/// Shows the columns whose values define strata.
fn strata(seen: &PageSources<'_>) -> Markup {
    let known = seen.state.draft.columns_with(Role::QuasiIdentifier);
    let chosen = seen.state.draft.list("privacy", "strata");
    html! {
        fieldset {
            legend { (seen.t("promise.strata")) }
            p.note { (seen.t("promise.strata-note")) }
            @for (index, column) in known.iter().enumerate() {
                @let id = format!("stratum-{index}");
                span.choice {
                    input type="checkbox" id=(id) name="strata" value=(column) checked[chosen.contains(column)];
                    label for=(id) { (column) }
                }
            }
        }
    }
}

fn styles(seen: &PageSources<'_>) -> Vec<(String, String)> {
    Style::ALL
        .map(|style: Style| {
            let name = style.name().to_owned();
            (name.clone(), seen.t(&format!("style.{name}")).to_owned())
        })
        .to_vec()
}

/// Returns the algorithms with a promise against a reader who knows them. Others can be set in the
/// policy's text, and the command line asks for confirmation.
fn algorithms(seen: &PageSources<'_>) -> Vec<(String, String)> {
    let mut names: Vec<String> = algorithm::all()
        .filter(|own| own.profile().is_safe())
        .map(|own| own.name().to_owned())
        .collect();
    let current = seen.state.draft.shown("algorithm", "name");
    names.extend(current.filter(|name| !names.contains(name)));
    let words = |name: &str| match name {
        "auto" => seen.t("method.auto"),
        "cover" => seen.t("method.cover"),
        "halving" => seen.t("method.halving"),
        _ => "",
    };
    names
        .into_iter()
        .map(|name: String| match words(&name) {
            "" => (name.clone(), name),
            words => (name.clone(), format!("{words} ({name})")),
        })
        .collect()
}

/// Returns a section `[privacy]` for one of the models, with the typed parameters.
pub(crate) fn section(offered: &Offered, typed: impl Fn(&str) -> Option<Value>) -> Value {
    let mut section = toml::Table::new();
    section.insert("model".to_owned(), offered.model.into());
    if let Some(variant) = offered.variant {
        section.insert("variant".to_owned(), variant.into());
    }
    for (parameter, begins) in offered.parameters {
        let value = typed(parameter).or_else(|| crate::desk::typed(begins));
        section.extend(value.map(|value| ((*parameter).to_owned(), value)));
    }
    Value::Table(section)
}
