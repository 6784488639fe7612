# Conditions: turns refusals of the engine into errors with a class and fields.

# Returns the native part's answer, or signals its failure. If `policy` was made of arguments, the message
# names arguments instead of keys of policy files.
ask <- function(answer, policy = NULL) {
  if (!inherits(answer, "openveil_failure")) {
    return(answer)
  }
  if (answer$kind == "interrupt") {
    interrupted()
  }
  message <- answer$message
  if (!is.null(policy$arguments)) {
    message <- answer$by_arguments
  }
  refuse(message, answer$kind, answer[setdiff(names(answer), c("kind", "message", "by_arguments"))])
}

# Signals an error. The class is `openveil_` and the kind, then `openveil_error`. `openveil_policy` is the class of
# policies, with a way to print them.
refuse <- function(message, kind = "input", fields = list()) {
  help <- if (grepl("\n  help: ", message, fixed = TRUE)) sub("^.*\n  help: ", "", message)
  classes <- c(
    paste0("openveil_", if (kind == "policy") "policy_error" else kind),
    if (kind == "ineligible") "openveil_refused",
    "openveil_error", "error", "condition"
  )
  stop(structure(c(list(message = message, call = NULL), fields, list(help = help)), class = classes))
}

# Signals an interrupt, as R does when the user presses Ctrl-C.
interrupted <- function() {
  signalCondition(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
  invokeRestart("abort")
}

# Signals a warning for each note. The condition's field `made` holds the result, so that it survives when
# the user turns warnings into errors.
note <- function(notes, made = NULL) {
  for (text in notes) {
    condition <- structure(
      list(message = text, call = NULL, made = made), class = c("openveil_warning", "warning", "condition")
    )
    tryCatch(warning(condition), error = function(error) {
      error$made <- made
      stop(error)
    })
  }
}

# Returns an argument that is one value of a kind: `"text"`, `"number"`, `"whole"` or `"flag"`.
single <- function(value, name, kind) {
  is_whole <- function(value) is.numeric(value) && !is.na(value) && value == floor(value)
  is_kind <- switch(kind, text = is.character, number = is.numeric, whole = is_whole, flag = is.logical)
  if (length(value) != 1 || !is_kind(value) || is.na(value)) {
    takes <- switch(kind,
      text = "one text", number = "one number", whole = "one whole number", flag = "TRUE or FALSE"
    )
    refuse(sprintf("`%s` takes %s", name, takes))
  }
  if (is.character(value)) utf8(value, name) else if (is.logical(value)) value else as.double(value)
}

# Returns arguments with their texts, and the names of their values, as UTF-8.
in_utf8 <- function(given, name) {
  names <- names(given)
  if (is.list(given)) {
    given[] <- lapply(seq_along(given), function(at) in_utf8(given[[at]], if (length(names)) names[at] else name))
  } else if (is.character(given)) {
    given[] <- utf8(as.vector(given), name)
  }
  if (!is.null(names)) names(given) <- utf8(names, name)
  given
}

# Like `single()`, but for an argument that may be NULL.
single_or_null <- function(value, name, kind) if (!is.null(value)) single(value, name, kind)

# Returns the path of a file or folder, with `~` expanded.
path_of <- function(value, name) path.expand(single(value, name, "text"))
