# Conditions: what the engine refuses becomes an error with a class and fields.

# Returns what the native part answered, or signals its failure. `policy` says in whose words: of a policy
# that was made of arguments, keys of policy files become arguments.
ask <- function(answer, policy = NULL) {
  if (!inherits(answer, "openveil_failure")) {
    return(answer)
  }
  if (answer$kind == "interrupt") {
    interrupted()
  }
  message <- answer$message
  if (!is.null(policy$arguments)) {
    message <- .Call(wrap__in_arguments, message, answer$column)
  }
  refuse(message, answer$kind, answer[setdiff(names(answer), c("kind", "message"))])
}

# Signals an error. The class is `openveil_` and the kind, then `openveil_error`.
refuse <- function(message, kind = "input", fields = list()) {
  help <- if (grepl("\n  help: ", message, fixed = TRUE)) sub("^.*\n  help: ", "", message)
  classes <- c(
    paste0("openveil_", kind),
    if (kind == "ineligible") "openveil_refused",
    "openveil_error", "error", "condition"
  )
  stop(structure(c(list(message = message, call = NULL), fields, list(help = help)), class = classes))
}

# Signals an interrupt, as R does when somebody presses Ctrl-C.
interrupted <- function() {
  signalCondition(structure(list(message = "", call = NULL), class = c("interrupt", "condition")))
  invokeRestart("abort")
}

# Warns of notes, each by itself.
note <- function(notes, policy = NULL) {
  for (text in notes) {
    if (!is.null(policy$arguments)) {
      text <- .Call(wrap__in_arguments, text, NULL)
    }
    warning(structure(
      list(message = text, call = NULL),
      class = c("openveil_warning", "warning", "condition")
    ))
  }
}
