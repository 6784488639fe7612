//! Measures the three risks of a pair of tables, see [`openveil_measures::audit::risks`].

use jiff::civil::Date;
use openveil_core::coins::SecretCoins;
use openveil_io::load::iso_date;
use openveil_io::source::{Batches, RawColumn, RawTable, Source};
use openveil_io::spelling::or_meant;
use openveil_io::{Error, Location};
use openveil_measures::audit::risks;
use openveil_measures::audit::risks::{Attacks, Feature, Mode, Records};
use openveil_text::text;
use std::collections::HashMap;

/// Tables to be compared, by their names in messages.
#[derive(Debug)]
pub struct Compared {
    names: Vec<String>,
    original: Records,
    other: Records,
    control: Option<Records>,
    /// The most attacks.
    pub attacks: usize,
    /// Seed of the random draws; without it they come from the operating system.
    pub seed: Option<u64>,
}

impl Compared {
    /// Reads tables. The original's columns are compared; the other tables must have them, too. A
    /// column of numbers or dates is compared as numbers if it is one in all tables.
    ///
    /// # Errors
    /// A column that another table lacks; one that has no text form.
    pub fn new(
        original: &Batches,
        other: &Batches,
        control: Option<&Batches>,
    ) -> Result<Self, Error> {
        let tables = [("original", Some(original)), ("other", Some(other)), ("control", control)];
        let tables: Vec<(&str, &Batches)> =
            tables.into_iter().filter_map(|(name, table)| Some((name, table?))).collect();
        let read: Vec<RawTable> =
            tables.iter().map(|(name, table)| read(name, table)).collect::<Result<_, Error>>()?;
        let has_numbers = |name: &str| tables.iter().all(|(_, table)| table.has_numbers(name));
        let names: Vec<String> = read[0].columns.iter().map(|column| column.name.clone()).collect();
        let mut features: Vec<Vec<Feature>> = vec![Vec::new(); read.len()];
        for name in &names {
            let columns = columns(&read, name)?;
            let numbers = has_numbers(name).then(|| numbers(&columns)).flatten();
            let found = numbers.unwrap_or_else(|| codes(&columns));
            for (own, feature) in features.iter_mut().zip(found) {
                own.push(feature);
            }
        }
        let mut records = read
            .iter()
            .zip(features)
            .map(|(table, features)| Records { features, rows: table.rows });
        let mut next = || records.next();
        let (original, other) = (next(), next());
        Ok(Self {
            names,
            original: original.expect("there are two tables"),
            other: other.expect("there are two tables"),
            control: next(),
            attacks: 500,
            seed: None,
        })
    }

    fn tables(&self) -> risks::ComparedTables<'_> {
        risks::ComparedTables {
            original: &self.original,
            other: &self.other,
            control: self.control.as_ref(),
            attacks: self.attacks,
        }
    }

    fn coins(&self) -> SecretCoins {
        self.seed.map_or_else(SecretCoins::from_os, SecretCoins::from_test_seed)
    }

    fn column(&self, name: &str) -> Result<usize, Error> {
        self.names.iter().position(|own| own == name).ok_or_else(|| {
            let error = Error::new(Location::default(), text!("unknown column `{name}`"));
            or_meant(error, name, self.names.iter().map(String::as_str), || {
                format!("there are {}", self.names.join(", "))
            })
        })
    }

    fn columns(&self, names: &[String]) -> Result<Vec<usize>, Error> {
        if names.is_empty() {
            return Err(Error::new(Location::default(), "the attacker knows no column"));
        }
        names.iter().map(|name| self.column(name)).collect()
    }

    /// As [`risks::singling_out`].
    ///
    /// # Errors
    /// None that is known.
    pub fn singling_out(&self, mode: Mode) -> Result<Attacks, Error> {
        Ok(risks::singling_out(self.tables(), mode, &mut self.coins()))
    }

    /// As [`risks::linkability`].
    ///
    /// # Errors
    /// Columns that do not exist.
    pub fn linkability(&self, parts: [&[String]; 2], neighbours: usize) -> Result<Attacks, Error> {
        let (one, two) = (self.columns(parts[0])?, self.columns(parts[1])?);
        let neighbours = neighbours.clamp(1, self.other.rows);
        let coins = &mut self.coins();
        Ok(risks::linkability(self.tables(), [&one, &two], neighbours, coins))
    }

    /// As [`risks::inference`].
    ///
    /// # Errors
    /// Columns that do not exist; a tolerance for values that are not numbers.
    pub fn inference(
        &self,
        known: &[String],
        secret: &str,
        tolerance: Option<f64>,
    ) -> Result<Attacks, Error> {
        let (known, secret) = (self.columns(known)?, self.column(secret)?);
        if tolerance.is_some() && matches!(self.original.features[secret], Feature::Codes(_)) {
            let problem =
                text!("`{}` is not numeric, so guesses are right or wrong", self.names[secret]);
            return Err(Error::new(Location::default(), problem));
        }
        let coins = &mut self.coins();
        Ok(risks::inference(self.tables(), &known, secret, tolerance, coins))
    }
}

fn read(name: &str, table: &Batches) -> Result<RawTable, Error> {
    let source = Source::of_memory(name, table.clone());
    source.read_all()
}

/// One column of every table.
fn columns<'a>(tables: &'a [RawTable], name: &str) -> Result<Vec<&'a RawColumn>, Error> {
    tables
        .iter()
        .map(|table: &'a RawTable| {
            table.columns.iter().find(|column| column.name == name).ok_or_else(|| {
                let problem = text!("has no column `{name}`, which the original has");
                Error::new(Location::file(&table.files[0]), problem)
            })
        })
        .collect()
}

/// Returns numbers, with days as numbers; none if there are other values.
fn numbers(columns: &[&RawColumn]) -> Option<Vec<Feature>> {
    let number = |text: &str| match text {
        "" => Some(f64::NAN),
        text => text.parse().ok().or_else(|| Some(f64::from(day(text)?))),
    };
    columns
        .iter()
        .map(|column| {
            let numbers: Option<Vec<f64>> = column.values.iter().map(number).collect();
            let numbers = numbers?;
            let codes = column.codes.iter();
            Some(Feature::Numbers(codes.map(|&code| numbers[code as usize]).collect()))
        })
        .collect()
}

/// Returns values as numbers that are common to all tables.
fn codes(columns: &[&RawColumn]) -> Vec<Feature> {
    let mut known: HashMap<&str, u32> = HashMap::new();
    let mut features = Vec::new();
    for column in columns {
        let mut code = |text| {
            let next = known.len() as u32;
            *known.entry(text).or_insert(next)
        };
        let own: Vec<u32> = column.values.iter().map(&mut code).collect();
        let codes = column.codes.iter().map(|&code| own[code as usize]);
        features.push(Feature::Codes(codes.collect()));
    }
    features
}

/// Days since 1970-01-01.
fn day(text: &str) -> Option<i32> {
    let date = iso_date(text)?;
    let hours = date.duration_since(Date::constant(1970, 1, 1)).as_hours();
    i32::try_from(hours / 24).ok()
}
