//! Builds all mutants of a crate at once.
//!
//! `cargo mutants` changes one place, compiles, tests, and begins again: thousands of builds. Here
//! its list of mutants is written into the source together, each behind a number that a variable
//! of the environment names when the tests run (*mutant schemata*, Untch et al. 1993): one build.
//!
//! ```text
//! openveil-mutants LIST.json LEFT_OUT CRATE_SRC
//! ```
//!
//! `LIST.json` is from `cargo mutants --list --json`; `LEFT_OUT` has the numbers of mutants that do
//! not compile, one per line. Prints a line per mutant: number, file, first and last line of the
//! rewritten place, and the change. Deleted arms and fields are not made.

use proc_macro2::LineColumn;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

#[derive(Debug, Deserialize)]
struct Mutant {
    name: String,
    file: String,
    genre: String,
    replacement: String,
    span: Span,
}

#[derive(Debug, Deserialize, Clone, Copy)]
struct Span {
    start: Place,
    end: Place,
}

/// Counted from 1.
#[derive(Debug, Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: usize,
    column: usize,
}

/// A mutant's number, and what it puts in place.
type Numbered<'a> = (usize, &'a Mutant);

/// An expression that is rewritten.
struct Node {
    from: usize,
    to: usize,
    /// The operands, of which a unary operator has one.
    operands: Vec<(usize, usize)>,
    /// The operator as it is.
    operator: String,
    /// Others in its place, by mutant.
    others: Vec<(usize, String)>,
}

/// Where lines of a text start.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self([0].into_iter().chain(ends).collect())
    }

    /// The byte at a line, counted from 1, and a column, counted from 0 in characters.
    fn at(&self, text: &str, line: usize, column: usize) -> usize {
        let start = self.0[line - 1];
        let rest = &text[start..];
        start
            + rest
                .char_indices()
                .nth(column)
                .map_or(rest.len(), |(at, _)| at)
    }

    fn place(&self, text: &str, place: Place) -> usize {
        self.at(text, place.line, place.column - 1)
    }

    fn location(&self, text: &str, place: LineColumn) -> usize {
        self.at(text, place.line, place.column)
    }
}

/// Finds the expressions whose operators have mutants.
struct Finder<'a> {
    text: &'a str,
    lines: &'a Lines,
    by_operator: &'a BTreeMap<usize, Vec<Numbered<'a>>>,
    nodes: Vec<Node>,
}

impl Finder<'_> {
    fn range(&self, of: &impl Spanned) -> (usize, usize) {
        let span = of.span();
        let place = |at| self.lines.location(self.text, at);
        (place(span.start()), place(span.end()))
    }

    fn add(&mut self, whole: (usize, usize), operands: Vec<(usize, usize)>, own: (usize, usize)) {
        let Some(mutants) = self.by_operator.get(&own.0) else {
            return;
        };
        let others = mutants.iter();
        let others = others.map(|(number, mutant)| (*number, mutant.replacement.clone()));
        self.nodes.push(Node {
            from: whole.0,
            to: whole.1,
            operands,
            operator: self.text[own.0..own.1].to_owned(),
            others: others.collect(),
        });
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_expr_binary(&mut self, node: &'a syn::ExprBinary) {
        // `let` in a condition cannot stand in a branch.
        let has_let = |side: &syn::Expr| {
            let mut found = Lets(false);
            found.visit_expr(side);
            found.0
        };
        if !has_let(&node.left) && !has_let(&node.right) {
            let operands = vec![self.range(&*node.left), self.range(&*node.right)];
            self.add(self.range(node), operands, self.range(&node.op));
        }
        visit::visit_expr_binary(self, node);
    }

    // Constants are computed at compile time, where there is no environment.
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}

    fn visit_expr_unary(&mut self, node: &'a syn::ExprUnary) {
        let operands = vec![self.range(&*node.expr)];
        self.add(self.range(node), operands, self.range(&node.op));
        visit::visit_expr_unary(self, node);
    }
}

struct Lets(bool);

impl<'a> Visit<'a> for Lets {
    fn visit_expr_let(&mut self, _: &'a syn::ExprLet) {
        self.0 = true;
    }
}

/// A text with nodes rewritten and pieces put in.
struct Writer<'a> {
    text: &'a str,
    nodes: &'a [Node],
    /// By position.
    pieces: &'a BTreeMap<usize, String>,
}

