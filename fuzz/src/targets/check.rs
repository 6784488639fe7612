//! Compares independent checks with a second implementation of the definitions.

use arbitrary::{Arbitrary, Unstructured};
use openveil_core::model::{Model, RatioDiversity};
use openveil_core::release::{Content, Style, check, publish};
use openveil_core::table::{Column, Domain, Groups, Secret, View};
use openveil_papers::verify::l_cover::certificate;

/// A table with a number and a value for each row, and arbitrary groups.
#[derive(Debug, Arbitrary)]
struct FuzzedGroups {
    l: u8,
    style: bool,
    exempt: bool,
    rows: Vec<(u8, u8, u8)>,
    /// A modification of the release: the row, and its new value.
    tampering: Option<(u8, u8)>,
}

const VALUES: u32 = 6;

impl FuzzedGroups {
    fn of(data: &[u8]) -> Option<(Self, View, Groups, RatioDiversity)> {
        let mut case = Self::arbitrary(&mut Unstructured::new(data)).ok()?;
        case.rows.truncate(24);
        let codes = |of: fn(&(u8, u8, u8)) -> u32| case.rows.iter().map(of).collect();
        let known = Column::new("x", codes(|row| row.0.into()), Domain::integers(0..256));
        let labels = (0..VALUES).map(|value| value.to_string());
        let values = codes(|row| u32::from(row.1) % VALUES);
        let secret = Column::new("s", values, Domain::unordered(labels));
        let secret = Secret::from_column(&match case.exempt {
            true => secret.with_exempt((0..VALUES).map(|value| value == 0).collect::<Vec<_>>()),
            false => secret,
        });
        let view = View::new(vec![known], secret).ok()?;
        let labels: Vec<u32> = case.rows.iter().map(|row| u32::from(row.2) % 5).collect();
        let groups = Groups::from_labels(&labels, 5);
        let groups: Groups =
            groups.iter().filter(|group| !group.is_empty()).map(<[u32]>::to_vec).collect();
        let model = RatioDiversity::new(u32::from(case.l % 4) + 2).ok()?;
        Some((case, view, groups, model))
    }
}

/// Whether no group has a protected value more often than one row in l, or has fewer than l rows.
fn holds(view: &View, groups: &Groups, l: u32) -> bool {
    let values = view.secret().codes();
    let is_kept = |group: &[u32], value: u32| {
        let rows = group.iter().filter(|&&row| values[row as usize] == value).count();
        view.secret().exempt()[value as usize] || rows as u32 * l <= group.len() as u32
    };
    groups.iter().all(|group| (0..VALUES).all(|value| is_kept(group, value)))
}

/// The check accepts correct content and nothing else.
pub(super) fn check(data: &[u8]) {
    let Some((case, view, groups, model)) = FuzzedGroups::of(data) else {
        return;
    };
    let style = if case.style { Style::Generalize } else { Style::Slice };
    let (content, membership) = publish(&view, &groups, style);
    let (content, tampered) = tampered(content, case.tampering);
    let l = model.l();
    let passed = check::release(&content, &view, &membership, &Model::from(model), style).is_ok();
    // A group of less than l rows can hold only exempt values, but is still too small.
    let sizes = groups.iter().all(|group| group.len() as u32 >= l);
    let is_kept = !tampered && holds(&view, &groups, l);
    assert!(!passed || is_kept, "a release passed that should not have");
    assert!(passed || !is_kept || !sizes, "a release was refused that keeps everything");
}

/// Replaces the value of one row; also returns whether it differs.
fn tampered(content: Content, tampering: Option<(u8, u8)>) -> (Content, bool) {
    let Some((row, value)) = tampering else {
        return (content, false);
    };
    let mut end = 0;
    let ends = content.group_sizes().map(|size| {
        end += size;
        end
    });
    let mut values = content.row_values().to_vec();
    let row = row as usize % values.len();
    let is_other = values[row] != u32::from(value) % VALUES;
    values[row] = u32::from(value) % VALUES;
    let made = Content::from_parts(ends.collect(), values, content.cells().to_vec());
    (made.expect("the same shape"), is_other)
}

/// There is a certificate exactly if the model holds, and it passes its check.
pub(super) fn certificate(data: &[u8]) {
    let Some((_, view, groups, model)) = FuzzedGroups::of(data) else {
        return;
    };
    let made = certificate::Certificate::new(&view, &groups, model);
    assert_eq!(made.is_ok(), holds(&view, &groups, model.l()));
    if let Ok(made) = made {
        certificate::check(&made, &view, &groups, model).expect("ours");
    }
}
