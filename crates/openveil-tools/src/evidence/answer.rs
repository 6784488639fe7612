//! The first page: what a board asks, answered in figures, and signed.

use super::sections::Sections;
use maud::{Markup, html};
use openveil_io::release_dir::write::manifest::Protected;
use openveil_reader::report::{Attacked, table};

impl Sections<'_> {
    /// Says how much a reader learns because of the release, against whom the bound holds, which
    /// attacks were tried, and where the guarantee ends.
    pub(super) fn answer(&self) -> Markup {
        let guarantee = &self.facts.manifest.guarantee;
        let bound = guarantee.max_posterior.as_deref();
        html! {
            h2 { (self.say("What could somebody learn about one of our people because we publish?", "Was könnte jemand über eine unserer Personen erfahren, weil wir veröffentlichen?")) }
            (self.learned())
            dl {
                dt { (self.say("The bound", "Die Schranke")) }
                dd {
                    @match bound {
                        Some("1") => { (self.say("None: values may become certain.", "Keine: Werte können zur Gewissheit werden.")) }
                        None => { (self.say("Nothing becomes certain, and no number is promised.", "Nichts wird zur Gewissheit; eine Zahl wird nicht zugesagt.")) }
                        Some(bound) => {
                            (self.say("Whoever is named below guesses", "Wer unten genannt ist, errät")) " " (self.protected()) " "
                            (self.say("with a chance of at most", "mit einer Wahrscheinlichkeit von höchstens")) " "
                            strong { (bound) } "."
                        }
                    }
                }
                dt { (self.say("Against whom", "Gegenüber wem")) }
                dd { (self.reader()) }
                dt { (self.say("Attacks tried", "Versuchte Angriffe")) }
                dd { (self.tried()) }
                dt { (self.say("Not covered", "Nicht abgedeckt")) }
                dd { (self.limits()) }
            }
        }
    }

    /// The figures of a reader who learns from the release: in the table, outside, the difference,
    /// and what a guess without the release is worth.
    fn learned(&self) -> Markup {
        let learned = &self.facts.manifest.utility.learned;
        if learned.is_empty() {
            return html! { p { (self.say("How often a reader who learns from the release guesses right was not measured.", "Wie häufig richtig rät, wer aus der Veröffentlichung lernt, wurde nicht ermittelt.")) } };
        }
        let share = |share: Option<f64>| share.map_or("–".to_owned(), |own| self.percent(own));
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
            self.say("sensitive column", "sensible Spalte"),
            self.say("our people", "unsere Personen"),
            self.say("people like them elsewhere", "ähnliche Personen anderswo"),
            self.say("because we publish", "weil wir veröffentlichen"),
            self.say("without the release", "ohne die Veröffentlichung"),
            self.say("nearly certain", "nahezu sicher"),
        ];
        let caption = self.say(
            "Guessed right by a reader who learns from the release",
            "Richtig erraten von jemandem, der aus der Veröffentlichung lernt",
        );
        html! {
            (table(caption, &head, &rows, &[1, 2, 3, 4, 5]))
            p { (self.say("The first two figures are shares of people whose value is guessed right. Their difference is what being in the table costs a person. Without the release, somebody would always guess the most frequent value. “Nearly certain”: people about whom this reader is sure to more than 90\u{a0}%.", "Die ersten beiden Zahlen sind Anteile der Personen, deren Wert richtig erraten wird. Ihr Unterschied ist, was es eine Person kostet, in der Tabelle zu sein. Ohne die Veröffentlichung würde stets der häufigste Wert geraten. „Nahezu sicher“: Personen, bei denen die Einschätzung zu mehr als 90\u{a0}% sicher ist.")) }
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
                "Everybody who has the release, knows the given columns of a rule, all histograms, this program and its source, but not its secret random draws. Before the release, every assignment of the values to the people was equally likely to them.",
                "Alle, die die Veröffentlichung haben und die gegebenen Spalten einer Regel, alle Häufigkeiten, dieses Programm und seinen Quelltext kennen, nicht aber die geheimen Zufallszahlen. Vor der Veröffentlichung war für sie jede Zuordnung der Werte zu den Personen gleich wahrscheinlich.",
            ),
            "knows-algorithm" => self.say(
                "Everybody who has the release, knows all quasi-identifiers of everybody, this program and its source, but not its secret random draws. Before the release, every assignment of the values to the people was equally likely to them.",
                "Alle, die die Veröffentlichung haben und die Quasi-Identifikatoren aller Personen, dieses Programm und seinen Quelltext kennen, nicht aber die geheimen Zufallszahlen. Vor der Veröffentlichung war für sie jede Zuordnung der Werte zu den Personen gleich wahrscheinlich.",
            ),
            _ => self.say(
                "Only people who see the release and do not know how it was made. Whoever runs the algorithm again learns more.",
                "Nur Personen, die die Veröffentlichung sehen und nicht wissen, wie sie entstanden ist. Wer den Algorithmus nachvollzieht, erfährt mehr.",
            ),
        }
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
