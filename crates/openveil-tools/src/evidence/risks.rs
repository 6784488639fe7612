//! The parts of a page of evidence about risks: measures, questions, attacks.

use super::KnownCells;
use super::sections::Sections;
use crate::audit::AuditReport;
use maud::{Markup, html};
use openveil_reader::attack::Measurement;
use openveil_reader::report::{Attacked, table};

/// A risk: its name in policies, and its measure.
type Risk = (&'static str, fn(&AuditReport) -> Option<f64>);

/// Risks of rows by their known cells.
const OF_ROWS: [Risk; 4] = [
    ("uniqueness", |report| Some(report.uniqueness)),
    ("prosecutor_highest", |report| {
        Some(report.risk.prosecutor.highest)
    }),
    ("prosecutor_average", |report| {
        Some(report.risk.prosecutor.average)
    }),
    ("records_at_risk", |report| {
        Some(report.risk.prosecutor.records_at_risk)
    }),
];

/// The risk of values, in groups of the release.
const OF_VALUES: Risk = ("highest_share", |report| {
    Some(report.measures.as_ref()?.alpha)
});

impl Sections<'_> {
    fn risk_name(&self, name: &str) -> &'static str {
        let (english, german) = match name {
            "uniqueness" => (
                "rows alone in their known values",
                "Zeilen, die in den bekannten Werten einzig sind",
            ),
            "prosecutor_highest" => (
                "highest chance that a row is found (prosecutor)",
                "höchste Chance, eine Zeile zu finden (Prosecutor)",
            ),
            "prosecutor_average" => (
                "average chance that a row is found",
                "mittlere Chance, eine Zeile zu finden",
            ),
            "records_at_risk" => (
                "rows with a chance above 20 %",
                "Zeilen mit einer Chance über 20 %",
            ),
            _ => (
                "highest share of a protected value among rows that look alike",
                "höchster Anteil eines geschützten Werts unter gleich aussehenden Zeilen",
            ),
        };
        self.language.say(english, german)
    }

    pub(super) fn risks(&self) -> Markup {
        let before = self.facts.before.as_ref();
        let of_rows = OF_ROWS.map(|risk| (risk, self.facts.cells.report()));
        let all = of_rows
            .into_iter()
            .chain([(OF_VALUES, Some(&self.facts.after))]);
        let rows = all.map(|((name, measure), after)| {
            let (earlier, now) = (before.ok().and_then(measure), after.and_then(measure));
            let shown =
                |figure: Option<f64>| figure.map_or("–".to_owned(), |share| self.percent(share));
            let threshold = self.facts.purpose.thresholds.get(name).copied();
            let verdict = match (threshold, now) {
                (Some(threshold), Some(now)) if now <= threshold => self.say("kept", "eingehalten"),
                (Some(_), Some(_)) => self.say("EXCEEDED", "ÜBERSCHRITTEN"),
                _ => "____",
            };
            vec![
                self.risk_name(name).to_owned(),
                shown(earlier),
                shown(now),
                threshold.map_or("____".to_owned(), |share| self.percent(share)),
                verdict.to_owned(),
            ]
        });
        let head = [
            self.say("risk", "Risiko"),
            self.say("before", "vorher"),
            self.say("after", "nachher"),
            self.say("threshold of the owner", "Schwelle der Stelle"),
            self.say("verdict", "Urteil"),
        ];
        let caption = self.say("Measured risks", "Gemessene Risiken");
        html! {
            (table(caption, &head, &rows.collect::<Vec<_>>(), &[1, 2, 3]))
            @if let Err(why) = before {
                p { (self.say("The owner's table was not measured:", "Die Tabelle der Stelle wurde nicht gemessen:")) " " code { (why) } }
            }
            p { (self.say("The first four are of people by the known cells in their rows: in the style anatomy these stay as they are, and hiding who is in the table is no part of the promise. Where columns are shuffled, rows are not of one person each (–). The last is of the groups' values.", "Die ersten vier betreffen Personen nach den bekannten Angaben in ihren Zeilen: Im Stil anatomy bleiben diese, wie sie sind; dass jemand in der Tabelle steht, wird nicht verborgen. Wo Spalten gemischt sind, gehören Zeilen nicht je einer Person (–). Das letzte betrifft die Werte der Gruppen.")) }
            p { (self.say("Thresholds without a figure (____) were not stated:", "Schwellen ohne Zahl (____) wurden nicht angegeben:")) " " code { "[purpose.thresholds]" } }
        }
    }

    /// How well known columns distinguish people in the owner's table.
    pub(super) fn distinguishability(&self) -> Markup {
        let Ok(before) = &self.facts.before else {
            return html! {};
        };
        let separation = before.disclosure.as_ref().map_or(0.0, |own| own.separation);
        html! {
            p { (self.say("Distinguishability before: of all pairs of rows the known columns tell apart", "Unterscheidbarkeit vorher: Von allen Zeilenpaaren unterscheiden die bekannten Spalten")) " " (self.percent(separation)) "; " (self.percent(before.uniqueness)) " " (self.say("of the rows are alone.", "der Zeilen sind einzig.")) }
        }
    }

    pub(super) fn questions(&self) -> Markup {
        let after = &self.facts.after;
        let bound = self
            .facts
            .manifest
            .guarantee
            .max_posterior
            .as_deref()
            .unwrap_or("–");
        let cells = &self.facts.cells;
        let public = self.facts.purpose.recipient.as_ref();
        html! {
            dl {
                dt { (self.say("Is it still possible to single out an individual?", "Lässt sich eine Person noch herausgreifen?")) }
                dd {
                    @match cells {
                        KnownCells::Measured(report) => { (self.percent(report.uniqueness)) " " (self.say("of the rows are alone in their published known values: somebody who knows these finds the row and its group.", "der Zeilen sind in ihren veröffentlichten bekannten Werten einzig: Wer diese kennt, findet die Zeile und ihre Gruppe.")) }
                        KnownCells::Shuffled => { (self.say("Rows do not show which known values belong together.", "Zeilen zeigen nicht, welche bekannten Werte zusammengehören.")) }
                        KnownCells::NotMeasured => { (self.say("How many rows are alone in their published values was not measured here.", "Wie viele Zeilen in ihren veröffentlichten Werten einzig sind, wurde hier nicht gemessen.")) }
                    }
                    " " (self.say("The smallest group has", "Die kleinste Gruppe hat")) " " (after.k) " " (self.say("people, among whom the protected values are not assigned.", "Personen, denen die geschützten Werte nicht zugeordnet sind."))
                }
                dt { (self.say("Is it still possible to link records relating to an individual?", "Lassen sich Datensätze zu einer Person verknüpfen?")) }
                dd { (self.say("Known columns may be linked with other files as far as they are published; protected values lead to a group, not to a person. A second release of the same people would have to be part of a history.", "Bekannte Spalten lassen sich mit anderen Dateien verknüpfen, soweit sie veröffentlicht sind; geschützte Werte führen zu einer Gruppe, nicht zu einer Person. Eine zweite Veröffentlichung über dieselben Personen müsste Teil einer Historie sein.")) }
                dt { (self.say("Can information be inferred concerning an individual?", "Lassen sich Angaben über eine Person erschließen?")) }
                dd { (self.say("The chance of a protected value is at most", "Die Wahrscheinlichkeit eines geschützten Werts ist höchstens")) " " (bound) " " (self.say("for the reader of the promise; what can be learned beyond it is said above.", "für die Leser der Zusage; was darüber hinaus gelernt werden kann, steht oben.")) }
                dt { (self.say("For this recipient", "Für diesen Empfänger")) }
                dd { (self.stated(public, "recipient")) "; " (self.say("means that are reasonably likely to be used:", "nach allgemeinem Ermessen wahrscheinlich genutzte Mittel:")) " " (self.stated(self.facts.purpose.safeguards.as_ref(), "safeguards")) }
            }
        }
    }

    pub(super) fn attacks(&self) -> Markup {
        let found = match self.attacked {
            None => {
                return html! { p { (self.say("None: `openveil report --policy FILE --evidence …` makes them.", "Keine: `openveil report --policy FILE --evidence …` führt sie durch.")) } };
            }
            Some(Attacked::NotPossible(why)) => return html! { p { (why) } },
            Some(Attacked::Rules(_)) => {
                return html! { p { (self.say("On the tables that keep rules: see the owner's page.", "Auf Tabellen mit Regeln: siehe die Seite der Stelle.")) } };
            }
            Some(Attacked::Table(found)) => found,
        };
        let mut rows = vec![
            vec![
                self.say(
                    "the program is run again with exchanged values",
                    "das Programm läuft erneut mit vertauschten Werten",
                )
                .to_owned(),
                format!("{} / {}", found.rerun.exposed, found.rerun.sampled),
                self.say(
                    "people exposed of those tried",
                    "aufgedeckte von geprüften Personen",
                )
                .to_owned(),
            ],
            vec![
                self.say("groups of one value", "Gruppen mit nur einem Wert")
                    .to_owned(),
                found.homogeneity.groups.to_string(),
                format!(
                    "{} {}",
                    self.say("highest share of a value:", "höchster Anteil eines Werts:"),
                    found.homogeneity.highest_share
                ),
            ],
            vec![
                self.say("background knowledge", "Hintergrundwissen")
                    .to_owned(),
                found.background.min.to_string(),
                self.say(
                    "facts of the kind `not this value` until somebody is certain",
                    "Angaben der Art „nicht dieser Wert“, bis jemand sicher ist",
                )
                .to_owned(),
            ],
        ];
        let learner = match &found.learner {
            Measurement::Measured(learner) => learner.accuracy_members_known.or(learner.accuracy),
            Measurement::NotMeasured { .. } => None,
        };
        rows.push(vec![
            self.say(
                "a reader who learns from the release, and knows everybody's group",
                "wer aus der Veröffentlichung lernt und alle Gruppen kennt",
            )
            .to_owned(),
            learner.map_or_else(
                || self.say("not measured", "nicht gemessen").to_owned(),
                |share| self.percent(share),
            ),
            self.say(
                "of the people guessed right",
                "der Personen richtig geraten",
            )
            .to_owned(),
        ]);
        let broken = found.promise_broken;
        let head = [
            self.say("attack", "Angriff"),
            self.say("result", "Ergebnis"),
            "",
        ];
        html! {
            (table(self.say("Attacks", "Angriffe"), &head, &rows, &[1]))
            p { (if broken { self.say("The promise was found BROKEN.", "Die Zusage wurde GEBROCHEN.") } else { self.say("No attack broke the promise.", "Kein Angriff brach die Zusage.") }) }
        }
    }
}
