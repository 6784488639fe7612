//! The first page: what a board asks, answered in figures, and signed. It has no words of the field.

use super::sections::Sections;
use maud::{Markup, html};
use openveil_io::policy::Role;
use openveil_io::release_dir::write::manifest::Protected;
use openveil_reader::report::{Attacked, table};

/// The most columns that are named in a sentence.
const MOST_NAMED: usize = 8;

impl Sections<'_> {
    /// Says who is protected against whom, how well, which attacks were tried, and where the guarantee
    /// ends.
    pub(super) fn answer(&self) -> Markup {
        html! {
            h2 { (self.say("What could somebody learn about one of our people because we publish?", "Was könnte jemand über eine unserer Personen erfahren, weil wir veröffentlichen?")) }
            dl {
                dt { (self.say("Who is protected", "Wer geschützt ist")) }
                dd { (self.people()) }
                dt { (self.say("Against whom", "Gegenüber wem")) }
                dd { (self.reader()) }
                dt { (self.say("The bound", "Die Schranke")) }
                dd { (self.bound()) }
            }
            (self.learned())
            dl {
                dt { (self.say("Attacks tried", "Versuchte Angriffe")) }
                dd { (self.tried()) }
                dt { (self.say("Not covered", "Nicht abgedeckt")) }
                dd { ul { @for limit in self.limits() { li { (limit) } } } }
            }
        }
    }

    fn bound(&self) -> Markup {
        match self.facts.manifest.guarantee.max_posterior.as_deref() {
            Some("1") => {
                html! { (self.say("None: values may become certain.", "Keine: Werte können zur Gewissheit werden.")) }
            }
            None => {
                html! { (self.say("Nothing becomes certain, and no number is promised.", "Nichts wird zur Gewissheit; eine Zahl wird nicht zugesagt.")) }
            }
            Some(bound) => html! {
                (self.say("They guess", "Sie erraten")) " " (self.protected()) " "
                (self.say("with a chance of at most", "mit einer Wahrscheinlichkeit von höchstens")) " "
                strong { (bound) } "."
            },
        }
    }

    /// The people of the release, what nobody may learn of them, and what others may know.
    fn people(&self) -> Markup {
        let manifest = &self.facts.manifest;
        let known: Vec<&str> = manifest
            .columns
            .iter()
            .filter(|column| column.role == Role::QuasiIdentifier.name())
            .map(|column| &*column.name)
            .collect();
        html! {
            (self.number(manifest.rows)) " " (self.say("rows about people, in", "Zeilen über Personen, in")) " "
            (self.number(manifest.groups)) " " (self.say("groups. Secret:", "Gruppen. Geheim:")) " "
            (manifest.guarantee.protects.join(", ")) "."
            @if !known.is_empty() {
                " " (self.say("Others may know:", "Andere können kennen:")) " "
                (known.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", "))
                @if known.len() > MOST_NAMED { ", …" } @else { "." }
            }
        }
    }

    /// The figures of a reader who learns from the release: in the table, outside, the difference,
    /// and what a guess without the release is worth.
    fn learned(&self) -> Markup {
        let learned = &self.facts.manifest.utility.learned;
        if learned.is_empty() {
            return html! { p { (self.say("How often somebody guesses right who learns from the release was not measured.", "Wie häufig richtig rät, wer aus der Veröffentlichung lernt, wurde nicht ermittelt.")) } };
        }
        let share = |share: Option<f64>| {
            let shown =
                |own: f64| self.language.number(&format!("{:.1}\u{a0}%", 100.0 * own)).into_owned();
            share.map_or("–".to_owned(), shown)
        };
        let rows: Vec<Vec<String>> = learned
            .iter()
            .map(|own| {
                vec![
                    own.sensitive.clone(),
                    share(Some(own.believed)),
                    share(own.outside),
                    share(own.because()),
                    share(own.most_frequent),
                    share(Some(own.nearly_certain)),
                ]
            })
            .collect();
        let head = [
            self.say("secret", "Geheimnis"),
            self.say("our people", "unsere Personen"),
            self.say("people like them elsewhere", "ähnliche Personen anderswo"),
            self.say("because we publish", "weil wir veröffentlichen"),
            self.say("without the release", "ohne die Veröffentlichung"),
            self.say("nearly certain", "nahezu sicher"),
        ];
        let caption = self.say(
            "How often somebody guesses right who learns from the release",
            "Wie häufig richtig rät, wer aus der Veröffentlichung lernt",
        );
        html! {
            (table(caption, &head, &rows, &[1, 2, 3, 4, 5]))
            p { (self.say("The third figure is the difference of the first two: the cost of being in the table. Without the release, somebody would always guess the most frequent value. “Nearly certain”: people about whom the guess is sure to more than 90\u{a0}%.", "Die dritte Zahl ist der Unterschied der ersten beiden: was es kostet, in der Tabelle zu sein. Ohne die Veröffentlichung würde stets der häufigste Wert geraten. „Nahezu sicher“: Personen, bei denen die Einschätzung zu mehr als 90\u{a0}% sicher ist.")) }
        }
    }

    fn protected(&self) -> String {
        let listed = |columns: &[String], between: &str| columns.join(between);
        match self.facts.manifest.protected() {
            Protected::Nothing => self.say("a value", "einen Wert").to_owned(),
            Protected::One(column) => {
                format!("{} {column}", self.say("a person's", "bei einer Person"))
            }
            Protected::Each(columns) => format!(
                "{} {}{}",
                self.say("a person's", "bei einer Person"),
                listed(columns, self.say(" or ", " oder ")),
                self.say(", each by itself,", ", jeweils für sich,")
            ),
            Protected::Together(columns) => format!(
                "{} {} {}",
                self.say("a person's combination of", "bei einer Person die Kombination von"),
                listed(columns, self.say(" and ", " und ")),
                self.say("(not each by itself)", "(nicht jede Spalte für sich)")
            ),
            Protected::ByRules(columns) => format!(
                "{} {}{}",
                self.say("a person's", "bei einer Person"),
                listed(columns, self.say(" or ", " oder ")),
                self.say(
                    ", where a rule protects it from this reader,",
                    ", soweit eine Regel davor schützt,"
                )
            ),
        }
    }

    fn reader(&self) -> &'static str {
        match &*self.facts.manifest.guarantee.adversary {
            "knows-algorithm" if !self.facts.manifest.rules.is_empty() => self.say(
                "Everybody who has the release, even if they know the columns that a rule names as known, how often each value occurs, this program and its source. They do not know the random numbers that formed the groups, and had no reason before to think a value likelier for one person than for another.",
                "Alle, die die Veröffentlichung haben, auch wenn sie die Spalten, die eine Regel als bekannt nennt, die Häufigkeiten der Werte, dieses Programm und seinen Quelltext kennen. Sie kennen nicht die Zufallszahlen, mit denen die Gruppen gebildet wurden, und hatten zuvor keinen Grund, einen Wert bei einer Person für wahrscheinlicher zu halten als bei einer anderen.",
            ),
            "knows-algorithm" => self.say(
                "Everybody who has the release, even if they know all of this about everybody, this program and its source. They do not know the random numbers that formed the groups, and had no reason before to think a value likelier for one person than for another.",
                "Alle, die die Veröffentlichung haben, auch wenn sie dies alles von allen Personen, dieses Programm und seinen Quelltext kennen. Sie kennen nicht die Zufallszahlen, mit denen die Gruppen gebildet wurden, und hatten zuvor keinen Grund, einen Wert bei einer Person für wahrscheinlicher zu halten als bei einer anderen.",
            ),
            _ => self.say(
                "Only people who see the release and do not know how it was made. Whoever runs the program again learns more.",
                "Nur Personen, die die Veröffentlichung sehen und nicht wissen, wie sie entstanden ist. Wer das Programm erneut ausführt, erfährt mehr.",
            ),
        }
    }

    /// The limits of the guarantee.
    fn limits(&self) -> Vec<&'static str> {
        let manifest = &self.facts.manifest;
        let mut limits = vec![
            self.say(
                "The release does not hide that a person is in the table, and shows how often each secret value occurs in it.",
                "Die Veröffentlichung verbirgt nicht, dass eine Person in der Tabelle enthalten ist, und zeigt, wie häufig jeder geheime Wert darin vorkommt.",
            ),
            self.say(
                "The bound does not cover somebody who learns from the release, or from elsewhere, how secret values go with what others may know. The figures above say how often guesses from the release are right.",
                "Die Schranke gilt nicht gegenüber jemandem, der aus der Veröffentlichung oder anderswoher lernt, wie geheime Werte mit dem zusammenhängen, was andere kennen können. Wie häufig anhand der Veröffentlichung richtig geraten wird, zeigen die Zahlen oben.",
            ),
            self.say(
                "Another release about the same people, and a choice among several runs, even if only one of them is published.",
                "Eine weitere Veröffentlichung über dieselben Personen, und eine Auswahl unter mehreren Läufen, selbst wenn nur einer davon veröffentlicht wird.",
            ),
        ];
        let mut models = manifest.rules.iter().map(|rule| &rule.model).chain([&manifest.model]);
        if models.any(|model| !model.exempt.is_empty()) {
            limits.push(self.say(
                "Values that the owner declared to need no protection may become certain; the public report lists them.",
                "Werte, die nach Angabe der verantwortlichen Stelle keinen Schutz brauchen, können zur Gewissheit werden; der öffentliche Bericht nennt sie.",
            ));
        }
        if manifest.persons.is_none() {
            limits.push(self.say(
                "A person with several rows: the bound covers each row.",
                "Eine Person mit mehreren Zeilen: Die Schranke gilt für jede Zeile.",
            ));
        }
        limits
    }

    /// Says whether the page can be signed as it is, and what is to be settled before.
    pub(super) fn signable(&self) -> Markup {
        let open = self.unsettled();
        html! {
            @if open.is_empty() {
                p { (self.say("Nothing found or stated here stands against a signature. Whether the risk is acceptable is the decision of those who sign.", "Nichts, was hier ermittelt oder angegeben ist, steht einer Unterschrift entgegen. Ob das Risiko vertretbar ist, entscheiden die Unterzeichnenden.")) }
            } @else {
                p { strong { (self.say("Not ready for a signature. To settle before:", "Noch nicht zur Unterschrift bereit. Vorher zu klären:")) } " " (open.join("; ")) "." }
            }
        }
    }

    fn unsettled(&self) -> Vec<String> {
        let (facts, purpose) = (self.facts, &self.facts.purpose);
        let mut open: Vec<String> = Vec::new();
        if !facts.manifest.fit_for_publication {
            open.push(
                self.say(
                    "the release is marked as unfit for publication",
                    "die Veröffentlichung ist als nicht geeignet gekennzeichnet",
                )
                .to_owned(),
            );
        }
        match self.attacked {
            Some(Attacked::Found(found)) if found.promise_broken() => {
                open.push(
                    self.say(
                        "an attack broke the guarantee",
                        "ein Angriff hat die Garantie verletzt",
                    )
                    .to_owned(),
                );
            }
            Some(Attacked::Found(_)) => {}
            None | Some(Attacked::NotPossible(_)) => {
                open.push(
                    self.say("no attack was tried", "kein Angriff wurde versucht").to_owned(),
                );
            }
        }
        if self.measured_risks().iter().any(|risk| risk.is_met() == Some(false)) {
            open.push(
                self.say(
                    "a measured risk exceeds its threshold",
                    "ein ermitteltes Risiko überschreitet seinen Schwellenwert",
                )
                .to_owned(),
            );
        }
        let stated = [
            (self.say("who publishes", "wer veröffentlicht"), &purpose.controller),
            (self.say("the purpose", "der Zweck"), &purpose.aim),
            (self.say("the recipient", "der Empfänger"), &purpose.recipient),
        ];
        let missing =
            stated.iter().filter(|(_, text)| text.as_ref().is_none_or(|own| own.trim().is_empty()));
        let missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
        if !missing.is_empty() {
            open.push(format!(
                "{} {}",
                self.say("not stated:", "nicht angegeben:"),
                missing.join(", ")
            ));
        }
        open
    }

    fn tried(&self) -> Markup {
        html! {
            @match self.attacked {
                None | Some(Attacked::NotPossible(_)) => { (self.say("None; the annex says why.", "Keine; der Anhang sagt, warum.")) }
                Some(Attacked::Found(found)) if found.promise_broken() => { strong { (self.say("An attack BROKE the guarantee.", "Ein Angriff hat die Garantie VERLETZT.")) } }
                Some(Attacked::Found(_)) => { (self.say("Running the program again, searching groups, using background knowledge, learning. No attack broke the guarantee.", "Das Programm erneut ausführen, Gruppen durchsuchen, Hintergrundwissen nutzen, lernen. Kein Angriff hat die Garantie verletzt.")) }
            }
        }
    }
}
