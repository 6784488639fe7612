//! The frame of a page: one file, no script, for screens of any size and for paper.

use crate::picture::{Bars, Picture};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use openveil_io::without_control;
use openveil_text::{Language, text};
use std::fmt::Display;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #ffffff; --soft: #f1f3f5; --line: #767b80; --strong: #00507c; --warn: #8a1c00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --paper: #15181b; --soft: #22272c; --line: #8b949c; --strong: #8fcdf5; --warn: #ffb39c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 46rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); } h3 { font-size: 1.05rem; margin-bottom: .3rem; }
blockquote::first-letter { text-transform: uppercase; }
blockquote { margin: 1rem 0; padding: .6rem 1rem; border-left: .3rem solid var(--strong); background: var(--soft); font-size: 1.1rem; }
.warning { padding: .6rem 1rem; border: 2px solid var(--warn); color: var(--warn); font-weight: bold; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; } caption { text-align: left; padding-bottom: .3rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top; overflow-wrap: normal; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .85em; overflow-wrap: anywhere; }
figure { margin: .8rem 0; max-width: 32rem; } figcaption { font-weight: bold; } figure svg { width: 100%; height: auto; } svg text { fill: var(--ink); } svg .paper { fill: none; }
details { font-size: .9rem; } summary { cursor: pointer; color: var(--strong); }
a { color: var(--strong); } dt { font-weight: bold; } dd { margin: 0 0 .5rem 1rem; }
@page { margin: 14mm; }
@media print { body { max-width: none; padding: 0; font-size: 10pt; line-height: 1.4; } dd { margin-bottom: .3rem; } h1 { margin: 0; } h2 { margin: 1rem 0 .4rem; } p, ul { margin: .4rem 0; } ul { padding-left: 1.2rem; } .warning { padding: .2rem .6rem; } h2, h3, figcaption { break-after: avoid; } figure, tr { break-inside: avoid; } .wide { overflow: visible; } figure { max-width: 24rem; } details { display: none; } .annexes { break-before: page; } }
";

/// Returns the beginning of a page in a language.
pub(super) fn beginning(language: Language) -> String {
    format!("{}<html lang=\"{}\">", DOCTYPE.into_string(), language.code())
}

/// Returns a whole page in a language from a title and a body.
pub fn frame(title: impl Display, language: Language, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // The page loads nothing from elsewhere, whatever the table contains.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    without_control(page.into_string())
}

/// Returns a sentence; keys and names, in backquotes, are set apart.
pub(super) fn said(sentence: impl Display) -> Markup {
    html! {
        @for (place, part) in sentence.to_string().split('`').enumerate() {
            @if place % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Returns a table with a head; the columns in `numbers` are right-aligned.
pub fn table(
    caption: impl Display,
    head: &[impl Display],
    rows: &[Vec<impl Display>],
    numbers: &[usize],
) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for name in head { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (place, cell) in row.iter().enumerate() {
                            @if numbers.contains(&place) { td.number { (cell) } } @else { td { (cell) } }
                        } }
                    }
                }
            }
        }
    }
}

/// Pictures in the order in which they were shown.
#[derive(Debug, Default)]
pub(super) struct Pictures(pub(super) Vec<Picture>);

impl Pictures {
    /// Shows bars and their table. `name` becomes a unique file name.
    pub(super) fn bars(&mut self, name: &str, what: impl Display, bars: &Bars) -> Markup {
        let picture = Picture::from((&*self.file_name(name), bars.clone()));
        let svg = picture.svg.clone();
        self.0.push(picture);
        let mut head = vec![what.to_string()];
        head.extend(bars.series.iter().map(|series| series.name.clone()));
        let rows: Vec<Vec<String>> = bars
            .names
            .iter()
            .enumerate()
            .map(|(row, name)| {
                let texts = bars.series.iter().map(|series| series.texts[row].clone());
                std::iter::once(name.clone()).chain(texts).collect()
            })
            .collect();
        let numbers: Vec<usize> = (1..head.len()).collect();
        html! {
            figure {
                figcaption { (bars.title) }
                (PreEscaped(svg))
                details {
                    summary { (text!("Show as a table")) }
                    (table(&bars.title, &head, &rows, &numbers))
                }
            }
        }
    }
}

/// The most characters of a picture's name, well below what file systems take in any script.
const LONGEST_NAME: usize = 50;

impl Pictures {
    /// Returns a file name of letters, digits and dashes, with a number if another picture has the
    /// same name, ignoring case.
    fn file_name(&self, name: &str) -> String {
        let plain: String = name
            .chars()
            .take(LONGEST_NAME)
            .map(|c| if c.is_alphanumeric() { c } else { '-' })
            .collect();
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        std::iter::once(plain.clone())
            .chain(numbered)
            .find(|name| {
                self.0
                    .iter()
                    .map(|own| own.name.to_lowercase())
                    .all(|own| own != name.to_lowercase())
            })
            .expect("numbers do not end")
    }
}
