//! Templates of `format!`: their placeholders, and the arguments that fill them.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token};

/// A template with its arguments.
pub struct Filled {
    pub template: LitStr,
    unnamed: Vec<TokenStream>,
    named: Vec<(String, TokenStream)>,
}

impl Parse for Filled {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut filled = Self { template: input.parse()?, unnamed: Vec::new(), named: Vec::new() };
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let is_named =
                input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]);
            if is_named {
                let name: Ident = input.parse()?;
                input.parse::<Token![=]>()?;
                filled.named.push((name.to_string(), until_comma(input)?));
            } else {
                filled.unnamed.push(until_comma(input)?);
            }
        }
        Ok(filled)
    }
}

/// Takes the tokens up to the next comma.
fn until_comma(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut taken = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        taken.extend([input.parse::<TokenTree>()?]);
    }
    Ok(taken)
}

impl Filled {
    /// Returns the argument of this name or number, or else the variable of this name.
    pub fn value(&self, name: &str) -> syn::Result<TokenStream> {
        let variable = || Ident::new(name, self.template.span()).into_token_stream();
        Ok(self.given(name)?.cloned().unwrap_or_else(variable))
    }

    /// Returns the argument of this name or number; nothing if a variable is meant.
    fn given(&self, name: &str) -> syn::Result<Option<&TokenStream>> {
        let Ok(at) = name.parse::<usize>() else {
            return Ok(self.named.iter().find(|own| own.0 == name).map(|own| &own.1));
        };
        let missing = || format!("the message has no argument {at}, counted from 0");
        let found = self.unnamed.get(at);
        found.map(Some).ok_or_else(|| syn::Error::new(self.template.span(), missing()))
    }

    /// Returns a `Cow<'static, str>` of a part of the template, as an expression.
    pub fn part(&self, part: &Part) -> syn::Result<TokenStream> {
        let mut template = String::new();
        let mut given: Vec<(Ident, &TokenStream)> = Vec::new();
        for piece in part.pieces() {
            match piece {
                Piece::Words(words) => template.push_str(words),
                Piece::Argument(name, format) => match self.given(name)? {
                    // The variable of this name.
                    None => template.extend(["{", name, format, "}"]),
                    Some(value) => {
                        let own = format_ident!("argument_{name}");
                        template.extend(["{", &own.to_string(), format, "}"]);
                        if !given.iter().any(|(known, _)| *known == own) {
                            given.push((own, value));
                        }
                    }
                },
            }
        }
        let span = self.template.span();
        if part.is_constant() {
            let words = LitStr::new(&template.replace("{{", "{").replace("}}", "}"), span);
            return Ok(quote!(::std::borrow::Cow::Borrowed(#words)));
        }
        let (template, names) = (LitStr::new(&template, span), given.iter().map(|own| &own.0));
        let values = given.iter().map(|own| own.1);
        Ok(quote!(::std::borrow::Cow::Owned(::std::format!(#template #(, #names = #values)*))))
    }
}

/// A part of a template. Placeholders that take the next argument are numbered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part(pub String);

impl Part {
    /// Whether it is the same for all arguments.
    fn is_constant(&self) -> bool {
        self.pieces().all(|piece| matches!(piece, Piece::Words(_)))
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
