//! Guesses the roles of columns from their names and values, with reasons.

mod values;

use super::ColumnProfile;
use super::names::{in_compounds, is_about_anything, parts, speaks_of};
use super::words::{
    ANY_OTHER, DATES, DESIGN, HOUSEHOLDS, IDENTIFIERS, KNOWN, NUMBERS, PAPERS, PERSONS_NAMES,
    SAFE_HARBOR, SAMPLE_UNITS, SECRET,
};
use openveil_io::policy::Role;
use openveil_io::source::RawColumn;
use openveil_text::{Text, text};

/// Share of distinct values from which a column identifies people.
const NEARLY_UNIQUE: f64 = 0.95;

/// Average number of characters from which texts are sentences rather than values.
const SENTENCE: usize = 40;

/// Number of distinct values from which a column is not a list of categories.
const MANY: usize = 50;

/// The most values that are examined for a pattern.
const LOOKED_AT: usize = 200;

/// Known facts: a name that begins with one of them denotes this fact, whatever follows. `age at
/// diagnosis` is an age, but `date of arrest` is about an arrest.
pub(super) const FACTS: [&str; 6] = ["age", "sex", "birth", "origin", "family", "education"];

/// `inspect` asks about one column in so many at most.
const ONE_IN: usize = 5;

/// The reason for asking about a column.
const NO_HINT: &str = "its name gives no hint";

/// The reason for guessing that a column numbers households.
const HOUSEHOLD: &str =
    "numbers households: the rows of one household are people who may share the secret";

/// A guess, and the reason for it.
type Guess = (Role, Text);

/// Returns why a column is a secret until its owner says that it is none.
fn may_be_secret(why: Text) -> Text {
    why.and(text!(": it may be a secret"))
}

fn suggests(what: &'static str) -> Text {
    let what = Text::from(what);
    text!("its name suggests {what:text}")
}

/// Guesses the role of every column.
pub(super) fn guess(columns: &mut [ColumnProfile], raw: &[RawColumn], rows: usize) {
    let names: Vec<Vec<String>> = columns.iter().map(words).collect();
    for ((column, raw), parts) in columns.iter_mut().zip(raw).zip(&names) {
        if column.unusable.is_some() {
            continue;
        }
        let of_series = names.iter().filter(|own| *own == parts).count();
        let looked = LookedAtColumn { column, raw, parts, rows, of_series };
        let told = looked.told();
        let is_told = told.is_some();
        let (role, reason) = told.unwrap_or_else(|| looked.by_content());
        let is_household = role == Role::Identifier && looked.numbers_households();
        column.is_told = is_told;
        column.is_household = is_household;
        column.safe_harbor = safe_harbor(column, parts, role);
        column.guessed_role = role.name();
        column.reason = reason;
    }
    ask_about_few(columns);
}

/// Asks about few columns, those with the fewest values, which others are likeliest to know; all others
/// may be secrets.
fn ask_about_few(columns: &mut [ColumnProfile]) {
    let most = columns.len().div_ceil(ONE_IN);
    let mut asked: Vec<&mut ColumnProfile> =
        columns.iter_mut().filter(|own| own.guessed_role == Role::Undecided.name()).collect();
    asked.sort_by_key(|column| column.distinct);
    for column in asked.into_iter().skip(most) {
        column.guessed_role = Role::Sensitive.name();
        column.reason = may_be_secret(NO_HINT.into());
    }
}

/// Returns the words of a column's name and of its label in the codebook, which is more informative
/// than a name like `v12`.
pub(super) fn words(column: &ColumnProfile) -> Vec<String> {
    let label = column.label.as_deref().map(parts).unwrap_or_default();
    let mut words = [parts(&column.name), label].concat();
    if !is_about_anything(&words) {
        words.extend(in_compounds(&words));
    }
    words
}