impl Writer<'_> {
    /// Returns a rewritten part of the text; pieces before a place are in already.
    fn part(&self, from: usize, to: usize, mut pieces_from: usize) -> String {
        let mut written = String::new();
        let mut at = from;
        while at < to {
            let outermost = self.nodes.iter();
            let outermost = outermost.filter(|node| node.from >= at && node.to <= to);
            let next = outermost.min_by_key(|node| (node.from, usize::MAX - node.to));
            let piece = self.pieces.range(pieces_from..to).next();
            match (next, piece) {
                (Some(node), piece) if piece.is_none_or(|(own, _)| *own > node.from) => {
                    written.push_str(&self.text[at..node.from]);
                    written.push_str(&self.node(node));
                    at = node.to;
                    pieces_from = at;
                }
                (_, Some((&own, piece))) => {
                    written.push_str(&self.text[at..own]);
                    written.push_str(piece);
                    at = own;
                    pieces_from = own + 1;
                }
                _ => {
                    written.push_str(&self.text[at..to]);
                    at = to;
                }
            }
        }
        written
    }

    fn node(&self, node: &Node) -> String {
        let branch =
            |operator: &str, operand: &dyn Fn((usize, usize)) -> String| match node.operands[..] {
                [only] => format!("{operator}({})", operand(only)),
                [left, right] => {
                    format!("({}) {operator} ({})", operand(left), operand(right))
                }
                _ => unreachable!("one operand or two"),
            };
        let plain = |(from, to): (usize, usize)| self.text[from..to].to_owned();
        let others = node.others.iter();
        let others =
            others.map(|(number, other)| format!("\n{number} => {{ {} }}", branch(other, &plain)));
        let others: String = others.collect();
        let numbers: Vec<u32> = node
            .others
            .iter()
            .map(|(number, _)| *number as u32)
            .collect();
        // Text before the first operand also precedes the whole expression.
        let inner =
            |(from, to): (usize, usize)| self.part(from, to, from + usize::from(from == node.from));
        let whole = branch(&node.operator, &inner);
        format!("(match crate::mutant(&{numbers:?}) {{{others}\n_ => {{ {whole} }} }})")
    }
}

/// Code that is added to the crate's root. A test run with `REACHED` writes a file of the mutants
/// that it reaches: it can notice only these.
const SWITCH: &str = r#"
/// Which mutant runs; `here` are those of the place that asks.
pub(crate) fn mutant(here: &[u32]) -> u32 {
    use std::sync::atomic::{AtomicBool, Ordering};
    static MUTANT: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    static REACHED: std::sync::OnceLock<Option<std::ffi::OsString>> = std::sync::OnceLock::new();
    static SEEN: [AtomicBool; 1 << 14] = [const { AtomicBool::new(false) }; 1 << 14];
    if let Some(path) = REACHED.get_or_init(|| std::env::var_os("REACHED")) {
        for number in here.iter().filter(|&&number| !SEEN[number as usize].swap(true, Ordering::Relaxed)) {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            std::io::Write::write_all(&mut file, format!("{number}\n").as_bytes()).unwrap();
        }
    }
    *MUTANT.get_or_init(|| std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}
"#;

fn rewritten(text: &str, mutants: &[Numbered<'_>]) -> Result<String, Box<dyn Error>> {
    let lines = Lines::of(text);
    let mut by_operator: BTreeMap<usize, Vec<Numbered<'_>>> = BTreeMap::new();
    let mut pieces: BTreeMap<usize, String> = BTreeMap::new();
    for &(number, mutant) in mutants {
        let start = lines.place(text, mutant.span.start);
        let end = lines.place(text, mutant.span.end);
        match mutant.genre.as_str() {
            "BinaryOperator" | "UnaryOperator" => {
                by_operator.entry(start).or_default().push((number, mutant));
            }
            "FnValue" => pieces.entry(start).or_default().push_str(&format!(
                "\nif crate::mutant(&[{number}]) == {number} {{ return {}; }}\n",
                mutant.replacement
            )),
            "MatchArmGuard" => {
                let is = match mutant.replacement.as_str() {
                    "true" => format!("crate::mutant(&[{number}]) == {number} || "),
                    _ => format!("crate::mutant(&[{number}]) != {number} && "),
                };
                pieces
                    .entry(start)
                    .or_default()
                    .push_str(&format!("\n{is}("));
                pieces.entry(end).or_default().insert(0, ')');
            }
            _ => {}
        }
    }
    let mut finder = Finder {
        text,
        lines: &lines,
        by_operator: &by_operator,
        nodes: Vec::new(),
    };
    finder.visit_file(&syn::parse_file(text)?);
    let writer = Writer {
        text,
        nodes: &finder.nodes,
        pieces: &pieces,
    };
    Ok(writer.part(0, text.len(), 0))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [list, left_out, source] = &arguments[..] else {
        return Err("openveil-mutants LIST.json LEFT_OUT CRATE_SRC".into());
    };
    let mutants: Vec<Mutant> = serde_json::from_str(&std::fs::read_to_string(list)?)?;
    let left_out = std::fs::read_to_string(left_out)?;
    let left_out: BTreeSet<usize> = left_out.lines().map(str::parse).collect::<Result<_, _>>()?;
    let mut by_file: BTreeMap<&str, Vec<Numbered<'_>>> = BTreeMap::new();
    for (number, mutant) in (1..).zip(&mutants) {
        let is_made = !["MatchArm", "StructField"].contains(&mutant.genre.as_str());
        if is_made && !left_out.contains(&number) {
            by_file
                .entry(&mutant.file)
                .or_default()
                .push((number, mutant));
            println!("{number}\t{}", mutant.name);
        }
    }
    for (file, mutants) in by_file {
        // Of the list the path is from the workspace's root.
        let (_, inside) = file.split_once("/src/").ok_or("a file of a crate")?;
        let path = Path::new(source).join(inside);
        let text = rewritten(&std::fs::read_to_string(&path)?, &mutants)?;
        std::fs::write(&path, text)?;
    }
    let root = Path::new(source).join("lib.rs");
    let text = std::fs::read_to_string(&root)?;
    std::fs::write(root, text + SWITCH)?;
    Ok(())
}
