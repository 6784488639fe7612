//! The parts of a page of evidence about risks: measures, questions, attacks.

use super::sections::Sections;
use super::{KnownCells, NotMeasured};
use crate::audit::AuditReport;
use maud::{Markup, html};
use openveil_reader::attack::{AttackReport, Measurement};
use openveil_reader::report::{Attacked, table};
use openveil_text::Voice;

/// A risk: its name in policies, and its measure.
type Risk = (&'static str, fn(&AuditReport) -> Option<f64>);

/// Risks of rows by their known cells.
const OF_ROWS: [Risk; 4] = [
    ("uniqueness", |report| Some(report.uniqueness)),
    ("prosecutor_highest", |report| Some(report.risk.prosecutor.highest)),
    ("prosecutor_average", |report| Some(report.risk.prosecutor.average)),
    ("records_at_risk", |report| Some(report.risk.prosecutor.records_at_risk)),
];

/// The risk of values, in groups of the release.
const OF_VALUES: Risk = ("highest_share", |report| Some(report.measures.as_ref()?.alpha));

/// A risk before and after, and the greatest that the owner accepts.
pub(super) struct MeasuredRisk {
    name: &'static str,
    before: Option<f64>,
    after: Option<f64>,
    threshold: Option<f64>,
}

impl MeasuredRisk {
    /// Whether the risk is within its threshold, if it was measured and has one.
    pub(super) fn is_met(&self) -> Option<bool> {
        Some(self.after? <= self.threshold?)
    }
}

impl Sections<'_> {
    fn risk_name(&self, name: &str) -> &'static str {
        let (english, german) = match name {
            "uniqueness" => (
                "rows with a unique combination of quasi-identifiers",
                "Zeilen mit einmaliger Kombination der Quasi-Identifikatoren",
            ),
            "prosecutor_highest" => (
                "highest re-identification risk of a row (prosecutor)",
                "höchstes Re-Identifikationsrisiko einer Zeile (Prosecutor)",
            ),
            "prosecutor_average" => (
                "average re-identification risk of a row",
                "mittleres Re-Identifikationsrisiko einer Zeile",
            ),
            "records_at_risk" => (
                "rows with a re-identification risk above 20 %",
                "Zeilen mit einem Re-Identifikationsrisiko über 20\u{a0}%",
            ),
            _ => (
                "highest share of a sensitive value in a group",
                "höchster Anteil eines schützenswerten Werts in einer Gruppe",
            ),
        };
        self.language.choose(english, german)
    }

    /// Says why the owner's table was not measured.
    fn not_measured(&self, why: &NotMeasured) -> Markup {
        match why {
            NotMeasured::NoPolicy => {
                html! { code { "--policy" } " " (self.say("was not given.", "wurde nicht angegeben.")) }
            }
            NotMeasured::NoQuasiIdentifiers => {
                html! { (self.say("no column has the role quasi-identifier for all readers.", "Keine Spalte ist für alle ein Quasi-Identifikator.")) }
            }
            NotMeasured::Failed(error) => html! { code { (error) } },
        }
    }

    /// The risks before and after, with the owner's thresholds.
    pub(super) fn measured_risks(&self) -> Vec<MeasuredRisk> {
        let before = self.facts.before.as_ref().ok();
        OF_ROWS
            .map(|risk| (risk, self.facts.cells.report()))
            .into_iter()
            .chain([(OF_VALUES, Some(&self.facts.after))])
            .map(|((name, measure), after)| MeasuredRisk {
                name,
                before: before.and_then(measure),
                after: after.and_then(measure),
                threshold: self.facts.purpose.thresholds.get(name).copied(),
            })
            .collect()
    }

    pub(super) fn risks(&self) -> Markup {
        let shown =
            |figure: Option<f64>| figure.map_or("–".to_owned(), |share| self.percent(share));
        let rows = self.measured_risks().into_iter().map(|risk| {
            let verdict = match risk.is_met() {
                Some(true) => self.say("met", "eingehalten"),
                Some(false) => self.say("EXCEEDED", "ÜBERSCHRITTEN"),
                None => "____",
            };
            vec![
                self.risk_name(risk.name).to_owned(),
                shown(risk.before),
                shown(risk.after),
                risk.threshold.map_or("____".to_owned(), |share| self.percent(share)),
                verdict.to_owned(),
            ]
        });
        let head = [
            self.say("risk", "Risiko"),
            self.say("before", "vorher"),
            self.say("after", "nachher"),
            self.say("owner's threshold", "Schwellenwert der Stelle"),
            self.say("result", "Ergebnis"),
        ];
        let caption = self.say("Measured risks", "Ermittelte Risiken");
        html! {
            (table(caption, &head, &rows.collect::<Vec<_>>(), &[1, 2, 3]))
            @if let Err(why) = &self.facts.before {
                p { (self.say("The owner's table was not measured:", "Die Originaldaten wurden nicht ausgewertet:")) " " (self.not_measured(why)) }
            }
            p { (self.say("The first four figures are about finding a person's row by its published quasi-identifiers. The style anatomy publishes these unchanged, because the guarantee does not hide who is in the table. Where columns are shuffled, a row does not belong to one person, and a dash (–) replaces the figure. The last figure is about the sensitive values in the groups.", "Die ersten vier Kennzahlen betreffen das Auffinden der Zeile einer Person anhand der veröffentlichten Quasi-Identifikatoren. Der Stil anatomy veröffentlicht diese unverändert, denn die Garantie verbirgt nicht, wer in der Tabelle enthalten ist. Wo Spalten vertauscht sind, gehört eine Zeile nicht zu einer einzelnen Person; dort steht ein Strich (–). Die letzte Kennzahl betrifft die schützenswerten Werte in den Gruppen.")) }
            p { (self.say("Blank thresholds (____) are not stated in the policy:", "Leere Schwellenwerte (____): keine Angabe in der Vorgabendatei unter")) " " code { "[purpose.thresholds]" } }
        }
    }

    /// How well known columns distinguish people in the owner's table.
    pub(super) fn distinguishability(&self) -> Markup {
        let Ok(before) = &self.facts.before else {
            return html! {};
        };
        let separation = before.disclosure.as_ref().map_or(0.0, |own| own.separation);
        html! {
            p { (self.say("Distinguishability before: the quasi-identifiers tell apart", "Unterscheidbarkeit vorher: Die Quasi-Identifikatoren unterscheiden")) " " (self.percent(separation)) " " (self.say("of all pairs of rows;", "aller Zeilenpaare;")) " " (self.percent(before.uniqueness)) " " (self.say("of the rows are unique.", "der Zeilen sind einmalig.")) }
        }
    }

    pub(super) fn questions(&self) -> Markup {
        let after = &self.facts.after;
        let bound = self.facts.manifest.guarantee.max_posterior.as_deref().unwrap_or("–");
        let cells = &self.facts.cells;
        let public = self.facts.purpose.recipient.as_ref();
        html! {
            dl {
                dt { (self.say("Is it still possible to single out an individual?", "Ist es noch möglich, eine Person herauszugreifen?")) }
                dd {
                    @match cells {
                        KnownCells::Measured(report) => { (self.percent(report.uniqueness)) " " (self.say("of the rows have a unique combination of published quasi-identifiers. A reader who knows it finds the row and its group.", "der Zeilen haben eine einmalige Kombination veröffentlichter Quasi-Identifikatoren. Wer sie kennt, findet die Zeile und ihre Gruppe.")) }
                        KnownCells::Shuffled => { (self.say("The rows do not show which quasi-identifiers belong together.", "Die Zeilen zeigen nicht, welche Quasi-Identifikatoren zusammengehören.")) }
                        KnownCells::NotMeasured => { (self.say("The number of rows with unique published values was not measured here.", "Die Zahl der Zeilen mit einmaligen veröffentlichten Werten wurde hier nicht ermittelt.")) }
                    }
                    " " (self.say("The smallest group has", "Die kleinste Gruppe umfasst")) " " (after.k) " " (self.say("people. The release does not assign the sensitive values to them.", "Personen. Die Veröffentlichung ordnet ihnen die schützenswerten Werte nicht zu."))
                }
                dt { (self.say("Is it still possible to link records relating to an individual?", "Ist es noch möglich, Datensätze zu einer Person zu verknüpfen?")) }
                dd { (self.say("Quasi-identifiers can be linked with other files as far as they are published. Sensitive values lead to a group, not to a person. A second release about the same people would have to be part of a history.", "Quasi-Identifikatoren lassen sich mit anderen Dateien verknüpfen, soweit sie veröffentlicht sind. Schützenswerte Werte führen zu einer Gruppe, nicht zu einer Person. Eine zweite Veröffentlichung über dieselben Personen müsste Teil einer Historie sein.")) }
                dt { (self.say("Can information be inferred concerning an individual?", "Lassen sich durch Inferenz Informationen über eine Person ableiten?")) }
                dd { (self.say("For a reader whom the guarantee covers, the chance of a correct guess is at most", "Soweit die Garantie gilt, beträgt die Wahrscheinlichkeit, richtig zu raten, höchstens")) " " (bound) ". " (self.say("The figures above say what a reader can learn beyond it.", "Was sich darüber hinaus lernen lässt, steht oben.")) }
                dt { (self.say("For this recipient", "Für diesen Empfänger")) }
                dd { (self.stated(public, "recipient")) ". " (self.say("Safeguards that limit the means reasonably likely to be used:", "Schutzmaßnahmen, die die nach allgemeinem Ermessen wahrscheinlich genutzten Mittel begrenzen:")) " " (self.stated(self.facts.purpose.safeguards.as_ref(), "safeguards")) }
            }
        }
    }

    pub(super) fn attacks(&self) -> Markup {
        let found = match self.attacked {
            None => {
                return html! { p { (self.say("No attack was made. Run `openveil report DIR --policy FILE --evidence …` to make them.", "Es wurden keine Angriffe durchgeführt. `openveil report ORDNER --policy DATEI --evidence …` führt sie durch.")) } };
            }
            Some(Attacked::NotPossible(why)) => {
                return html! { p { (self.say("No attack was made:", "Es wurden keine Angriffe durchgeführt:")) " " (why.say(Voice::Page(self.language), None)) "." } };
            }
            Some(Attacked::Found(found)) if found.of_columns().is_empty() => {
                return html! { p { (self.say("The owner's report has the results of the attacks on the tables of the rules.", "Die Ergebnisse der Angriffe auf die Tabellen der Regeln stehen im Bericht für die verantwortliche Stelle.")) } };
            }
            Some(Attacked::Found(found)) => found,
        };
        let broken = found.promise_broken();
        html! {
            @for (column, report) in found.of_columns() {
                @if let Some(column) = column { h3 { (column) } }
                (self.attacked_column(report))
            }
            p { (if broken { self.say("An attack BROKE the guarantee.", "Ein Angriff hat die Garantie VERLETZT.") } else { self.say("No attack broke the guarantee.", "Kein Angriff hat die Garantie verletzt.") }) }
        }
    }

    fn attacked_column(&self, found: &AttackReport) -> Markup {
        let mut rows = vec![
            vec![
                self.say(
                    "run the program again with exchanged values",
                    "das Programm mit vertauschten Werten erneut ausführen",
                )
                .to_owned(),
                format!("{} / {}", found.rerun.exposed, found.rerun.sampled),
                self.say(
                    "people exposed, of the people tried",
                    "aufgedeckte von geprüften Personen",
                )
                .to_owned(),
            ],
            vec![
                self.say(
                    "look for groups with only one value",
                    "Gruppen mit nur einem Wert suchen",
                )
                .to_owned(),
                found.homogeneity.groups.to_string(),
                format!(
                    "{} {}",
                    self.say("highest share of a value:", "höchster Anteil eines Werts:"),
                    found.homogeneity.highest_share
                ),
            ],
            vec![
                self.say("use background knowledge", "Hintergrundwissen nutzen")
                    .to_owned(),
                found.background.min.to_string(),
                self.say(
                    "facts of the kind “not this value” are needed at least to make a value certain",
                    "Angaben der Art „nicht dieser Wert“ sind mindestens nötig, bis ein Wert feststeht",
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
                "learn from the release and know everyone's group",
                "aus der Veröffentlichung lernen und alle Gruppen kennen",
            )
            .to_owned(),
            learner.map_or_else(
                || self.say("not measured", "nicht ermittelt").to_owned(),
                |share| self.percent(share),
            ),
            self.say(
                "of the people's values are guessed correctly",
                "der Personen mit richtig erratenem Wert",
            )
            .to_owned(),
        ]);
        let head = [self.say("attack", "Angriff"), self.say("result", "Ergebnis"), ""];
        html! {
            (table(self.say("Attacks", "Angriffe"), &head, &rows, &[1]))
        }
    }
}
