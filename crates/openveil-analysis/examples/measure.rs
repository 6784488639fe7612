//! Temporary harness.
use openveil::algorithm::{Algorithm, Cover, Halving, Settings};
use openveil::coins::SecretCoins;
use openveil::model::{Model, RatioDiversity};
use openveil::release::{Style, publish};
use openveil::table::{Column, Domain, Secret, View};
use openveil_analysis::*;
use std::time::Instant;

fn table(path: &str, sep: char, known: &[&str], numeric: &[&str], secret: &str) -> View {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines
        .next()
        .unwrap()
        .split(sep)
        .map(|s| s.trim_matches('"'))
        .collect();
    let at = |name: &str| {
        header
            .iter()
            .position(|h| *h == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    let columns: Vec<usize> = known.iter().chain([&secret]).map(|n| at(n)).collect();
    let rows: Vec<Vec<&str>> = lines
        .map(|l| {
            let p: Vec<&str> = l.split(sep).map(|s| s.trim_matches('"')).collect();
            columns
                .iter()
                .map(|&c| *p.get(c).unwrap_or(&""))
                .collect::<Vec<_>>()
        })
        .filter(|r: &Vec<&str>| r.iter().all(|v| !v.is_empty() && *v != "NA" && *v != "?"))
        .collect();
    let encode = |c: usize, numeric: bool| {
        let mut d: Vec<&str> = rows.iter().map(|r| r[c]).collect();
        if numeric {
            d.sort_by(|a, b| {
                a.parse::<f64>()
                    .unwrap()
                    .total_cmp(&b.parse::<f64>().unwrap())
            });
        } else {
            d.sort_unstable();
        }
        d.dedup();
        let m: std::collections::HashMap<&str, u32> = d.iter().copied().zip(0..).collect();
        let codes: Vec<u32> = rows.iter().map(|r| m[r[c]]).collect();
        (
            codes,
            if numeric {
                Domain::ordered(d)
            } else {
                Domain::unordered(d)
            },
        )
    };
    let k = known
        .iter()
        .enumerate()
        .map(|(c, n)| {
            let (codes, d) = encode(c, numeric.contains(n));
            Column::new(*n, codes, d)
        })
        .collect();
    let (codes, d) = encode(known.len(), numeric.contains(&secret));
    View::new(k, Secret::of(&Column::new(secret, codes, d))).unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let get = |n: &str, d: &str| {
        args.iter()
            .position(|a| a == n)
            .map(|i| args[i + 1].clone())
            .unwrap_or(d.to_owned())
    };
    let l: u32 = get("--l", "4").parse().unwrap();
    let style = match get("--style", "anatomy").as_str() {
        "anatomy" => Style::Anatomy,
        "slice" => Style::Slice,
        _ => Style::Generalize,
    };
    let worlds: usize = get("--worlds", "8").parse().unwrap();
    let seeds: u64 = get("--seeds", "1").parse().unwrap();
    let path = get("--table", "/work/shared/data/arx-hierarchies/adult.csv");
    let known = get("--known", "sex,age,race,marital-status,education,workclass");
    let known: Vec<&str> = known.split(',').collect();
    let numeric = get("--numeric", "age");
    let numeric: Vec<&str> = numeric.split(',').collect();
    let secret = get("--secret", "occupation");
    let sep = if path.contains("arx") { ';' } else { ',' };
    let view = table(&path, sep, &known, &numeric, &secret);
    let lots: u32 = get("--lots", "0").parse().unwrap();
    let algorithm: &'static dyn Algorithm = if get("--algorithm", "cover") == "cover" {
        &Cover
    } else {
        &Halving
    };
    let model = if get("--model", "ratio") == "ratio" {
        Model::from(RatioDiversity::new(l).unwrap())
    } else {
        Model::from(openveil::model::Requirement::Distinct(
            openveil::model::DistinctDiversity { l },
        ))
    };
    let mut settings = Settings {
        keeps_marginals: style == Style::Generalize,
        ..Settings::default()
    };
    if lots > 0 {
        settings.lots = openveil::algorithm::Lots::Number(std::num::NonZeroU32::new(lots).unwrap());
    }
    let recipe = Recipe {
        algorithm,
        model,
        settings,
        style,
        strata: vec![],
    };
    let v = view.secret().values();
    println!("{} rows, {} values", view.rows(), v);
    let mut total: Vec<[f64; 8]> = vec![[0.0; 8]; known.len()];
    let view = if args.contains(&"--shuffle".to_owned()) {
        let mut codes = view.secret().codes().to_vec();
        openveil::coins::shuffle(&mut codes, &mut SecretCoins::from_test_seed(9));
        view.with_secret_codes(codes).unwrap()
    } else {
        view
    };
    let mut own: Option<Vec<Coefficient>> = None;
    for seed in 0..seeds {
        let mut coins = SecretCoins::from_test_seed(100 + seed);
        let t = Instant::now();
        let groups = recipe
            .algorithm
            .partition_with(&view, &recipe.model, &recipe.settings, &mut coins)
            .unwrap();
        let (content, membership) = publish(&view, &groups, style);
        let time = t.elapsed();
        if args.contains(&"--errors".to_owned()) {
            println!(
                "pairs triples pairs^SA {:.4?} extent",
                errors(&view, &content)
            );
            continue;
        }
        let evidence = Evidence::new(&content);
        let meaning = Meaning::of(view.known(), view.secret());
        println!(
            "{} groups {} units, publish {:?}",
            evidence.groups(),
            evidence.units().len(),
            time
        );
        let t = Instant::now();
        let a = Analysis::new(evidence, meaning, Some((&recipe, worlds)), seed).unwrap();
        let time = t.elapsed();
        let b = a.release.posteriors[0].beliefs(&vec![true; v], 1.0 / l as f64);
        // hits (anatomy: rows sorted inside groups as in content)
        let mut hits = 0usize;
        if style == Style::Anatomy {
            for g in 0..a.release.evidence.groups() {
                let mut rows: Vec<u32> = membership.get(g).to_vec();
                let key = |r: u32| {
                    view.known()
                        .iter()
                        .map(|c| c.codes()[r as usize])
                        .collect::<Vec<_>>()
                };
                rows.sort_by_key(|&r| key(r));
                let values = a.release.posteriors[0].values(g);
                for (&row, ch) in rows.iter().zip(a.release.posteriors[0].chances(g)) {
                    let best = ch
                        .iter()
                        .enumerate()
                        .max_by(|x, y| x.1.total_cmp(y.1))
                        .unwrap()
                        .0;
                    hits += usize::from(values[best] == view.secret().codes()[row as usize]);
                }
            }
        }
        if args.contains(&"--regress".to_owned()) {
            let kind = if numeric.contains(&&*secret) {
                Kind::Linear
            } else {
                Kind::Logit
            };
            let terms: Vec<Term> = (0..known.len()).map(|c| vec![c]).collect();
            let truth = own.get_or_insert_with(|| {
                let singles: openveil::table::Groups =
                    (0..view.rows() as u32).map(|r| [r]).collect();
                let (content, _) = publish(&view, &singles, Style::Anatomy);
                Analysis::new(
                    Evidence::new(&content),
                    Meaning::of(view.known(), view.secret()),
                    None,
                    1,
                )
                .unwrap()
                .regression(kind, &terms)
                .unwrap()
            });
            let t = Instant::now();
            match a.regression(kind, &terms) {
                Err(e) => println!("regression: {e}"),
                Ok(found) => {
                    let (mut num, mut den, mut overlap, mut covered, mut n, mut plain) =
                        (0.0, 0.0, 0.0, 0, 0, 0.0);
                    for (f, t) in found.iter().zip(truth.iter()) {
                        assert_eq!(f.of, t.of);
                        let e = t.figure.error;
                        if f.of.is_empty() || e > 0.5 && kind == Kind::Logit {
                            continue;
                        }
                        n += 1;
                        let w = 1.0 / (e * e);
                        num += w * f.figure.estimate * t.figure.estimate;
                        den += w * t.figure.estimate.powi(2);
                        plain += (f.figure.estimate - t.figure.estimate).abs() / e;
                        covered += usize::from(
                            f.figure.interval[0] <= t.figure.estimate
                                && t.figure.estimate <= f.figure.interval[1],
                        );
                        let [tl, th] = [t.figure.estimate - 1.96 * e, t.figure.estimate + 1.96 * e];
                        let [fl, fh] = f.figure.interval;
                        let inter = (th.min(fh) - tl.max(fl)).max(0.0);
                        overlap += 0.5 * (inter / (th - tl) + inter / (fh - fl));
                    }
                    println!(
                        "regression: {n} coefficients slope {:.3} overlap {:.3} cover {:.3} mean |error| in table errors {:.2} {:?}",
                        num / den,
                        overlap / n as f64,
                        covered as f64 / n as f64,
                        plain / n as f64,
                        t.elapsed()
                    );
                }
            }
        }
        for (c, shown) in a.release.evidence.known().iter().enumerate() {
            if let Shown::Cells { ends, ranges } = shown {
                let k = view.known()[c].domain().len();
                let mut all = vec![0.0; k];
                let mut own = Vec::new();
                let mut start = 0;
                for (g, &end) in ends.iter().enumerate() {
                    let m = a.release.evidence.rows_of(g).len() as f64;
                    let cell: Vec<usize> = ranges[start as usize..end as usize]
                        .iter()
                        .flat_map(|&(l, h)| l as usize..=h as usize)
                        .collect();
                    for &x in &cell {
                        all[x] += m / cell.len() as f64;
                    }
                    own.push((m, cell));
                    start = end;
                }
                let n: f64 = all.iter().sum();
                let p: Vec<f64> = all.iter().map(|x| x / n).collect();
                let total: f64 = p.iter().map(|x| x * (1.0 - x)).sum::<f64>() * n;
                let base: f64 = p.iter().map(|x| x * x).sum();
                let between: f64 = own
                    .iter()
                    .map(|(m, cell)| {
                        let q = 1.0 / cell.len() as f64;
                        let cross: f64 = cell.iter().map(|&x| p[x]).sum::<f64>() * q;
                        m * (q - 2.0 * cross + base)
                    })
                    .sum();
                println!("resolved {} {:.2}", known[c], between / total);
            }
        }
        if args.contains(&"--completed".to_owned()) {
            let t = Instant::now();
            let tables = a.completed(5, 3);
            println!("5 completed in {:?}", t.elapsed());
            for (c, column) in view.known().iter().enumerate() {
                let n = column.domain().len();
                let p = if numeric.contains(&known[c]) {
                    n.min(5)
                } else {
                    n
                };
                let count = |codes: &[u32], values: &[u32]| {
                    let mut m = vec![0.0; p * v];
                    for (&x, &y) in codes.iter().zip(values) {
                        m[(x as usize * p / n) * v + y as usize] += 1.0;
                    }
                    m
                };
                let truth = count(column.codes(), view.secret().codes());
                let slopes: Vec<String> = tables
                    .iter()
                    .map(|(people, values)| {
                        let e = count(people.codes(c), values);
                        let m: Vec<f64> = (0..v)
                            .map(|x| {
                                (0..p).map(|q| truth[q * v + x]).sum::<f64>() / view.rows() as f64
                            })
                            .collect();
                        let (mut num, mut den) = (0.0, 0.0);
                        for q in 0..p {
                            let t: f64 = truth[q * v..(q + 1) * v].iter().sum();
                            let es: f64 = e[q * v..(q + 1) * v].iter().sum();
                            if es > 0.0 && t > 0.0 {
                                for x in 0..v {
                                    let (de, dt) =
                                        (e[q * v + x] / es - m[x], truth[q * v + x] / t - m[x]);
                                    num += t * de * dt;
                                    den += t * dt * dt;
                                }
                            }
                        }
                        format!("{:.3}", num / den)
                    })
                    .collect();
                println!("  completed {:15} {}", known[c], slopes.join(" "));
            }
        }
        if let Some(numbers) = &a.meaning.secret_numbers {
            for (c, column) in view.known().iter().enumerate() {
                let n = column.domain().len() as u32;
                let p = if numeric.contains(&known[c]) {
                    n.min(5)
                } else {
                    n
                };
                let parts: Vec<Option<u32>> = (0..n).map(|x| Some(x * p / n)).collect();
                let ask = Ask {
                    known: vec![(c, parts.clone())],
                    parts: vec![p],
                    secret: (0..v as u32).map(Some).collect(),
                    secret_parts: v as u32,
                };
                let lists: Vec<Vec<usize>> = (0..p as usize)
                    .map(|r| (r * v..(r + 1) * v).collect())
                    .collect();
                let all: Vec<f64> = (0..ask.cells()).map(|i| numbers[i % v]).collect();
                let found = a.means(&ask, &lists, &all);
                let med = a.quantiles(&ask, &lists, &all, 0.5);
                let (mut cov, mut tot, mut line, mut cq) = (0, 0, String::new(), 0);
                for r in 0..p {
                    let mut x: Vec<f64> = (0..view.rows())
                        .filter(|&i| parts[column.codes()[i] as usize] == Some(r))
                        .map(|i| numbers[view.secret().codes()[i] as usize])
                        .collect();
                    if x.len() < 20 {
                        continue;
                    }
                    x.sort_by(f64::total_cmp);
                    let t = x.iter().sum::<f64>() / x.len() as f64;
                    let q = x[(x.len() - 1) / 2];
                    let f = found[r as usize].unwrap();
                    let g = med[r as usize].unwrap();
                    tot += 1;
                    cov += usize::from(f.interval[0] <= t && t <= f.interval[1]);
                    cq += usize::from(g.interval[0] <= q && q <= g.interval[1]);
                    line += &format!(
                        " {:.0}({:.0}±{:.0})",
                        t,
                        f.estimate,
                        (f.interval[1] - f.interval[0]) / 2.0
                    );
                }
                println!(
                    "  means {} covered {cov}/{tot} medians {cq}/{tot}:{line}",
                    known[c]
                );
            }
            println!("seed {seed}: {:?}, passes {}", time, a.fit.evaluations);
            continue;
        }
        println!(
            "seed {seed}: {:?}, passes {}; hits {:.4} mean {:.4} above {:.3} certain {:.3}",
            time,
            a.fit.evaluations,
            hits as f64 / view.rows() as f64,
            b.mean,
            b.above_bound,
            b.nearly_certain
        );
        for (c, column) in view.known().iter().enumerate() {
            let parts: Vec<Option<u32>> = if numeric.contains(&known[c]) {
                let n = column.domain().len() as u32;
                (0..n).map(|x| Some(x * 5 / n)).collect()
            } else {
                (0..column.domain().len() as u32).map(Some).collect()
            };
            let n = parts.iter().flatten().max().unwrap() + 1;
            let ask = Ask {
                known: vec![(c, parts.clone())],
                parts: vec![n],
                secret: (0..v as u32).map(Some).collect(),
                secret_parts: v as u32,
            };
            let e = a.release.counts(&ask);
            let w = a.in_worlds(&ask);
            let mut truth = vec![0.0; ask.cells()];
            for (r, &x) in view.secret().codes().iter().enumerate() {
                truth[parts[column.codes()[r] as usize].unwrap() as usize * v + x as usize] += 1.0;
            }
            let m = w.len() as f64;
            let off: Vec<f64> = (0..ask.cells())
                .map(|i| w.iter().map(|(e, t)| e[i] - t[i]).sum::<f64>() / m)
                .collect();
            let sd: Vec<f64> = (0..ask.cells())
                .map(|i| {
                    let s2 = w
                        .iter()
                        .map(|(e, t)| (e[i] - t[i] - off[i]).powi(2))
                        .sum::<f64>()
                        / (m - 1.0);
                    let c: f64 = std::env::var("WIDE").map_or(0.5, |t| t.parse().unwrap());
                    (s2.max(e.variances[i]) + (c * off[i]).powi(2)).sqrt()
                })
                .collect();
            let tq = match w.len() {
                8 => 2.365,
                16 => 2.131,
                20 => 2.093,
                4 => 3.182,
                _ => 2.0,
            };
            let stats = |est: &[f64]| {
                let m: Vec<f64> = (0..v)
                    .map(|x| {
                        (0..n as usize).map(|p| truth[p * v + x]).sum::<f64>() / view.rows() as f64
                    })
                    .collect();
                let (mut num, mut den, mut err, mut wrong, mut all) = (0.0, 0.0, 0.0, 0, 0);
                for p in 0..n as usize {
                    let t: f64 = truth[p * v..(p + 1) * v].iter().sum();
                    let es: f64 = est[p * v..(p + 1) * v].iter().map(|x| x.max(0.0)).sum();
                    for x in 0..v {
                        let (de, dt) = (
                            est[p * v + x].max(0.0) / es - m[x],
                            truth[p * v + x] / t - m[x],
                        );
                        num += t * de * dt;
                        den += t * dt * dt;
                        err += t * (de - dt) * (de - dt);
                        if dt.abs() > 0.02 && t >= 30.0 {
                            all += 1;
                            if (de > 0.0) != (dt > 0.0) {
                                wrong += 1;
                            }
                        }
                    }
                }
                (num / den, wrong, all, (err / den).sqrt())
            };
            let even = {
                let mut even = vec![0.0; ask.cells()];
                for g in 0..a.release.evidence.groups() {
                    let rows = a.release.evidence.rows_of(g);
                    let k = rows.len() as f64;
                    for r in rows.clone() {
                        for s in rows.clone() {
                            even[parts[a.release.people[0].codes(c)[r] as usize].unwrap()
                                as usize
                                * v
                                + a.release.evidence.values()[s] as usize] += 1.0 / k;
                        }
                    }
                }
                even
            };
            let figures = a.counts(&ask);
            let corrected: Vec<f64> = figures.iter().map(|f| f.estimate).collect();
            let (mut covered, mut cells) = (0, 0);
            for i in 0..ask.cells() {
                if truth[i] >= 20.0 {
                    cells += 1;
                    if figures[i].interval[0] <= truth[i] && truth[i] <= figures[i].interval[1] {
                        covered += 1;
                    }
                }
            }
            let (ev, f, co) = (stats(&even), stats(&e.counts), stats(&corrected));
            println!(
                "  {:15} even {:.2} {}/{} | fit {:.2} {} {:.2} | corrected {:.3} {}/{} {:.3} cover {:.3}",
                known[c],
                ev.0,
                ev.1,
                ev.2,
                f.0,
                f.1,
                f.3,
                co.0,
                co.1,
                co.2,
                co.3,
                covered as f64 / cells as f64
            );
            for (x, y) in total[c].iter_mut().zip([
                ev.0,
                ev.1 as f64,
                f.0,
                f.1 as f64,
                co.0,
                co.1 as f64,
                co.3,
                covered as f64 / cells as f64,
            ]) {
                *x += y / seeds as f64;
            }
        }
    }
    for (c, t) in total.iter().enumerate() {
        println!(
            "mean {:15} even {:.2} {:.1} | fit {:.2} {:.1} | corrected {:.3} {:.1} {:.3} cover {:.3}",
            known[c], t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7]
        );
    }
}

#[allow(dead_code)]
fn errors(view: &View, content: &openveil::release::Content) -> [f64; 3] {
    use openveil::utility::{Kind, Workload};
    [
        Kind::of_dimension(2),
        Kind::of_dimension(3),
        Kind::of_dimension(2).with_sensitive(),
    ]
    .map(|kind| Workload::random(view, &kind, 1000, 0).mean_error(view, content))
}