/// Returns a column's kind of identifier in HIPAA's Safe Harbor. A date is one whatever its name. A
/// code with the name of a date (`admission_type_id`) is not a date.
fn safe_harbor(column: &ColumnProfile, parts: &[String], role: Role) -> Option<&'static str> {
    const CODES: [&str; 5] = ["id", "type", "source", "kind", "code"];
    if column.value_type == "date" {
        return Some(DATES);
    }
    // A column `death` of two values says whether, not when.
    let is_code = column.distinct <= 2 || parts.iter().any(|part| CODES.contains(&&**part));
    speaks_of(parts, &SAFE_HARBOR)
        .filter(|&what| what != DATES || !is_code)
        .or_else(|| (role == Role::Identifier).then_some(ANY_OTHER))
}

/// A column with facts about it.
struct LookedAtColumn<'a> {
    column: &'a ColumnProfile,
    raw: &'a RawColumn,
    parts: &'a [String],
    rows: usize,
    /// Number of columns with the same name but for its number.
    of_series: usize,
}

impl LookedAtColumn<'_> {
    /// Guesses from the name, or from values that show their meaning.
    fn told(&self) -> Option<Guess> {
        self.without_information()
            .or_else(|| self.tied())
            .or_else(|| self.person())
            .or_else(|| self.free_text())
            .or_else(|| self.named())
            .or_else(|| self.by_values())
    }

    fn without_information(&self) -> Option<Guess> {
        let dropped = |reason: &'static str| Some((Role::Drop, reason.into()));
        match self.column.distinct {
            0 => dropped("is empty"),
            1 if self.column.missing == 0 => dropped("has one value only"),
            _ if self.column.name == "group" => dropped(
                "has the same name as a column that every release adds: rename it to publish it",
            ),
            _ if self.is_row_number() && self.is_called_index() => dropped("numbers the rows"),
            _ if self.is_row_number() => Some((
                Role::Identifier,
                text!("numbers the rows: every value is different, without gaps"),
            )),
            _ => None,
        }
    }

    /// Whether its values are all different whole numbers from 0 or 1 on, without gaps.
    fn is_row_number(&self) -> bool {
        let numbers = || self.raw.values.iter().filter_map(|text| text.parse::<i64>().ok());
        self.column.value_type == "integer"
            && self.column.distinct == self.rows
            && self.rows > 1
            && numbers().min().is_some_and(|least| least == 0 || least == 1)
            && numbers()
                .max()
                .zip(numbers().min())
                .is_some_and(|(most, least)| most - least + 1 == self.rows as i64)
    }

    /// Whether its name denotes only a position in a list.
    fn is_called_index(&self) -> bool {
        let names = ["", "x", "index", "unnamed", "row", "rownames", "rowname", "rownum"];
        names.contains(&self.parts.concat().as_str())
    }

    fn is_unique(&self) -> bool {
        let present = self.rows - self.column.missing;
        present > 1 && self.column.distinct as f64 >= NEARLY_UNIQUE * present as f64
    }

    /// Whether numbers are measurements rather than codes.
    fn is_measured(&self) -> bool {
        self.column.value_type == "number"
    }

    fn person(&self) -> Option<Guess> {
        let identifier = |reason: Text| Some((Role::Identifier, reason));
        if let Some(pattern) = self.pattern() {
            let pattern = Text::from(pattern);
            return identifier(text!("contains {pattern:text}"));
        }
        let joined = self.parts.concat();
        let names_people = PERSONS_NAMES.split_whitespace().any(|name| joined.contains(name));
        if names_people && self.column.value_type == "text" {
            return identifier(text!("its name suggests a person's name"));
        }
        if ["name", "names", "patient", "person"].contains(&&*joined)
            && self.column.value_type == "text"
        {
            return identifier(text!("its name suggests names of people"));
        }
        let named = speaks_of(self.parts, &IDENTIFIERS);
        let is_dated = self.column.value_type == "date";
        let is_code = !self.is_measured() && !is_dated;
        let about = |subjects| speaks_of(self.parts, subjects);
        // Whole numbers are not dates; if they are all different, they number visits.
        let says_more = about(&KNOWN)
            .filter(|&what| what != "a date or time" || self.column.value_type != "integer")
            .is_some()
            || about(&SECRET).is_some();
        if is_code && !self.is_unique() && self.is_numbered() {
            let reason = "its name suggests a number of people, cases or stays; values repeat: some people may have several rows";
            return identifier(reason.into());
        }
        match named {
            Some(
                what @ ("an e-mail address" | "a telephone number" | "an account or card number"),
            ) if is_code && !self.is_few() => identifier(suggests(what)),
            Some(what) if is_code && self.is_unique() => {
                identifier(suggests(what).and(text!(", and its values are all different")))
            }
            // People may have several rows.
            Some(what @ ("a person's name" | "a number of a person or record"))
                if is_code
                    && !says_more
                    && 4 * self.column.distinct > self.rows
                    && !self.is_few() =>
            {
                identifier(
                    suggests(what).and(text!("; values repeat: some people may have several rows")),
                )
            }
            // Nearly all measurements may differ, too.
            None if is_code
                && self.is_unique()
                && (self.column.value_type == "text"
                    || self.column.distinct + self.column.missing == self.rows)
                && !says_more
                && !self.is_few()
                && !self.are_sentences() =>
            {
                identifier(text!("its values are all different"))
            }
            _ => None,
        }
    }

    /// Whether it numbers people, cases or stays, perhaps in several rows each. It then has many
    /// values and a name like `hospital_number` or `Fallnr`, but not like `icd_no`, `zip_no` or
    /// `age_num`.
    fn is_numbered(&self) -> bool {
        let many = self.column.distinct > MANY || 4 * self.column.distinct > self.rows;
        let parts = parts(&self.column.name);
        let Some((last, before)) = parts.split_last().filter(|_| many && !self.is_few()) else {
            return false;
        };
        let about = |parts: &[String], subjects| speaks_of(parts, subjects);
        let is_of_paper = about(&parts, &PAPERS).is_some();
        let is_fact = about(&parts, &KNOWN).is_some_and(|what| what != "an institution");
        about(std::slice::from_ref(last), &NUMBERS).is_some()
            && !is_fact
            && (is_of_paper || about(before, &SECRET).is_none())
    }

    fn is_few(&self) -> bool {
        self.column.distinct <= 20
    }

    /// Returns the kind of personal address or number that the values look like.
    fn pattern(&self) -> Option<&'static str> {
        if self.column.value_type != "text" || self.is_few() {
            return None;
        }
        let all = |fits: fn(&str) -> bool| {
            self.raw.values.iter().filter(|text| !text.is_empty()).take(LOOKED_AT).all(fits)
        };
        let is_mail = |text: &str| {
            text.split_once('@').is_some_and(|(who, host)| {
                !who.is_empty() && host.contains('.') && !host.contains(['@', ' '])
            })
        };
        [
            ("e-mail addresses", is_mail as fn(&str) -> bool),
            ("addresses on the internet", |text| {
                text.starts_with("http://")
                    || text.starts_with("https://")
                    || text.starts_with("www.")
            }),
            ("addresses of computers", |text| text.parse::<std::net::IpAddr>().is_ok()),
            ("telephone numbers", |text| {
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                text.chars().all(|c| c.is_ascii_digit() || "+-/() ".contains(c))
                    && (7..=15).contains(&digits)
                    && (text.starts_with('+') || text.contains(['(', ' ', '/']))
            }),
        ]
        .into_iter()
        .find(|(_, fits)| all(*fits))
        .map(|(what, _)| what)
    }

    fn are_sentences(&self) -> bool {
        if self.column.value_type != "text" {
            return false;
        }
        let texts = || self.raw.values.iter().filter(|text| !text.is_empty()).take(LOOKED_AT);
        let (count, length) =
            (texts().count(), texts().map(|text| text.chars().count()).sum::<usize>());
        let words = texts().map(|text| text.split_whitespace().count()).sum::<usize>();
        length > SENTENCE * count || words > 5 * count
    }

    fn free_text(&self) -> Option<Guess> {
        let is_free = self.are_sentences()
            && (self.column.distinct > MANY || 2 * self.column.distinct > self.rows);
        is_free.then(|| (Role::Drop, text!("is free text, which may contain anything")))
    }

    /// Guesses numbers of households and the like, and of the units of a survey's sample.
    fn tied(&self) -> Option<Guess> {
        let is_code = !self.is_measured() && self.column.value_type != "date";
        if speaks_of(self.parts, &SAMPLE_UNITS).is_some() && is_code {
            let reason = "numbers units of a survey's sample: needed for sampling errors, but readers do not know it";
            return Some((Role::Other, reason.into()));
        }
        self.numbers_households().then(|| (Role::Identifier, HOUSEHOLD.into()))
    }

    fn numbers_households(&self) -> bool {
        let is_code = !self.is_measured() && self.column.value_type != "date";
        let repeats = self.column.distinct + self.column.missing < self.rows;
        // A household's size, income or type is a fact about it. Such columns have few values or
        // another word in their name.
        let says_more = [
            "size",
            "income",
            "type",
            "head",
            "members",
            "status",
            "kind",
            "persons",
            "stand",
            "weight",
            "groesse",
            "einkommen",
        ];
        let is_fact = self.parts.iter().any(|part| says_more.contains(&&**part));
        let many = 4 * self.column.distinct > self.rows / 3 && !self.is_few();
        let is_of_households = speaks_of(self.parts, &HOUSEHOLDS).is_some();
        is_of_households && is_code && repeats && many && !is_fact
    }

    fn named(&self) -> Option<Guess> {
        let about = |subjects| speaks_of(self.parts, subjects);
        if self.column.value_type == "date" {
            return Some((Role::QuasiIdentifier, text!("is a date")));
        }
        if self.is_year() {
            return Some((Role::QuasiIdentifier, text!("its name is a year")));
        }
        if self.parts.iter().any(|part| part == "id") {
            return Some(self.code());
        }
        if let Some(guess) = self.grade() {
            return Some(guess);
        }
        // A `group` may be of anything; the first word shows of what.
        let first = &self.parts[..self.parts.len().min(1)];
        let secret = about(&SECRET);
        // `group_hiv` is a secret, `survey_weight` is none.
        let is_free = secret.is_none_or(|what| what == "a measure of the body");
        if let Some(what) = speaks_of(first, &DESIGN).filter(|_| is_free) {
            return Some((Role::Other, suggests(what)));
        }
        // If a name mentions both (`age at diagnosis`), the first part decides if it is a known
        // fact.
        let is_known = speaks_of(first, &KNOWN).is_some_and(|what| FACTS.contains(&what));
        if let Some(what) = secret.filter(|_| !is_known) {
            return Some((Role::Sensitive, suggests(what)));
        }
        let what = about(&KNOWN)?;
        if self.column.value_type == "text"
            && 4 * self.column.distinct > 3 * self.rows
            && what != "a place"
        {
            return Some((Role::Drop, text!("nearly every row has a different text")));
        }
        Some((Role::QuasiIdentifier, suggests(what)))
    }

    /// Guesses the role of a code from the number of its values and its subject.
    fn code(&self) -> Guess {
        let is_of_many = self.column.distinct > MANY || 4 * self.column.distinct > self.rows;
        let known = speaks_of(self.parts, &KNOWN).filter(|&what| what != "a date or time");
        match (speaks_of(self.parts, &SECRET), known) {
            _ if is_of_many => (
                Role::Identifier,
                text!("its name suggests a number or code, and there are many values"),
            ),
            (Some(what), _) => (Role::Sensitive, suggests(what)),
            (None, Some(what)) => (Role::QuasiIdentifier, suggests(what)),
            (None, None) => (Role::Other, text!("its name suggests a code with few values")),
        }
    }
}
