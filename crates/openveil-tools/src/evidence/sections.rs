//! The parts of a page of evidence, in two languages: the owner's statements, and the measures
//! taken.

use super::{Facts, Language};
use maud::{Markup, html};
use openveil_core::guarantee::in_german;
use openveil_io::policy::Role;
use openveil_reader::report::{Attacked, table, thousands};

pub(super) struct Sections<'a> {
    pub(super) facts: &'a Facts,
    pub(super) attacked: Option<&'a Attacked>,
    pub(super) language: Language,
}

impl Sections<'_> {
    /// Formats a share as a percentage, with the decimal sign of the language.
    pub(super) fn percent(&self, share: f64) -> String {
        let text = format!("{:.2}\u{a0}%", 100.0 * share);
        match self.language {
            Language::English => text,
            Language::German => text.replace('.', ","),
        }
    }

    pub(super) fn say<'t>(&self, english: &'t str, german: &'t str) -> &'t str {
        self.language.say(english, german)
    }

    /// Returns the owner's statement, or a blank that names the missing one.
    pub(super) fn stated(&self, text: Option<&String>, key: &str) -> Markup {
        match text.filter(|text| !text.trim().is_empty()) {
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
            p.warning {
                @if self.facts.before.is_ok() || self.attacked.is_some() {
                    (self.say("Not for publication: figures were measured with the true values.", "Nicht zur Veröffentlichung: Kennzahlen wurden an den wahren Werten gemessen."))
                } @else {
                    (self.say("For the owner and those who sign. No policy was given: nothing was measured with the true values.", "Für die verantwortliche Stelle und die Unterzeichnenden. Es lag keine Policy vor: Nichts wurde an den wahren Werten gemessen."))
                }
            }
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
        let parameters = serde_json::to_string(&manifest.model).unwrap_or_default();
        html! {
            dl {
                dt { (self.say("Model and parameters", "Modell und Parameter")) } dd { code { (parameters) } }
                dt { (self.say("Algorithm", "Algorithmus")) } dd { (manifest.algorithm) }
                dt { (self.say("Form", "Form")) } dd { (manifest.style) }
            }
            @if self.language == Language::German {
                @if let Some(words) = in_german(&manifest.guarantee.statement) { p { (words) } }
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
            let shares = (self.percent(own.believed), self.percent(own.nearly_certain));
            match self.language {
                Language::English => format!("{}: a reader who learns from the release gives the likeliest value of a person a chance of {} on average, and is nearly certain (above 90 %) of {} of the people.", own.sensitive, shares.0, shares.1),
                Language::German => format!("{}: Wer aus der Veröffentlichung lernt, gibt dem wahrscheinlichsten Wert einer Person im Mittel {} und ist sich bei {} der Personen nahezu sicher (über 90 %).", own.sensitive, shares.0, shares.1),
            }
        });
        html! {
            ul { @for (english, german) in limits { li { (self.say(english, german)) } } }
            @if self.facts.manifest.utility.learned.is_empty() { p { (self.say("How well was not measured.", "Wie gut, wurde nicht gemessen.")) } }
            @for words in learned { p { (words) } }
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
            @if self.facts.policy.is_some() {
                p { (self.say("The policy is the file as it is now; whether it was changed after the release (to add [purpose], for example) is not known here, but for the roles of columns, which are those of the release.", "Die Policy ist die Datei, wie sie jetzt ist; ob sie nach der Veröffentlichung geändert wurde (etwa um [purpose] zu ergänzen), ist hier nicht bekannt, bis auf die Rollen der Spalten, die denen der Veröffentlichung gleichen.")) }
            }
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
