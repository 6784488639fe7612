//! Minimises a smooth function: L-BFGS with an approximate curvature.
//!
//! We use our own code because the well-maintained crates do not accept an approximate curvature.
//! It saves most of the evaluations here, and each evaluation is a pass over the whole release.
//!
//! Source: Nocedal and Wright, Numerical Optimization (2006), algorithm 7.4.

/// Number of steps that are remembered.
const MEMORY: usize = 12;

/// The point at which a descent ended.
#[derive(Debug, Clone)]
pub(crate) struct Minimum {
    pub(crate) at: Vec<f64>,
    /// Number of evaluations of the function.
    pub(crate) evaluations: usize,
    /// Whether it ended by the tolerance rather than by the limit.
    pub(crate) converged: bool,
}

/// Descends from a point until a further step gains less than `tolerance`, or after `most`
/// evaluations. `solve` maps a gradient to the approximate step that makes it 0; it must be linear,
/// symmetric and positive. `function` returns value and gradient.
pub(crate) fn descend(
    start: Vec<f64>,
    solve: impl Fn(&[f64]) -> Vec<f64>,
    tolerance: f64,
    most: usize,
    mut function: impl FnMut(&[f64]) -> (f64, Vec<f64>),
) -> Minimum {
    let mut at = start;
    let (mut value, mut gradient) = function(&at);
    let mut evaluations = 1;
    let mut pairs: Vec<(Vec<f64>, Vec<f64>, f64)> = Vec::new();
    let mut factor = 1.0;
    while evaluations < most {
        let direction = direction(&gradient, &solve, factor, &pairs);
        let slope = dot(&direction, &gradient);
        if -slope / 2.0 < tolerance || !slope.is_finite() {
            return Minimum { at, evaluations, converged: true };
        }
        let mut length = 1.0;
        let (next, next_value, next_gradient) = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(at, d)| at + length * d).collect();
            let (own, gradient) = function(&next);
            evaluations += 1;
            if own <= value + 1e-4 * length * slope && own.is_finite() {
                break (next, own, gradient);
            }
            if evaluations >= most || length < 1e-8 {
                return Minimum { at, evaluations, converged: false };
            }
            // The minimum of the parabola through the known values.
            let curve = own - value - length * slope;
            let least = -slope * length * length / (2.0 * curve);
            length = if least.is_finite() {
                least.clamp(0.1 * length, 0.5 * length)
            } else {
                0.1 * length
            };
        };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let turned: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let product = dot(&moved, &turned);
        if product > 1e-12 {
            factor = product / dot(&turned, &solve(&turned));
            pairs.push((moved, turned, 1.0 / product));
            if pairs.len() > MEMORY {
                pairs.remove(0);
            }
        }
        (at, value, gradient) = (next, next_value, next_gradient);
    }
    Minimum { at, evaluations, converged: false }
}

/// The direction of the next step, by the two-loop recursion.
fn direction(
    gradient: &[f64],
    solve: &impl Fn(&[f64]) -> Vec<f64>,
    factor: f64,
    pairs: &[(Vec<f64>, Vec<f64>, f64)],
) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut weights = Vec::with_capacity(pairs.len());
    for (moved, turned, inverse) in pairs.iter().rev() {
        let weight = inverse * dot(moved, &direction);
        direction.iter_mut().zip(turned).for_each(|(d, t)| *d -= weight * t);
        weights.push(weight);
    }
    let mut direction = solve(&direction);
    direction.iter_mut().for_each(|d| *d *= factor);
    for ((moved, turned, inverse), weight) in pairs.iter().zip(weights.into_iter().rev()) {
        let other = inverse * dot(turned, &direction);
        direction.iter_mut().zip(moved).for_each(|(d, m)| *d += (weight - other) * m);
    }
    direction
}

/// The sum of the products of two vectors' entries, as many as the shorter one has. It is added up in
/// several places at once, which the processor does as fast as in one.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    const PLACES: usize = 8;
    let mut sums = [0.0; PLACES];
    let both = a.len().min(b.len());
    let (a, rest_a) = a[..both].as_chunks::<PLACES>();
    let (b, rest_b) = b[..both].as_chunks::<PLACES>();
    for (a, b) in a.iter().zip(b) {
        (0..PLACES).for_each(|place| sums[place] += a[place] * b[place]);
    }
    sums.iter().sum::<f64>() + rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by<const N: usize>(scale: [f64; N]) -> impl Fn(&[f64]) -> Vec<f64> {
        move |gradient| gradient.iter().zip(scale).map(|(g, s)| g / s).collect()
    }

    #[test]
    fn finds_the_least_value_of_rosenbrock_and_of_ill_scaled_bowls() {
        let found = descend(vec![-1.2, 1.0], by([800.0, 200.0]), 1e-12, 500, |x| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
        });
        assert!(found.converged && found.at.iter().all(|x| (x - 1.0).abs() < 1e-4), "{found:?}");
        let found = descend(vec![0.0; 3], by([1.0, 1e4, 1e-3]), 1e-12, 50, |x| {
            let scales = [1.0, 1e4, 1e-3];
            let value = x.iter().zip(scales).map(|(x, s)| s * (x - 2.0).powi(2)).sum();
            (value, x.iter().zip(scales).map(|(x, s)| 2.0 * s * (x - 2.0)).collect())
        });
        assert!(found.converged && found.evaluations < 12, "{found:?}");
    }

    #[test]
    fn products_end_with_the_shorter_vector() {
        let numbers: Vec<f64> = (0..30).map(f64::from).collect();
        for (a, b) in (0..20).flat_map(|a| (0..20).map(move |b| (a, b))) {
            let naive: f64 = (0..a.min(b)).map(|at| (at * (at + 3)) as f64).sum();
            assert_eq!(dot(&numbers[..a], &numbers[3..3 + b]), naive, "{a} and {b}");
        }
    }
}
