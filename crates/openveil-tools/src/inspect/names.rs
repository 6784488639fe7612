//! The words in the names of columns.

use super::words::{DESIGN, HOUSEHOLDS, IDENTIFIERS, KNOWN, SAMPLE_UNITS, SECRET, WordSubject};

/// Returns the parts of a name between signs, digits and changes of case, in small letters and
/// without accents.
pub(super) fn parts(name: &str) -> Vec<String> {
    use unicode_normalization::UnicodeNormalization;
    let plain: String = name.nfkd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)).collect();
    let plain = plain.replace('ß', "ss");
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in plain.chars() {
        let begins = c.is_uppercase() && before.is_lowercase() || !c.is_alphabetic();
        if begins && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if c.is_alphabetic() {
            let part = parts.last_mut().expect("there is always one");
            part.extend(c.to_lowercase());
        }
        before = c;
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Words that say whose, when or how much something is, but not what; they are often joined to another
/// word.
const MODIFIERS: &str = "log ln sq sqr squared years year yrs yr months month mths mnth mth mo weeks week wks wk days day hours hrs \
     num no nr total tot sum average avg mean med max min last prev previous current cur new old other oth non any ever never is has had own self part full \
     rate ratio pct perc percent percentage share index idx scale type cat group grp class cls code level lvl flag ind dummy dum \
     change chg diff high hi low lo good bad pre post base baseline begin start end first second quantity qty \
     mom mother moth mum dad father fath hus husband wife spouse sp partner head resp kid child hh fam wm wf hm hf";

/// Facts before or after which one letter often says whose they are: `educw`.
const COMMON: &str = "age agegrp educ edu college sex race hisp black white married birth born occ work job school sch union \
     wage wages inc income earnings hrs hours";

/// Returns the words of subjects in parts such as `yearsmarried`, `educw` and `blackfemale`, which consist
/// of a word and a modifier, or of two words.
pub(super) fn in_compounds(parts: &[String]) -> Vec<String> {
    parts.iter().flat_map(|part| in_compound(part)).map(str::to_owned).collect()
}

fn in_compound(part: &str) -> Vec<&str> {
    let is_one_of = |list: &str, text: &str| list.split(' ').any(|own| own == text);
    if is_one_of(MODIFIERS, part) {
        return Vec::new();
    }
    let is_subject = |word: &str| word.len() >= 3 && is_about_anything(&[word.to_owned()]);
    // A logarithm, or somebody's.
    let is_letter_of = |word: &str, letter: &str| {
        is_one_of(COMMON, word) || letter == "l" && word.len() > 4 && is_subject(word)
    };
    let fits = |word: &str, other: &str| match other.len() {
        1 => is_letter_of(word, other),
        _ => is_subject(word) && (is_one_of(MODIFIERS, other) || is_subject(other)),
    };
    let cuts = part.char_indices().skip(1).map(|(at, _)| part.split_at(at));
    let found = cuts.map(|(first, second)| {
        let words = [(first, second), (second, first)].into_iter();
        words.filter(|(word, other)| fits(word, other)).map(|(word, _)| word).collect()
    });
    found.into_iter().find(|words: &Vec<&str>| !words.is_empty()).unwrap_or_default()
}

/// Whether a name mentions any subject.
pub(super) fn is_about_anything(parts: &[String]) -> bool {
    let lists: [&'static [WordSubject]; 6] =
        [&IDENTIFIERS, &HOUSEHOLDS, &SAMPLE_UNITS, &DESIGN, &KNOWN, &SECRET];
    lists.into_iter().any(|list| speaks_of(parts, list).is_some())
}

/// Returns the first subject of a list that a name mentions.
pub(super) fn speaks_of(
    parts: &[String],
    subjects: &'static [WordSubject],
) -> Option<&'static str> {
    let speaks =
        |subject: &&WordSubject| subject.words.split_whitespace().any(|word| is_in(word, parts));
    subjects.iter().find(speaks).map(|subject| subject.what)
}

fn is_in(word: &str, parts: &[String]) -> bool {
    let joined = || parts.concat();
    match (word.strip_prefix('*'), word.strip_suffix('*')) {
        (Some(rest), _) if rest.ends_with('*') => joined().contains(rest.trim_end_matches('*')),
        (Some(end), _) => parts.iter().any(|part| part.ends_with(end)),
        (None, Some(stem)) => parts.iter().any(|part| is_of_stem(part, stem)),
        (None, None) => {
            parts.iter().any(|part| part == word) || word.len() > 4 && joined() == *word
        }
    }
}

/// The length of a stem from which any word that begins with it matches.
const LONG_STEM: usize = 5;

/// Endings of words, in the languages above. A word that begins with a short stem and has another
/// ending does not match: `ill` does not match `illinois`.
const ENDINGS: &str = "s es ed er ers en ern e n t d y a o os as i is ia ie ies ied ing ings ion ions ional al als ally \
     ity ness nesses ful ment ments ance ence ant ent ents able ible ive ic ical ics ist ists ism or ors ry ery ary age ages \
     ship hood ly th ung ungen heit heiten keit lich isch schaft haft innen in ier ieren ite ites eur euse aire ique iques ez ado \
     ada ados idad dad ista ismo mente ment miento zione zioni tore tura ta to te ti tion tions ation ations ated ate ating \
     ator isation ization cao coes dade eiro eira isme heid baar atie us um itis osis oses emia oma sart sarten art arten \
     type code grp group class cat status num nr no id yr year date dat name level lev stufe klasse gruppe jahr tag monat ort land \
     wert zahl grad ious iosity ar ars ous ure ures eth etics ene enes ol olism ette ettes er ery ology ological ologist iatric \
     iatry ics ization isations itation italized italised spital sum stoff wert steller stand weg wege zeit";

fn is_of_stem(part: &str, stem: &str) -> bool {
    let Some(rest) = part.strip_prefix(stem) else {
        return false;
    };
    rest.is_empty()
        || stem.len() >= LONG_STEM
        || (ENDINGS.split_whitespace().any(|ending| ending == rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parts("PatientID"), ["patient", "id"]);
        assert_eq!(parts("first_name2"), ["first", "name"]);
        assert_eq!(parts("Größe"), ["grosse"]);
        assert_eq!(parts("état-civil"), ["etat", "civil"]);
        assert_eq!(parts("ZIP"), ["zip"]);
        assert_eq!(parts("12"), Vec::<String>::new());
    }

    #[test]
    fn names_speak_of_subjects_in_several_languages() {
        let known = |name: &str| speaks_of(&parts(name), &KNOWN);
        for (name, what) in [
            ("Alter", "age"),
            ("AGE_GROUP", "age"),
            ("sexo", "sex"),
            ("Geburtsdatum", "birth"),
            ("code postal", "a place"),
            ("Familienstand", "family"),
            ("niveau_d_etudes", "education"),
            ("condominium", "home"),
        ] {
            assert_eq!(known(name).unwrap_or(""), what, "{name}");
        }
        let secret = |name: &str| speaks_of(&parts(name), &SECRET);
        for (name, what) in [
            ("Diagnose", "health"),
            ("Hauptdiagnose", "health"),
            ("Vorerkrankung", "health"),
            ("Medikament", "health"),
            ("Gewicht", "a measure of the body"),
            ("Todesursache", "an outcome"),
            ("maladie", "health"),
            ("realrinc", "income and means"),
            ("Einkommen", "income and means"),
            ("Bruttolohn", "income and means"),
            ("Monatsgehalt", "income and means"),
            ("smoker", "addiction"),
            ("village", ""),
            ("condominium", ""),
            ("illinois", ""),
            ("ui", ""),
        ] {
            assert_eq!(secret(name).unwrap_or(""), what, "{name}");
        }
        assert_eq!(speaks_of(&parts("accident"), &IDENTIFIERS), None);
        for (name, word) in [
            ("yearsmarried", "yearsmarried"),
            ("educw", "educ"),
            ("loginc", "inc"),
            ("lfaminc", "faminc"),
            ("diedyear", "diedyear"),
            ("drugwork", "drugwork"),
            ("ybirth", "birth"),
            ("otherrace", "race"),
            ("percentage", ""),
            ("stage", ""),
            ("kappa", ""),
        ] {
            assert_eq!(in_compounds(&parts(name)).concat(), word, "{name}");
        }
    }
}
