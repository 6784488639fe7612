//! The meaning of the texts of a column: numbers, days, positions in an order, bins.

use super::bins::Bin;
use super::limits::StandingNumbers;
use jiff::ToSpan;
use jiff::civil::Date;
use openveil_core::hierarchy::ROOT;
use openveil_io::load::MISSING_LABEL;
use openveil_io::policy::{Floor, Period};
use openveil_io::release_dir::read::members;
use openveil_io::release_dir::write::manifest::{CellKind, ColumnEntry, PREFIXES};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most values that are listed for a label in a set.
const MOST_SPELLED: f64 = 100_000.0;

/// The day from which days are counted.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// How the texts of a column are compared, and which values its cells cover.
#[derive(Debug)]
pub(super) struct Scale {
    pub(super) kind: TextComparison,
    /// Values that labels of a tree stand for.
    covers: BTreeMap<String, Vec<String>>,
    /// Whether cells are labels of a tree.
    has_labels: bool,
    /// The finest form in which values are published.
    floor: Option<Floor>,
    /// If the floor is a level of a hierarchy, its labels in the release.
    labels: BTreeSet<String>,
    /// Whether values are months or quarters, and labels their years.
    has_periods: bool,
    /// Whether cells are sets of labels of a tree.
    has_sets_of_labels: bool,
    /// In a tree of prefixes, the values that cells show exactly; none for other trees.
    beginnings: Option<Vec<String>>,
    /// Whether texts in braces are sets: if values are published exactly, they are values.
    has_sets: bool,
    /// Codes by their labels in the codebook.
    codes: HashMap<String, String>,
    /// The numbers that a published number stands for.
    pub(super) standing: StandingNumbers,
    /// The least and the greatest position that its cells show; missing values come before them.
    least: f64,
    greatest: f64,
}

/// How texts are compared.
#[derive(Debug)]
pub(super) enum TextComparison {
    /// For equality only.
    Text,
    /// As sets of values that a person has: of numbers, or of texts.
    Sets(bool),
    /// By their positions in a list.
    Order(TextOrder),
    /// As whole numbers.
    Whole,
    /// As numbers.
    Real(NumberSpread),
    /// As days.
    Day,
    /// As bins: intervals of numbers that are values.
    Bins(TextOrder),
}

/// Texts, least first.
#[derive(Debug)]
pub(super) struct TextOrder {
    places: HashMap<String, usize>,
    texts: Vec<String>,
}

/// How the numbers of an interval are distributed.
#[derive(Debug)]
pub(super) enum NumberSpread {
    /// On the numbers that the column's cells show, each as likely as the others.
    Known(Vec<f64>),
    /// On the whole numbers.
    Whole,
    /// Anywhere: a single number has no share.
    Even,
}

impl TextOrder {
    fn new(texts: &[String]) -> Self {
        Self { places: texts.iter().cloned().zip(0..).collect(), texts: texts.to_vec() }
    }

    /// Returns all periods of the usual centuries, and of the years that cells show.
    fn of_periods(period: Option<Period>, cells: &[String]) -> Self {
        let period = period.unwrap_or(Period::Month);
        let years = cells
            .iter()
            .flat_map(|cell| cell.split(['[', ',', ' ', ']']))
            .filter_map(|text| text.split('-').next()?.parse::<i16>().ok());
        let (mut first, mut last) = (1800, 2199);
        for year in years.filter(|year| (0..=9999).contains(year)) {
            (first, last) = (first.min(year), last.max(year));
        }
        let mut texts: Vec<String> = (first..=last)
            .flat_map(|year| (1..=12).map(move |month| (year, month)))
            .map(|(year, month)| period.text(year, month))
            .collect();
        texts.dedup();
        Self::new(&texts)
    }
}

