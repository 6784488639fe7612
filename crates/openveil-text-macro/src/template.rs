//! Templates of `format!`: their placeholders, and the arguments that fill them.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitStr, Token};

/// A template with its arguments.
pub struct Filled {
    template: LitStr,
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
    fn value(&self, name: &str) -> syn::Result<TokenStream> {
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

    /// Returns the expression that makes the message.
    pub fn expression(&self) -> syn::Result<TokenStream> {
        let (template, placeholders) = numbered(&self.template.value());
        let arguments = placeholders
            .iter()
            .map(|placeholder| {
                let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
                let value = self.value(name)?;
                let text = if format == "text" {
                    quote!((#value).clone())
                } else {
                    let format =
                        if format.is_empty() { "{}".to_owned() } else { format!("{{:{format}}}") };
                    quote!(::openveil_text::Text::from(::std::format!(#format, #value)))
                };
                Ok(quote!((#placeholder, #text)))
            })
            .collect::<syn::Result<Vec<TokenStream>>>()?;
        let template = LitStr::new(&template, self.template.span());
        Ok(quote!(::openveil_text::Text::new(#template, ::std::vec![#(#arguments),*])))
    }
}

/// Numbers the placeholders that take the next argument; returns all placeholders too, each once,
/// without braces.
fn numbered(template: &str) -> (String, Vec<String>) {
    let (mut made, mut found) = (String::new(), Vec::new());
    let (mut rest, mut next) = (template, 0);
    while let Some(at) = rest.find('{') {
        made.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            made.push('{');
            rest = after;
            continue;
        }
        let (inside, after) = rest.split_once('}').unwrap_or((rest, ""));
        let is_next = inside.is_empty() || inside.starts_with(':');
        let placeholder = if is_next { format!("{next}{inside}") } else { inside.to_owned() };
        next += usize::from(is_next);
        made.extend([&placeholder, "}"]);
        if !found.contains(&placeholder) {
            found.push(placeholder);
        }
        rest = after;
    }
    made.push_str(rest);
    (made, found)
}
