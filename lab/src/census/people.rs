use super::{AGES, BIRTHPLACES, EDUCATIONS, GENDERS, OCCUPATIONS};
use crate::alias::Alias;
use rand::Rng;

/// Ages of one band share a distribution of education and occupation.
pub(super) const BAND_YEARS: u32 = 10;

/// Ages as codes.
const AGE_CODES: u32 = *AGES.end() - *AGES.start() + 1;

/// One row of the census, as codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CensusRow {
    /// Years above the youngest age.
    pub age: u8,
    /// 0 or 1.
    pub gender: u8,
    /// The level of education, 0 the lowest.
    pub education: u8,
    /// The birthplace, 0 the most frequent.
    pub birthplace: u8,
    /// The occupation.
    pub occupation: u8,
}

/// The distributions from which people are drawn.
pub(super) struct CensusDistributions {
    ages: Alias,
    /// The number of people in a hundred who have the first gender; none for half of them.
    first_gender: Option<u32>,
    birthplaces: Alias,
    /// By age band and whether born in the most frequent place.
    educations: Vec<Alias>,
    /// By age band, gender and education.
    occupations: Vec<Alias>,
}

impl CensusDistributions {
    pub(super) fn new(first_gender: Option<u32>) -> Self {
        let bands = AGE_CODES.div_ceil(BAND_YEARS);
        let educations = (0..bands).flat_map(|band| {
            [false, true].map(|elsewhere| Alias::new(&education_weights(band, elsewhere)))
        });
        let occupations = (0..bands).flat_map(|band| {
            (0..GENDERS).flat_map(move |gender| {
                (0..EDUCATIONS)
                    .map(move |education| Alias::new(&occupation_weights(band, gender, education)))
            })
        });
        Self {
            ages: Alias::new(&age_weights()),
            first_gender,
            birthplaces: Alias::new(&birthplace_weights()),
            educations: educations.collect(),
            occupations: occupations.collect(),
        }
    }

    pub(super) fn draw(&self, generator: &mut impl Rng) -> CensusRow {
        let age = self.ages.draw(generator);
        let drawn = generator.next_u32();
        let gender = match self.first_gender {
            None => drawn % GENDERS,
            Some(share) => u32::from(drawn % 100 >= share),
        };
        let birthplace = self.birthplaces.draw(generator);
        let band = age / BAND_YEARS;
        let elsewhere = u32::from(birthplace > 0);
        let education = self.educations[(band * 2 + elsewhere) as usize].draw(generator);
        let occupation = (band * GENDERS + gender) * EDUCATIONS + education;
        CensusRow {
            age: age as u8,
            gender: gender as u8,
            education: education as u8,
            birthplace: birthplace as u8,
            occupation: self.occupations[occupation as usize].draw(generator) as u8,
        }
    }
}

/// Returns the weights of ages: constant up to the middle of the forties, then decreasing.
fn age_weights() -> Vec<f64> {
    let weight = |age: u32| (1.0 - (f64::from(age) - 45.0).max(0.0) / 52.0).powf(1.2);
    AGES.map(weight).collect()
}

/// Returns the weights of birthplaces: one dominates, and the others follow Zipf's law.
fn birthplace_weights() -> Vec<f64> {
    let others: f64 = (1..BIRTHPLACES).map(|place| 1.0 / f64::from(place)).sum();
    let weight = |place| match place {
        0 => 4.0 * others,
        _ => 1.0 / f64::from(place),
    };
    (0..BIRTHPLACES).map(weight).collect()
}

/// Returns the weights of education: a hump that moves down with age and is wider for people from
/// elsewhere. The youngest have not finished yet.
fn education_weights(band: u32, elsewhere: bool) -> Vec<f64> {
    let centre = match band {
        0 => 8.5,
        _ => 11.0 - 0.6 * f64::from(band),
    };
    let width = if elsewhere { 4.5 } else { 3.0 };
    (0..EDUCATIONS).map(|level| hump(f64::from(level), centre, width) + 0.02).collect()
}

/// Returns the weights of occupations: each attracts people of some level of education, age and
/// gender, and some are common, others rare.
fn occupation_weights(band: u32, gender: u32, education: u32) -> Vec<f64> {
    let weight = |occupation: u32| {
        // Steps coprime to the number of occupations spread each trait evenly
        // and independently of the others.
        let rank = |step: u32| f64::from(occupation * step % OCCUPATIONS) / f64::from(OCCUPATIONS);
        let common = 1.0 / (2.0 + 10.0 * rank(7));
        let learned = hump(f64::from(education), 16.0 * rank(13), 3.5) + 0.03;
        let aged = hump(f64::from(band), 7.0 * rank(19), 4.0) + 0.1;
        let tilt = 2.0 * rank(31) - 1.0;
        let gendered = if gender == 0 { 1.05 + tilt } else { 1.05 - tilt };
        common * learned * aged * gendered
    };
    (0..OCCUPATIONS).map(weight).collect()
}

/// Returns a bell curve of height 1.
pub(super) fn hump(at: f64, centre: f64, width: f64) -> f64 {
    (-((at - centre) / width).powi(2)).exp()
}
