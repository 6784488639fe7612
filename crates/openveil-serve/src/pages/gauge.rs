//! The bars beside the settings: they forecast what readers and analysts get.

use super::PageSources;
use maud::{Markup, html};
use openveil_core::exact::number;
use openveil_io::policy::Role;
use openveil_publication::Plan;

pub(super) fn section(seen: &PageSources<'_>, plan: &Plan) -> Markup {
    html! {
        section id="gauge" {
            h3 { (seen.t("gauge.reader")) }
            (reader(seen, plan))
            h3 { (seen.t("gauge.analyst")) }
            (analyst(seen, plan))
        }
    }
}

/// The bound on a guess about one person beside a guess without the release.
fn reader(seen: &PageSources<'_>, plan: &Plan) -> Markup {
    let bound = plan.guarantee.max_posterior.as_deref().and_then(number::parse);
    let bound = bound.map(|bound| *bound.numer() as f64 / *bound.denom() as f64);
    let without = seen.state.table.iter().flat_map(|table| &table.inspection.columns);
    let draft = &seen.state.draft;
    let secrets = draft.columns_with(Role::Sensitive);
    let has = |name: &str, key: &str| draft.of_column(name, key).is_some();
    let exempts = secrets.iter().any(|name| has(name, "exempt"));
    // Values in ranges or merged values are more frequent than those of the table.
    let is_as_read = |name: &str| !has(name, "quantiles") && !has(name, "merge");
    let without =
        without.filter(|column| secrets.contains(&column.name) && is_as_read(&column.name));
    html! {
        @if let Some(bound) = bound {
            (meter(seen, "gauge-bound", seen.t("gauge.bound"), bound))
        } @else {
            p.warning { (seen.t("gauge.no-bound")) }
        }
        @if exempts { p.warning { (seen.t("gauge.exempt")) } }
        @for (index, column) in without.enumerate() {
            @let label = seen.texts.fill("gauge.without", &[("column", &column.name)]);
            (meter(seen, &format!("gauge-without-{index}"), &label, column.top_share))
        }
        @if let Some(alone) = plan.alone {
            (meter(seen, "gauge-alone", seen.t("gauge.alone"), alone))
        }
        p.note { (seen.t("gauge.learner")) }
    }
}

/// The groups, and how much of each column's association can remain, the least first.
fn analyst(seen: &PageSources<'_>, plan: &Plan) -> Markup {
    let groups = plan.about_groups().map(|groups| seen.texts.number(groups));
    html! {
        @if let Some(groups) = groups { p { (seen.texts.fill("gauge.groups", &[("groups", &groups)])) } }
        @for (number, best) in plan.association_at_best.iter().enumerate() {
            @let mut columns: Vec<(&String, f64)> = best.strength.iter().map(|(name, share)| (name, *share)).collect();
            @let () = columns.sort_by(|one, other| one.1.total_cmp(&other.1));
            p { (seen.texts.fill("gauge.at-most", &[("column", &best.sensitive)])) }
            @for (index, (name, share)) in columns.into_iter().enumerate() {
                (meter(seen, &format!("gauge-{number}-{index}"), name, share))
            }
        }
        p.note { (seen.t("gauge.forecast")) }
    }
}

/// A share from 0 to 1, as a bar and as a number.
fn meter(seen: &PageSources<'_>, id: &str, label: &str, share: f64) -> Markup {
    html! {
        div.meter {
            label for=(id) { (label) }
            meter id=(id) min="0" max="1" value=(format!("{share:.3}")) {}
            span { (seen.texts.number((100.0 * share).round() as u64)) " %" }
        }
    }
}