impl NumberSpread {
    /// If the ends of cells occur at least twice on average, they are taken as all values;
    /// otherwise whole numbers stand for whole numbers.
    fn new(scale: &Scale, cells: &[String]) -> Self {
        let mut ends: Vec<f64> = Vec::new();
        for cell in cells {
            match scale.read(cell) {
                CoveredValues::Interval(low, high) => ends.extend([low, high]),
                CoveredValues::UpTo(_, high) => ends.push(high),
                _ => ends.extend(scale.place(cell)),
            }
        }
        let shown = ends.len();
        ends.sort_by(f64::total_cmp);
        ends.dedup();
        if 2 * ends.len() <= shown {
            Self::Known(ends)
        } else if ends.iter().all(|end| end.fract() == 0.0) {
            Self::Whole
        } else {
            Self::Even
        }
    }
}

/// Returns a column's codes by their labels, without labels of several codes, and labels that are codes or
/// cells themselves.
fn codes_by_label(column: &ColumnEntry, cells: &[String]) -> HashMap<String, String> {
    let Some(codebook) = &column.codes else {
        return HashMap::new();
    };
    let labels = &codebook.labels;
    let is_clear = |label: &String| {
        let is_value = labels.contains_key(label) || cells.contains(label);
        !is_value && labels.values().filter(|own| *own == label).count() == 1
    };
    let clear = labels.iter().filter(|(_, label)| is_clear(label));
    clear.map(|(code, label)| (label.clone(), code.clone())).collect()
}

impl Scale {
    /// Returns the scale of a column that shows some cells.
    pub(super) fn new(column: &ColumnEntry, cells: &[String]) -> Self {
        let period = column.floor.as_ref().and_then(Floor::period);
        let kind = match column.value_type.as_deref() {
            _ if period.is_some() => TextComparison::Order(TextOrder::of_periods(period, cells)),
            own if column.sets => TextComparison::Sets(matches!(own, Some("integer" | "number"))),
            Some("integer") => TextComparison::Whole,
            Some("number") => TextComparison::Real(NumberSpread::Even),
            Some("date") => TextComparison::Day,
            _ if Bin::are_all(&column.order) => TextComparison::Bins(TextOrder::new(&column.order)),
            _ if !column.order.is_empty() => TextComparison::Order(TextOrder::new(&column.order)),
            _ if Bin::are_all(cells) => TextComparison::Bins(TextOrder::new(&[])),
            _ => TextComparison::Text,
        };
        let mut scale = Self {
            kind,
            covers: column.covers.clone(),
            has_labels: matches!(column.cells, Some(CellKind::Label | CellKind::Labels)),
            standing: StandingNumbers::new(column),
            floor: column.floor.clone(),
            labels: BTreeSet::new(),
            has_periods: period.is_some(),
            has_sets_of_labels: column.cells == Some(CellKind::Labels),
            beginnings: None,
            // A manifest that does not state the form of cells may mean any form.
            has_sets: column.cells.is_none_or(|cells| cells == CellKind::Set),
            codes: codes_by_label(column, cells),
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
        };
        let mut ends: Vec<(f64, f64)> = Vec::new();
        let mut show = |text: &str| match scale.read(text) {
            CoveredValues::Interval(low, high) => ends.push((low, high)),
            // Only the upper end is known: the begin of present values is still to be found.
            CoveredValues::UpTo(_, high) => ends.push((high, high)),
            _ => ends.extend(scale.place(text).map(|place| (place, place))),
        };
        for cell in cells {
            match scale.read(cell) {
                CoveredValues::Members(members) => members.into_iter().for_each(&mut show),
                _ => show(cell),
            }
        }
        scale.least = ends.iter().map(|own| own.0).fold(f64::INFINITY, f64::min);
        scale.greatest = ends.iter().map(|own| own.1).fold(f64::NEG_INFINITY, f64::max);
        if column.rule.as_deref() == Some(PREFIXES) {
            let values = cells.iter().filter(|cell| !cell.ends_with(ROOT));
            scale.beginnings = Some(values.cloned().collect());
        }
        if matches!(scale.floor, Some(Floor::Level(_))) {
            let texts = cells.iter().flat_map(|cell| match members(cell) {
                Some(members) => members.map(str::to_owned).collect(),
                None => vec![cell.clone()],
            });
            let covered = column.covers.values().flatten().cloned();
            scale.labels = texts.chain(covered).collect();
        }
        scale.spell_out(cells);
        // The ends of a rule's intervals need not be values of rows.
        let is_spread = column.rule.is_none() && scale.standing.width == 0.0;
        if matches!(scale.kind, TextComparison::Real(_)) && is_spread {
            scale.kind = TextComparison::Real(NumberSpread::new(&scale, cells));
        }
        scale
    }

