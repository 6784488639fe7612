//! The usual guarantee in German, for people who sign. The English words are binding.

use super::in_present_words;

/// The end of the sentence of a table's guarantee without further terms.
const USUAL: &str = " by a reader who knows everybody's quasi-identifiers, this program and its parameters, but not its random draws, and to whom every assignment of the values to the people was equally likely before the release. Not covered: a reader who learns from the release how values go with quasi-identifiers, and guesses by that";

/// Returns the German sentence for a guarantee's statement if it is the usual one about this column
/// and bound: word for word the same guarantee. Returns `None` for any other statement, which exists
/// in English only.
pub fn in_german(statement: &str, column: &str, bound: &str) -> Option<String> {
    let usual =
        format!("nobody's value of `{column}` can be guessed with a chance above {bound}{USUAL}");
    (in_present_words(statement) == usual).then(|| {
        format!(
            "Bei keiner Person lässt sich der Wert von „{column}“ mit einer Wahrscheinlichkeit über {bound} erraten. Dies gilt gegenüber allen, die die Quasi-Identifikatoren aller Personen, dieses Programm und seine Parameter kennen, nicht aber die geheimen Zufallszahlen. Vorausgesetzt ist, dass für sie vor der Veröffentlichung jede Zuordnung der Werte zu den Personen gleich wahrscheinlich war. Nicht abgedeckt ist, wer aus der Veröffentlichung lernt, wie Werte mit Quasi-Identifikatoren zusammenhängen, und danach rät."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_usual_sentence_has_a_translation() {
        let usual =
            format!("nobody's value of `job` can be guessed with a chance above 1/3{USUAL}");
        let in_german = |statement: &str| in_german(statement, "job", "1/3");
        let german = in_german(&usual).unwrap();
        assert!(german.contains("„job“") && german.contains("über 1/3 "), "{german}");
        let earlier = usual.replace("random draws", "coins");
        assert_eq!(in_german(&earlier), Some(german));
        let more = usual.replace(" by a reader", " (values that are exempt apart) by a reader");
        assert_eq!(in_german(&more), None);
        assert_eq!(super::in_german(&usual, "pay", "1/3"), None);
        assert_eq!(in_german(&usual.replace(". Not covered", "; not covered")), None);
    }
}
