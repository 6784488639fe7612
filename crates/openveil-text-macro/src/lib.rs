//! Reads messages while the program is compiled.
//!
//! Belongs here: what a template's names look like. Does not: how fronts write them
//! (`openveil-text`).

mod message;
mod template;

use proc_macro::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// Makes an `openveil_text::Text`; takes what `format!` takes. These are names in a template:
///
/// * an option or a call: `` `--odds 3` ``, `` `openveil compare --sample FILE` ``, and `--where`
///   without quotes;
/// * a setting: `` `missing = "keep"` ``, with its section `` `missing = "keep"` under [input] ``, or
///   `` `[ties] id = "hhid"` ``;
/// * a key of a section: `` `odds` under [reader] ``;
/// * a model: `` `model = "l-diversity"`, `l = 5` ``;
/// * a section: `[history]`, `[[rules]]`;
/// * a role: role `` `drop` ``.
///
/// Placeholders are filled in later, so that a value is never taken for a name; a name may hold some:
/// `` `--{option}` ``. `{message:text}` fills in another message with its names.
#[proc_macro]
pub fn text(input: TokenStream) -> TokenStream {
    let mut tokens = input.into_iter();
    let made = match tokens.next() {
        Some(first) => literal(first).and_then(|literal| {
            let arguments = template::Arguments::new(tokens);
            let template = template::unescaped(&literal.to_string())?;
            message::expression(&template, &arguments, literal.span())
        }),
        None => Err("`text!` takes a message".to_owned()),
    };
    made.unwrap_or_else(|problem| {
        let mut error: TokenStream =
            "::core::compile_error!".parse().expect("the path of a macro is well-formed");
        let message = TokenTree::from(Literal::string(&problem)).into();
        error.extend([TokenTree::from(Group::new(Delimiter::Parenthesis, message))]);
        error
    })
}

/// Returns a literal, also if a macro has put a group around it.
fn literal(token: TokenTree) -> Result<Literal, String> {
    match token {
        TokenTree::Literal(literal) => Ok(literal),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            let inside = group.stream().into_iter().next();
            inside.map_or_else(|| Err("`text!` takes a message".to_owned()), literal)
        }
        other => Err(format!("`text!` takes a literal message, not `{other}`")),
    }
}
