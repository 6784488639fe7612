use super::*;

fn shares(codes: &[u32], values: u32) -> Vec<f64> {
    let mut shares = vec![0.0; values as usize];
    for &code in codes {
        shares[code as usize] += 1.0 / codes.len() as f64;
    }
    shares
}

#[test]
fn every_value_occurs_and_the_table_is_eligible_for_ten() {
    let table = census(200_000, 1);
    for column in table.known() {
        let shares = shares(column.codes(), column.domain().len() as u32);
        assert!(shares.iter().all(|&share| share > 0.0), "{}", column.name());
    }
    let occupations = shares(table.secret().codes(), OCCUPATIONS);
    assert!(occupations.iter().all(|share| (0.001..0.09).contains(share)));
    let birthplaces = shares(table.known()[3].codes(), BIRTHPLACES);
    assert!((0.79..0.81).contains(&birthplaces[0]));
}

#[test]
fn occupations_depend_on_age_gender_and_education() {
    let table = census(200_000, 1);
    let all = shares(table.secret().codes(), OCCUPATIONS);
    let typical = [(0, 5, 0.1), (1, 0, 0.15), (2, 3, 0.5)];
    for (axis, code, least) in typical {
        let column = table.known()[axis].codes();
        let some: Vec<u32> = column
            .iter()
            .zip(table.secret().codes())
            .filter_map(|(&other, &occupation)| (other == code).then_some(occupation))
            .collect();
        let distance: f64 = shares(&some, OCCUPATIONS)
            .iter()
            .zip(&all)
            .map(|(some, all)| (some - all).abs() / 2.0)
            .sum();
        assert!(distance > least, "axis {axis}: {distance}");
    }
}

#[test]
fn a_seed_repeats_and_a_table_continues_a_smaller_one() {
    let rows = 2 * BLOCK + 10;
    let (small, large) = (census(BLOCK + 5, 3), census(rows, 3));
    let ages = |table: &View| table.known()[0].codes().to_vec();
    assert_eq!(ages(&small), ages(&large)[..BLOCK + 5]);
    assert_ne!(ages(&small), ages(&census(BLOCK + 5, 4)));
    let (first, second) = (&ages(&large)[..BLOCK], &ages(&large)[BLOCK..2 * BLOCK]);
    assert_ne!(first, second);
}

#[test]
fn the_file_holds_the_rows_of_the_table() {
    let rows = 17 * BLOCK;
    let (table, mut text) = (census(rows, 2), Vec::new());
    write_csv(rows, 2, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    let header = "age,gender,education,birthplace,occupation";
    assert_eq!(lines.next(), Some(header));
    assert_eq!(lines.clone().count(), rows);
    for (row, line) in lines.enumerate().step_by(997) {
        let mut cells: Vec<String> = table
            .known()
            .iter()
            .map(|column| column.domain().label(column.codes()[row]).to_owned())
            .collect();
        cells.push(table.secret().label(table.secret().codes()[row]));
        assert_eq!(line, cells.join(","));
    }
}

#[test]
fn incomes_belong_to_the_same_people_and_are_eligible_for_ten() {
    let (jobs, incomes) = (skewed(200_000, 1), skewed_incomes(200_000, 1));
    for (one, other) in jobs.known().iter().zip(incomes.known()) {
        assert_eq!(one.codes(), other.codes());
    }
    let shares = shares(incomes.secret().codes(), INCOMES);
    let in_bounds = |share: &f64| (0.001..0.09).contains(share);
    assert!(shares.iter().all(in_bounds), "{shares:?}");
}
