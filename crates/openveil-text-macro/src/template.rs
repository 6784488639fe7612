//! Templates of `format!`: their placeholders, and the arguments that fill them.

use proc_macro::{Ident, Literal, Span, TokenStream, TokenTree};

/// The arguments after a template.
pub struct Arguments {
    unnamed: Vec<TokenStream>,
    named: Vec<(String, TokenStream)>,
}

impl Arguments {
    /// Splits `, a, b, name = c` at its commas.
    pub fn new(tokens: impl Iterator<Item = TokenTree>) -> Self {
        let mut made = Self { unnamed: Vec::new(), named: Vec::new() };
        let mut one: Vec<TokenTree> = Vec::new();
        for token in tokens {
            match &token {
                TokenTree::Punct(mark) if mark.as_char() == ',' => {
                    made.push(std::mem::take(&mut one))
                }
                _ => one.push(token),
            }
        }
        made.push(one);
        made
    }

    /// Returns the argument of this name or number, or else the variable of this name.
    pub fn value(&self, name: &str, span: Span) -> Result<TokenStream, String> {
        match self.given(name)? {
            Some(value) => Ok(value.clone()),
            None => Ok(TokenTree::from(Ident::new(name, span)).into()),
        }
    }

    /// Returns the argument of this name or number; nothing if a variable is meant.
    fn given(&self, name: &str) -> Result<Option<&TokenStream>, String> {
        match name.parse::<usize>() {
            Ok(at) => match self.unnamed.get(at) {
                None => Err(format!("the message has no argument {at}, counted from 0")),
                found => Ok(found),
            },
            Err(_) => Ok(self.named.iter().find(|own| own.0 == name).map(|own| &own.1)),
        }
    }

    fn push(&mut self, tokens: Vec<TokenTree>) {
        match &tokens[..] {
            [] => (),
            [TokenTree::Ident(name), TokenTree::Punct(mark), value @ ..]
                if mark.as_char() == '=' && !value.is_empty() =>
            {
                self.named.push((name.to_string(), value.iter().cloned().collect()));
            }
            _ => self.unnamed.push(tokens.into_iter().collect()),
        }
    }
}

/// A part of a template. Placeholders that take the next argument are numbered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part(pub String);

impl Part {
    /// Whether it is the same for all arguments.
    pub fn is_constant(&self) -> bool {
        self.pieces().all(|piece| matches!(piece, Piece::Words(_)))
    }

    /// Returns a `Cow<'static, str>` of the part, as an expression.
    pub fn expression(&self, arguments: &Arguments, span: Span) -> Result<TokenStream, String> {
        let mut template = String::new();
        let mut given: Vec<(String, TokenStream)> = Vec::new();
        for piece in self.pieces() {
            match piece {
                Piece::Words(words) => template.push_str(words),
                Piece::Argument(name, format) => {
                    match arguments.given(name)? {
                        // The variable of this name.
                        None => template.extend(["{", name, format, "}"]),
                        Some(value) => {
                            let own = format!("argument_{name}");
                            template.extend(["{", &own, format, "}"]);
                            if !given.iter().any(|(name, _)| *name == own) {
                                given.push((own, value.clone()));
                            }
                        }
                    }
                }
            }
        }
        let mut literal;
        let path = if self.is_constant() {
            literal = Literal::string(&template.replace("{{", "{").replace("}}", "}"));
            "::std::borrow::Cow::Borrowed"
        } else {
            literal = Literal::string(&template);
            "::std::borrow::Cow::Owned"
        };
        literal.set_span(span);
        let mut inside = TokenStream::from(TokenTree::from(literal));
        if !self.is_constant() {
            for (name, value) in given {
                inside.extend(tokens(&format!(", {name} =")));
                inside.extend(value);
            }
            let mut format = tokens("::std::format!");
            format.extend([group(inside)]);
            inside = format;
        }
        let mut made = tokens(path);
        made.extend([group(inside)]);
        Ok(made)
    }

    fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            if rest.starts_with('{') && !rest.starts_with("{{") {
                let (inside, after) = rest[1..].split_once('}').unwrap_or((&rest[1..], ""));
                rest = after;
                let at = inside.find(':').unwrap_or(inside.len());
                return Some(Piece::Argument(&inside[..at], &inside[at..]));
            }
            let mut end = 0;
            while let Some(at) = rest[end..].find('{') {
                end += at;
                if !rest[end..].starts_with("{{") {
                    let (words, after) = rest.split_at(end);
                    rest = after;
                    return Some(Piece::Words(words));
                }
                end += 2;
            }
            Some(Piece::Words(std::mem::take(&mut rest)))
        })
    }
}

enum Piece<'a> {
    /// Words with doubled braces.
    Words(&'a str),
    /// The name or number of an argument, and its format with the colon.
    Argument(&'a str, &'a str),
}

/// Numbers the placeholders that take the next argument.
pub fn numbered(template: &str) -> String {
    let mut made = String::new();
    let mut next = 0;
    for piece in Part(template.to_owned()).pieces() {
        match piece {
            Piece::Words(words) => made.push_str(words),
            Piece::Argument("", format) => {
                made.push_str(&format!("{{{next}{format}}}"));
                next += 1;
            }
            Piece::Argument(name, format) => made.extend(["{", name, format, "}"]),
        }
    }
    made
}

/// Returns the text of a string literal.
pub fn unescaped(literal: &str) -> Result<String, String> {
    let strange = || format!("`text!` takes a plain string literal, not {literal}");
    let inside = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut made = String::new();
    let mut characters = inside.ok_or_else(strange)?.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            made.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => made.push('\n'),
            Some('t') => made.push('\t'),
            Some(same @ ('"' | '\\' | '\'')) => made.push(same),
            // The line goes on at the next character.
            Some('\n') => {
                let rest = characters.as_str().trim_start();
                characters = rest.chars();
            }
            _ => return Err(strange()),
        }
    }
    Ok(made)
}

/// Returns tokens of this file's own text.
pub fn tokens(text: &str) -> TokenStream {
    text.parse().expect("this crate's own text is well-formed")
}

/// Puts tokens into parentheses.
pub fn group(inside: TokenStream) -> TokenTree {
    proc_macro::Group::new(proc_macro::Delimiter::Parenthesis, inside).into()
}
