//! The parts of a page of evidence, in two languages.

use super::{Facts, Language};
use crate::audit::AuditReport;
use maud::{Markup, html};
use openveil_io::policy::Role;
use openveil_reader::attack::Measurement;
use openveil_reader::report::{Attacked, table, thousands};

pub(super) struct Sections<'a> {
    pub(super) facts: &'a Facts,
    pub(super) attacked: Option<&'a Attacked>,
    pub(super) language: Language,
}

/// A share as a percentage.
fn percent(share: f64) -> String {
    format!("{:.2}\u{a0}%", 100.0 * share)
}

/// A risk: its name in policies, and how it is measured.
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
    fn say<'t>(&self, english: &'t str, german: &'t str) -> &'t str {
        self.language.say(english, german)
    }

    /// What the owner stated, or a blank that says what is missing.
    fn stated(&self, text: Option<&String>, key: &str) -> Markup {
        match text {
            Some(text) => html! { (text) },
            None => html! {
                "____________________ (" (self.say("not stated", "nicht angegeben")) ": " code { (key) } " "
                (self.say("under", "unter")) " " code { "[purpose]" } ")"
            },
        }
    }

    pub(super) fn head(&self) -> Markup {
        let manifest = &self.facts.manifest;
        html! {
            p.warning { (self.say("Not for publication: figures were measured with the true values.", "Nicht zur Veröffentlichung: Kennzahlen wurden an den wahren Werten gemessen.")) }
            @if !manifest.fit_for_publication {
                p.warning { (self.say("This release was made with a test seed: it must not be published.", "Diese Veröffentlichung entstand mit einem Testwert: Sie darf nicht herausgegeben werden.")) }
            }
            p { (thousands(manifest.rows)) " " (self.say("rows in", "Zeilen in")) " " (thousands(manifest.groups)) " " (self.say("groups; protected:", "Gruppen; geschützt:")) " " (manifest.guarantee.protects.join(", ")) }
        }
    }

    pub(super) fn purpose(&self) -> Markup {
        let purpose = &self.facts.purpose;
        let lines = [
            (
                self.say("Controller", "Verantwortliche Stelle"),
                &purpose.controller,
                "controller",
            ),
            (self.say("Purpose", "Zweck"), &purpose.aim, "aim"),
            (
                self.say("Recipient", "Empfänger"),
                &purpose.recipient,
                "recipient",
            ),
            (
                self.say("Contract", "Vertrag"),
                &purpose.contract,
                "contract",
            ),
            (
                self.say(
                    "Safeguards at the recipient",
                    "Schutzmaßnahmen beim Empfänger",
                ),
                &purpose.safeguards,
                "safeguards",
            ),
        ];
        html! { dl { @for (name, text, key) in lines { dt { (name) } dd { (self.stated(text.as_ref(), key)) } } } }
    }

    pub(super) fn expert(&self) -> Markup {
        html! { dl { dt { (self.say("Expert and qualification", "Sachverständige und Qualifikation")) } dd { (self.stated(self.facts.purpose.expert.as_ref(), "expert")) } } }
    }

    fn role(&self, role: &str) -> &'static str {
        match (role, self.language) {
            ("quasi-identifier", Language::English) => "quasi-identifier",
            ("quasi-identifier", Language::German) => "Quasi-Identifikator",
            ("sensitive", Language::English) => "sensitive",
            ("sensitive", Language::German) => "sensibel",
            ("identifier", Language::English) => "identifier, removed",
            ("identifier", Language::German) => "Identifikator, entfernt",
            ("drop", Language::English) => "not needed, removed",
            ("drop", Language::German) => "nicht benötigt, entfernt",
            ("other", Language::English) => "for analysis",
            ("other", Language::German) => "zur Auswertung",
            (_, Language::English) => "as the rules say",
            (_, Language::German) => "nach den Regeln",
        }
    }

    fn cells(&self, kind: Option<&str>) -> &'static str {
        let (english, german) = match kind {
            Some("interval" | "bounds") => ("interval per group", "Intervall je Gruppe"),
            Some("set") => ("set of values per group", "Wertemenge je Gruppe"),
            Some("label" | "labels") => ("hierarchy label per group", "Hierarchiestufe je Gruppe"),
            Some("sliced") => ("shuffled within the group", "innerhalb der Gruppe gemischt"),
            Some("counted") => ("counts per group", "Häufigkeiten je Gruppe"),
            _ => ("value", "Wert"),
        };
        self.language.say(english, german)
    }

    /// The inventory of columns.
    pub(super) fn columns(&self) -> Markup {
        let purpose = &self.facts.purpose;
        let blank = || "____".to_owned();
        let published = self.facts.manifest.columns.iter().map(|column| {
            let floor = column
                .floor
                .as_ref()
                .and_then(|own| serde_json::to_string(own).ok());
            let floor = floor.map_or_else(String::new, |own| own.replace(['{', '}', '"'], ""));
            let cells = self.cells(column.cells.map(|own| own.name()));
            (column.name.clone(), column.role.clone(), cells, floor)
        });
        let withheld = self.facts.withheld.iter().map(|(name, role)| {
            let never = self.say("never leaves", "verlässt das Haus nicht");
            (
                name.clone(),
                Role::name(*role).to_owned(),
                never,
                String::new(),
            )
        });
        let rows = published.chain(withheld).map(|(name, role, cells, floor)| {
            let reason = purpose.reasons.get(&name).cloned().unwrap_or_else(blank);
            let known = purpose.known_from.get(&name).cloned().unwrap_or_else(blank);
            vec![
                name,
                self.role(&role).to_owned(),
                cells.to_owned(),
                floor,
                reason,
                known,
            ]
        });
        let head = [
            self.say("column", "Spalte"),
            self.say("role", "Rolle"),
            self.say("published as", "veröffentlicht als"),
            self.say("finest form allowed", "feinste Form"),
            self.say("reason", "Begründung"),
            self.say("who could know it", "wer sie kennen könnte"),
        ];
        let caption = self.say("Columns", "Spalten");
        html! {
            @if let Some(owner) = &self.facts.owner {
                p { (thousands(owner.input_rows)) " " (self.say("rows in the input,", "Zeilen in der Eingabe,")) " " (thousands(self.facts.manifest.rows)) " " (self.say("published.", "veröffentlicht.")) }
            }
            (table(caption, &head, &rows.collect::<Vec<_>>(), &[]))
            p { (self.say("A blank (____) was not stated:", "Leerstellen (____) wurden nicht angegeben:")) " " code { "[purpose.reasons]" } ", " code { "[purpose.known-from]" } }
        }
    }

    pub(super) fn promise(&self) -> Markup {
        let manifest = &self.facts.manifest;
        let protects = manifest.guarantee.protects.join(", ");
        let is_usual = manifest.guarantee.adversary == "knows-algorithm";
        let parameters = serde_json::to_string(&manifest.model).unwrap_or_default();
        html! {
            dl {
                dt { (self.say("Model and parameters", "Modell und Parameter")) } dd { code { (parameters) } }
                dt { (self.say("Algorithm", "Algorithmus")) } dd { (manifest.algorithm) }
                dt { (self.say("Form", "Form")) } dd { (manifest.style) }
            }
            @if self.language == Language::German {
                @if let (true, Some(bound)) = (is_usual, &manifest.guarantee.max_posterior) {
                    p { "Wer alle Quasi-Identifikatoren aller Personen, dieses Programm und seine Parameter kennt, aber nicht die geheimen Zufallszahlen, und vorher jede Zuordnung der Werte zu den Personen für gleich wahrscheinlich hielt, errät den Wert von " (protects) " bei niemandem mit einer Wahrscheinlichkeit über " (bound) "." }
                }
                p { "Maßgeblich ist der Wortlaut der Veröffentlichung (englisch):" }
            }
            blockquote { (manifest.guarantee.statement) }
        }
    }

    pub(super) fn limits(&self) -> Markup {
        let limits = [
            (
                "That somebody is in the table is not hidden.",
                "Dass jemand in der Tabelle steht, wird nicht verborgen.",
            ),
            (
                "How often each protected value occurs in the whole table is published.",
                "Wie oft jeder geschützte Wert in der ganzen Tabelle vorkommt, wird veröffentlicht.",
            ),
            (
                "A reader who learns from the release how protected values go with known columns guesses better than the bound says; the next lines say how well.",
                "Wer aus der Veröffentlichung lernt, wie geschützte Werte mit bekannten Merkmalen zusammenhängen, rät besser, als die Schranke sagt; die nächsten Zeilen sagen, wie gut.",
            ),
            (
                "Another release of the same people is not covered, nor are runs that were not published and chosen from.",
                "Eine weitere Veröffentlichung über dieselben Personen ist nicht abgedeckt, auch nicht die Auswahl unter mehreren Läufen.",
            ),
        ];
        let learned = self.facts.manifest.utility.learned.iter().map(|own| {
            let shares = (percent(own.believed), percent(own.nearly_certain));
            match self.language {
                Language::English => format!("{}: a reader who learns from the release gives the likeliest value of a person a chance of {} on average, and is nearly certain (above 90 %) of {} of the people.", own.sensitive, shares.0, shares.1),
                Language::German => format!("{}: Wer aus der Veröffentlichung lernt, gibt dem wahrscheinlichsten Wert einer Person im Mittel {} und ist sich bei {} der Personen nahezu sicher (über 90 %).", own.sensitive, shares.0, shares.1),
            }
        });
        html! {
            ul { @for (english, german) in limits { li { (self.say(english, german)) } } }
            @for words in learned { p { (words) } }
        }
    }

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
        let of_rows = OF_ROWS.map(|risk| (risk, self.facts.cells.as_ref()));
        let all = of_rows
            .into_iter()
            .chain([(OF_VALUES, Some(&self.facts.after))]);
        let rows = all.map(|((name, measure), after)| {
            let (earlier, now) = (before.ok().and_then(measure), after.and_then(measure));
            let shown = |figure: Option<f64>| figure.map_or("–".to_owned(), percent);
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
                threshold.map_or("____".to_owned(), percent),
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
            p { (self.say("The first four are of people by the known cells in their rows: in the style anatomy these stay as they are, and hiding who is in the table is no part of the promise. Where columns are shuffled, no row is a person's (–). The last is of the groups' values.", "Die ersten vier betreffen Personen nach den bekannten Angaben in ihren Zeilen: Im Stil anatomy bleiben diese, wie sie sind; dass jemand in der Tabelle steht, wird nicht verborgen. Wo Spalten gemischt sind, gehört keine Zeile einer Person (–). Das letzte betrifft die Werte der Gruppen.")) }
            p { (self.say("Thresholds without a figure (____) were not stated:", "Schwellen ohne Zahl (____) wurden nicht angegeben:")) " " code { "[purpose.thresholds]" } }
        }
    }

    /// How far known columns tell people apart in the owner's table.
    pub(super) fn distinguishability(&self) -> Markup {
        let Ok(before) = &self.facts.before else {
            return html! {};
        };
        html! {
            p { (self.say("Distinguishability before: of all pairs of rows the known columns tell apart", "Unterscheidbarkeit vorher: Von allen Zeilenpaaren unterscheiden die bekannten Spalten")) " " (percent(before.disclosure.separation)) "; " (percent(before.uniqueness)) " " (self.say("of the rows are alone.", "der Zeilen sind einzig.")) }
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
        let alone = self
            .facts
            .cells
            .as_ref()
            .map(|cells| percent(cells.uniqueness));
        let public = self.facts.purpose.recipient.as_ref();
        html! {
            dl {
                dt { (self.say("Is it still possible to single out an individual?", "Lässt sich eine Person noch herausgreifen?")) }
                dd {
                    @match &alone {
                        Some(share) => { (share) " " (self.say("of the rows are alone in their published known values: somebody who knows these finds the row and its group.", "der Zeilen sind in ihren veröffentlichten bekannten Werten einzig: Wer diese kennt, findet die Zeile und ihre Gruppe.")) }
                        None => { (self.say("No row shows the known values of one person.", "Keine Zeile zeigt die bekannten Werte einer Person.")) }
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
        if let Measurement::Measured(learner) = &found.learner {
            let right = learner.accuracy_members_known.or(learner.accuracy);
            rows.push(vec![
                self.say(
                    "a reader who learns from the release, and knows everybody's group",
                    "wer aus der Veröffentlichung lernt und alle Gruppen kennt",
                )
                .to_owned(),
                right.map_or("–".to_owned(), percent),
                self.say(
                    "of the people guessed right",
                    "der Personen richtig geraten",
                )
                .to_owned(),
            ]);
        }
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

    pub(super) fn decisions(&self) -> Markup {
        let own = |text: &Option<String>| text.clone().unwrap_or_else(|| "____".to_owned());
        let decisions = self.facts.purpose.decisions.iter();
        let rows: Vec<Vec<String>> = decisions
            .map(|made| {
                vec![
                    made.what.clone(),
                    own(&made.why),
                    own(&made.by),
                    own(&made.on),
                ]
            })
            .collect();
        let head = [
            self.say("decision", "Entscheidung"),
            self.say("why", "Grund"),
            self.say("by", "durch"),
            self.say("on", "am"),
        ];
        if rows.is_empty() {
            return self.stated(None, "decisions");
        }
        table(self.say("Decisions", "Entscheidungen"), &head, &rows, &[])
    }

    pub(super) fn determination(&self) -> Markup {
        html! {
            p { "☐ " (self.say("The risk is very small that the information could be used, alone or in combination with other reasonably available information, by an anticipated recipient to identify an individual who is a subject of the information.", "Das Risiko ist sehr gering, dass ein vorgesehener Empfänger mit den Angaben, allein oder mit anderen vernünftigerweise verfügbaren Angaben, eine betroffene Person identifizieren kann.")) }
            p { (self.say("The box is the expert's to tick; nothing on this page decides it.", "Das Kästchen setzt die sachverständige Person; nichts auf dieser Seite entscheidet es.")) }
        }
    }

    pub(super) fn versions(&self) -> Markup {
        let manifest = &self.facts.manifest;
        let mut rows: Vec<Vec<String>> = Vec::new();
        if let Some((path, hash)) = &self.facts.policy {
            rows.push(vec![path.clone(), hash.clone()]);
        }
        let files = self.facts.files.iter();
        rows.extend(files.map(|file| vec![format!("release/{}", file.name), file.sha256.clone()]));
        let head = [self.say("file", "Datei"), "SHA-256"];
        let policy = self
            .facts
            .owner
            .as_ref()
            .map_or("POLICY.toml", |own| &own.policy);
        html! {
            dl {
                dt { (self.say("Program", "Programm")) } dd { "openveil " (manifest.openveil) }
                dt { (self.say("Command", "Befehl")) } dd { code { "openveil publish " (policy) } }
            }
            (table(self.say("Files", "Dateien"), &head, &rows, &[]))
            p { (self.say("The same command draws other random numbers: it gives another release with the same promise. `openveil audit` checks that these files keep what they say.", "Derselbe Befehl zieht andere Zufallszahlen: Er ergibt eine andere Veröffentlichung mit derselben Zusage. `openveil audit` prüft, dass diese Dateien halten, was sie sagen.")) }
        }
    }

    pub(super) fn signatures(&self) -> Markup {
        let stated = &self.facts.purpose.signatures;
        let usual = [
            self.say("Data owner", "Datenverantwortliche"),
            self.say("Data protection officer", "Datenschutzbeauftragte"),
        ];
        let names: Vec<&str> = if stated.is_empty() {
            usual.to_vec()
        } else {
            stated.iter().map(String::as_str).collect()
        };
        html! {
            @for name in names {
                p { (name) ": ______________________________   " (self.say("date", "Datum")) ": ______________" }
            }
        }
    }
}