    /// Returns the code that a text is the label of, or the text itself.
    pub(super) fn coded<'a>(&'a self, text: &'a str) -> &'a str {
        self.codes.get(text).map_or(text, String::as_str)
    }

    /// Lists the values of labels in sets: a label made by a rule shows which whole numbers or days
    /// it stands for.
    fn spell_out(&mut self, cells: &[String]) {
        if !self.has_sets_of_labels {
            return;
        }
        let spelled: Vec<(String, Vec<String>)> = cells
            .iter()
            .filter_map(|cell| members(cell))
            .flatten()
            .filter(|label| !self.covers.contains_key(*label))
            .filter_map(|label| match self.covered(label) {
                Cow::Owned(values) => Some((label.to_owned(), values)),
                Cow::Borrowed(_) => None,
            })
            .collect();
        self.covers.extend(spelled);
    }

    /// Returns the values that a label of a tree stands for; none for other texts.
    pub(super) fn covered(&self, text: &str) -> Cow<'_, [String]> {
        if let Some(leaves) = self.covers.get(text) {
            return Cow::Borrowed(leaves);
        }
        let are_counted =
            self.has_periods || matches!(self.kind, TextComparison::Whole | TextComparison::Day);
        match self.read(text) {
            CoveredValues::Interval(low, high)
                if self.has_labels && are_counted && high - low < MOST_SPELLED =>
            {
                Cow::Owned(self.texts(low, high).collect())
            }
            _ => Cow::Borrowed(&[]),
        }
    }

    /// Returns the least and the greatest position that cells show; none if they show none.
    pub(super) fn span(&self) -> Option<(f64, f64)> {
        (self.least <= self.greatest).then_some((self.least, self.greatest))
    }

    /// Returns the values with a prefix that cells show exactly.
    pub(super) fn beginning_with<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a String> {
        self.beginnings.iter().flatten().filter(move |value| value.starts_with(start))
    }

    /// Returns the position of a text; none for plain text, or if it is not in the order.
    pub(super) fn place(&self, text: &str) -> Option<f64> {
        match &self.kind {
            TextComparison::Text | TextComparison::Sets(_) => None,
            TextComparison::Order(order) => order.places.get(text).map(|&place| place as f64),
            TextComparison::Whole | TextComparison::Real(_) | TextComparison::Bins(_) => {
                number(text)
            }
            TextComparison::Day => {
                let day: Date = text.parse().ok()?;
                Some(place_of(day))
            }
        }
    }

    /// Whether a text is finer than the published values, so that conditions cannot use it.
    pub(super) fn is_finer(&self, text: &str) -> bool {
        if text == MISSING_LABEL || self.covers.contains_key(text) {
            return false;
        }
        match &self.floor {
            // Here the number may stand for all numbers beyond a limit.
            Some(Floor::Width(_)) => self.place(text).is_some_and(|place| {
                let limited = [self.standing.top, self.standing.bottom];
                let is_beyond = limited[0].is_some_and(|top| place > top)
                    || limited[1].is_some_and(|bottom| place < bottom);
                !is_beyond && (place / self.standing.width).fract().abs() > 1e-9
            }),
            Some(Floor::Level(_)) => !self.labels.contains(text),
            Some(Floor::Period(Period::Year)) | None => false,
            Some(floor) if self.has_labels => {
                let is_label = text.ends_with(ROOT) || self.has_periods && !text.contains('-');
                !is_label && !floor.allows(text)
            }
            Some(floor) => !floor.allows(text),
        }
    }

    /// Returns the text of a position.
    pub(super) fn text(&self, place: f64) -> String {
        match &self.kind {
            TextComparison::Text | TextComparison::Sets(_) | TextComparison::Bins(_) => {
                String::new()
            }
            TextComparison::Order(order) => {
                order.texts.get(place as usize).cloned().unwrap_or_default()
            }
            TextComparison::Whole | TextComparison::Real(NumberSpread::Whole) => {
                format!("{place:.0}")
            }
            TextComparison::Real(_) => place.to_string(),
            TextComparison::Day => EPOCH
                .checked_add((place as i64).days())
                .map_or(String::new(), |day| day.to_string()),
        }
    }

    /// Returns the texts of all countable positions from one to another.
    pub(super) fn texts(&self, low: f64, high: f64) -> impl Iterator<Item = String> {
        let step = (self.standing.width as usize).max(1);
        (low as i64..=high as i64).step_by(step).map(|place| self.text(place as f64))
    }

    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            _ if matches!(self.floor, Some(Floor::Level(_))) => {
                "one of the labels that are published"
            }
            _ if matches!(self.floor, Some(Floor::Characters(_) | Floor::UsZip3)) => {
                "as short as the column's values are published"
            }
            TextComparison::Text | TextComparison::Sets(false) => "text",
            TextComparison::Sets(true) => "a number",
            TextComparison::Order(_) if self.has_periods => "a period like 2020-03 or 2020-Q1",
            TextComparison::Order(_) => "one of the values of its order",
            TextComparison::Whole if self.standing.width > 0.0 => {
                "a multiple of the column's floor"
            }
            TextComparison::Real(_) if self.standing.width > 0.0 => {
                "a multiple of the column's floor"
            }
            TextComparison::Whole => "a whole number",
            TextComparison::Real(_) => "a number",
            TextComparison::Day => "a date like 2020-03-14",
            TextComparison::Bins(_) => "a number or one of its bins",
        }
    }

    /// Whether conditions may name any text as a value.
    pub(super) fn takes_any_text(&self) -> bool {
        matches!(
            self.kind,
            TextComparison::Text
                | TextComparison::Sets(_)
                | TextComparison::Order(_)
                | TextComparison::Bins(_)
        )
    }

    /// Returns the values that a published cell covers.
    pub(super) fn read<'a>(&'a self, text: &'a str) -> CoveredValues<'a> {
        let leaves = |label| self.covers.get(label).map(|leaves| leaves.iter().map(String::as_str));
        if let Some(leaves) = leaves(text) {
            return CoveredValues::Members(leaves.collect());
        }
        // Any value of the column, including a missing one.
        if self.has_labels && text == ROOT {
            return CoveredValues::Begins("");
        }
        if let (Some(_), Some(start)) = (&self.beginnings, text.strip_suffix(ROOT)) {
            return CoveredValues::Begins(start);
        }
        if let (TextComparison::Day, true, Some((first, last))) =
            (&self.kind, self.has_labels, days(text))
        {
            return CoveredValues::Interval(first, last);
        }
        if let (TextComparison::Order(periods), true, true) =
            (&self.kind, self.has_labels, self.has_periods)
        {
            let (first, last) = (format!("{text}-"), format!("{text}-~"));
            let (low, high) = (
                periods.texts.partition_point(|own| *own < first),
                periods.texts.partition_point(|own| *own < last),
            );
            if low < high {
                return CoveredValues::Interval(low as f64, (high - 1) as f64);
            }
        }
        if let (TextComparison::Real(_), true) = (&self.kind, self.has_labels)
            && let Some(bin) = Bin::read(text).filter(|bin| bin.low < bin.high)
        {
            return CoveredValues::Interval(bin.low, bin.high);
        }
        let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        if let Some(labels) = inside('{', '}').filter(|_| self.has_sets_of_labels) {
            let mut members = Vec::new();
            for label in labels.split('|') {
                match leaves(label) {
                    Some(leaves) => members.extend(leaves),
                    None => members.push(label),
                }
            }
            return CoveredValues::Members(members);
        }
        let split = |inside: &'a str| {
            let cut =
                move |(at, comma): (usize, &str)| (&inside[..at], &inside[at + comma.len()..]);
            inside.match_indices(", ").map(cut)
        };
        match (&self.kind, inside('{', '}'), inside('[', ']')) {
            (TextComparison::Text, Some(members), _) if self.has_sets => {
                CoveredValues::Members(members.split('|').collect())
            }
            (TextComparison::Bins(order), _, Some(inside)) if !order.places.contains_key(text) => {
                split(inside)
                    .find_map(|(low, high)| {
                        let (low, high) = (*order.places.get(low)?, *order.places.get(high)?);
                        let members = order.texts.get(low..=high)?.iter();
                        Some(CoveredValues::Members(members.map(String::as_str).collect()))
                    })
                    .unwrap_or(CoveredValues::Value)
            }
            (TextComparison::Bins(_) | TextComparison::Text | TextComparison::Sets(_), ..)
            | (_, _, None) => CoveredValues::Value,
            (_, _, Some(_)) if self.place(text).is_some() => CoveredValues::Value,
            (_, _, Some(inside)) => {
                split(inside)
                    .find_map(|(low, high)| {
                        let (low, high) = match (self.place(low), self.place(high)?) {
                            // An interval that starts at a missing value does not show where present
                            // values start.
                            (None, high) if low == MISSING_LABEL => {
                                return Some(CoveredValues::UpTo(self.least.min(high), high));
                            }
                            (low, high) => (low?, high),
                        };
                        let is_interval = low <= high && (high - low).is_finite();
                        is_interval.then_some(CoveredValues::Interval(low, high))
                    })
                    .unwrap_or(CoveredValues::Value)
            }
        }
    }

    /// Whether values have positions, so that one can be between others.
    pub(super) fn has_places(&self) -> bool {
        !matches!(
            self.kind,
            TextComparison::Text | TextComparison::Sets(_) | TextComparison::Bins(_)
        )
    }

    /// Returns the text of the open interval between two positions; either may be infinite.
    pub(super) fn between_places(&self, low: f64, high: f64) -> String {
        let text = |place: f64| {
            if place.is_finite() { self.text(place) } else { place.to_string() }
        };
        format!("({}, {})", text(low), text(high))
    }

    /// Returns the two positions of a text from [`Self::between_places`].
    pub(super) fn open_interval(&self, text: &str) -> Option<(f64, f64)> {
        let place = |end: &str| match end {
            "-inf" => Some(f64::NEG_INFINITY),
            "inf" => Some(f64::INFINITY),
            _ => self.place(end),
        };
        let inside = text.strip_prefix('(')?.strip_suffix(')')?;
        let (low, high) = inside.split_once(", ").filter(|_| self.has_places())?;
        Some((place(low)?, place(high)?))
    }

    /// Whether a cell stands for several values.
    pub(super) fn is_coarse(&self, cell: &str) -> bool {
        match self.read(cell) {
            CoveredValues::Value => false,
            CoveredValues::Interval(low, high) => low < high,
            CoveredValues::Members(members) => members.len() > 1,
            CoveredValues::UpTo(..) | CoveredValues::Begins(_) => true,
        }
    }
}

/// A finite number, if a text is one.
pub(super) fn number(text: &str) -> Option<f64> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    // Turns -0 into 0.
    number.map(|number| number + 0.0)
}

/// The values that a published cell covers.
pub(super) enum CoveredValues<'a> {
    /// One value: the text itself.
    Value,
    /// All values between two.
    Interval(f64, f64),
    /// All values between two, or a missing value.
    UpTo(f64, f64),
    /// Some values, at least one.
    Members(Vec<&'a str>),
    /// All values with this prefix.
    Begins(&'a str),
}

/// Returns the first and the last day of a year, `2023`, or of a month, `2023-02`.
fn days(text: &str) -> Option<(f64, f64)> {
    let (year, month) = match text.split_once('-') {
        None => (text.parse().ok()?, None),
        Some((year, month)) => (year.parse().ok()?, Some(month.parse().ok()?)),
    };
    let first = Date::new(year, month.unwrap_or(1), 1).ok()?;
    let last = match month {
        None => first.last_of_year(),
        Some(_) => first.last_of_month(),
    };
    Some((place_of(first), place_of(last)))
}

/// Days from the first one to a day.
fn place_of(day: Date) -> f64 {
    (day.duration_since(EPOCH).as_hours() / 24) as f64
}
