//! The parts of a page of evidence, in two languages: the owner's statements, and the measures
//! taken.

use super::Facts;
use maud::{Markup, html};
use openveil_io::policy::{Purpose, Role};
use openveil_reader::report::{Attacked, table, thousands};
use openveil_text::Language;

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

    /// A whole number, with the separator of thousands of the language.
    pub(super) fn number(&self, number: usize) -> String {
        let text = thousands(number);
        match self.language {
            Language::English => text,
            Language::German => text.replace(',', "."),
        }
    }

    pub(super) fn say<'t>(&self, english: &'t str, german: &'t str) -> &'t str {
        self.language.choose(english, german)
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
                    (self.say("Do not publish this page: figures were measured on the true values.", "Nicht zur Veröffentlichung bestimmt: Kennzahlen wurden an den Originaldaten ermittelt."))
                } @else {
                    (self.say("For the data owner and the signatories. No policy was given, so nothing was measured on the true values.", "Für die verantwortliche Stelle und die Unterzeichnenden. Es lag keine Vorgabendatei vor; an den Originaldaten wurde daher nichts ermittelt."))
                }
            }
            @if !manifest.fit_for_publication {
                p.warning { (self.say("This release was made with a test seed. It must not be published.", "Diese Veröffentlichung wurde mit einem Test-Startwert erzeugt. Sie darf nicht herausgegeben werden.")) }
            }
            @if let Purpose { controller: Some(controller), recipient: Some(recipient), aim: Some(aim), .. } = &self.facts.purpose {
                p { (controller) " " (self.say("gives data to", "gibt Daten an")) " " (recipient) ". " (self.say("Purpose:", "Zweck:")) " " (aim) "." }
            }
        }
    }

    pub(super) fn purpose(&self) -> Markup {
        let purpose = &self.facts.purpose;
        let lines = [
            (self.say("Controller", "Verantwortliche Stelle"), &purpose.controller, "controller"),
            (self.say("Purpose", "Zweck"), &purpose.aim, "aim"),
            (self.say("Recipient", "Empfänger"), &purpose.recipient, "recipient"),
            (self.say("Contract", "Vertrag"), &purpose.contract, "contract"),
            (
                self.say("Safeguards at the recipient", "Schutzmaßnahmen beim Empfänger"),
                &purpose.safeguards,
                "safeguards",
            ),
        ];
        html! { dl { @for (name, text, key) in lines { dt { (name) } dd { (self.stated(text.as_ref(), key)) } } } }
    }

    pub(super) fn expert(&self) -> Markup {
        html! { dl { dt { (self.say("Expert and qualification", "Sachverständige Person und Qualifikation")) } dd { (self.stated(self.facts.purpose.expert.as_ref(), "expert")) } } }
    }

    fn role(&self, role: &str) -> &'static str {
        match (role, self.language) {
            ("quasi-identifier", Language::English) => "quasi-identifier",
            ("quasi-identifier", Language::German) => "Quasi-Identifikator",
            ("sensitive", Language::English) => "sensitive",
            ("sensitive", Language::German) => "sensibel",
            ("identifier", Language::English) => "direct identifier, removed",
            ("identifier", Language::German) => "direkter Identifikator, entfernt",
            ("drop", Language::English) => "not needed, removed",
            ("drop", Language::German) => "nicht benötigt, entfernt",
            ("other", Language::English) => "for analysis",
            ("other", Language::German) => "zur Auswertung",
            (_, Language::English) => "depends on the rule",
            (_, Language::German) => "je nach Regel",
        }
    }

    fn cells(&self, kind: Option<&str>) -> &'static str {
        let (english, german) = match kind {
            Some("interval" | "bounds") => ("interval per group", "Intervall je Gruppe"),
            Some("set") => ("set of values per group", "Wertemenge je Gruppe"),
            Some("label" | "labels") => ("hierarchy label per group", "Hierarchiestufe je Gruppe"),
            Some("sliced") => {
                ("shuffled within the group", "innerhalb der Gruppe zufällig vertauscht")
            }
            Some("counted") => ("counts per group", "Häufigkeiten je Gruppe"),
            _ => ("exact value", "genauer Wert"),
        };
        self.language.choose(english, german)
    }

    /// The inventory of columns.
    pub(super) fn columns(&self) -> Markup {
        let purpose = &self.facts.purpose;
        let blank = || "____".to_owned();
        let published = self.facts.manifest.columns.iter().map(|column| {
            let floor = column
                .floor
                .as_ref()
                .and_then(|own| serde_json::to_string(own).ok())
                .map_or_else(String::new, |own| own.replace(['{', '}', '"'], ""));
            let cells = self.cells(column.cells.map(|own| own.name()));
            (column.name.clone(), column.role.clone(), cells, floor)
        });
        let withheld = self.facts.withheld.iter().map(|(name, role)| {
            let never = self.say("not published", "nicht veröffentlicht");
            (name.clone(), Role::name(*role).to_owned(), never, String::new())
        });
        let rows = published.chain(withheld).map(|(name, role, cells, floor)| {
            let reason = purpose.reasons.get(&name).cloned().unwrap_or_else(blank);
            let known = purpose.known_from.get(&name).cloned().unwrap_or_else(blank);
            vec![name, self.role(&role).to_owned(), cells.to_owned(), floor, reason, known]
        });
        let head = [
            self.say("column", "Spalte"),
            self.say("role", "Rolle"),
            self.say("published as", "veröffentlicht als"),
            self.say("finest form allowed", "feinste zulässige Form"),
            self.say("reason", "Begründung"),
            self.say("who could know it", "mögliche Kenntnis Dritter"),
        ];
        let caption = self.say("Columns", "Spalten");
        html! {
            @if let Some(owner) = &self.facts.owner {
                p { (self.say("Rows in the input:", "Zeilen der Eingabe:")) " " (self.number(owner.input_rows)) ". " (self.say("Rows in the release:", "Zeilen der Veröffentlichung:")) " " (self.number(self.facts.manifest.rows)) "." }
            }
            (table(caption, &head, &rows.collect::<Vec<_>>(), &[]))
            p { (self.say("Blanks (____) are not stated in the policy:", "Leerstellen (____): keine Angabe in der Vorgabendatei unter")) " " code { "[purpose.reasons]" } ", " code { "[purpose.known-from]" } }
        }
    }

    pub(super) fn promise(&self) -> Markup {
        let manifest = &self.facts.manifest;
        let parameters = serde_json::to_string(&manifest.model).unwrap_or_default();
        html! {
            dl {
                dt { (self.say("Model and parameters", "Modell und Parameter")) } dd { code { (parameters) } }
                dt { (self.say("Algorithm", "Algorithmus")) } dd { (manifest.algorithm) }
                dt { (self.say("Style", "Stil")) } dd { (manifest.style) }
            }
            @if self.language == Language::German {
                @if let Some(words) = &manifest.guarantee.statement_de { p { (words.trim_end_matches('.')) "." } }
                p { "Maßgeblich ist der englische Wortlaut der Veröffentlichung:" }
            }
            blockquote lang="en" { (manifest.guarantee.statement) }
        }
    }

    pub(super) fn decisions(&self) -> Markup {
        let own = |text: &Option<String>| text.clone().unwrap_or_else(|| "____".to_owned());
        let rows: Vec<Vec<String>> = self
            .facts
            .purpose
            .decisions
            .iter()
            .map(|made| vec![made.what.clone(), own(&made.why), own(&made.by), own(&made.on)])
            .collect();
        let head = [
            self.say("decision", "Entscheidung"),
            self.say("reason", "Begründung"),
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
            p { "☐ " (self.say("The risk is very small that the information could be used, alone or in combination with other reasonably available information, by an anticipated recipient to identify an individual who is a subject of the information.", "Das Risiko ist sehr gering, dass ein vorgesehener Empfänger anhand der Angaben, allein oder zusammen mit anderen vernünftigerweise verfügbaren Angaben, eine betroffene Person identifizieren kann.")) }
            p { (self.say("Only the expert ticks this box. Nothing on this page decides it.", "Dieses Kästchen kreuzt allein die sachverständige Person an. Keine Angabe auf dieser Seite nimmt die Entscheidung vorweg.")) }
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
        let policy = self.facts.owner.as_ref().map_or("POLICY.toml", |own| &own.policy);
        html! {
            dl {
                dt { (self.say("Program", "Programm")) } dd { "openveil " (manifest.openveil) }
                dt { (self.say("Command", "Befehl")) } dd { code { "openveil publish " (policy) } }
            }
            (table(self.say("Files", "Dateien"), &head, &rows, &[]))
            @if self.facts.policy.is_some() {
                p { (self.say("The hash of the policy is the hash of the file as it is now. The file may have changed after the release, for example to add [purpose]. This page checks only that the roles of its columns are the ones of the release.", "Der Hashwert der Vorgabendatei gehört zu ihrer jetzigen Fassung. Die Datei kann nach der Veröffentlichung geändert worden sein, etwa um [purpose] zu ergänzen. Hier wurde nur geprüft, dass die Rollen der Spalten mit der Veröffentlichung übereinstimmen.")) }
            }
            p { (self.say("Running the command again draws new random numbers and makes another release with the same guarantee. Run `openveil audit` to check these files against their manifest.", "Ein neuer Lauf des Befehls zieht neue Zufallszahlen und erzeugt eine andere Veröffentlichung mit derselben Garantie. `openveil audit` prüft, ob diese Dateien mit ihrem Manifest übereinstimmen.")) }
        }
    }

    pub(super) fn signatures(&self) -> Markup {
        let stated = &self.facts.purpose.signatures;
        let usual = [
            self.say("Data owner", "Verantwortliche Stelle"),
            self.say("Data protection officer", "Datenschutzbeauftragte Person"),
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
