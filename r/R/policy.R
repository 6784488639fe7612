#' Policies
#'
#' A policy says what each column of a table is, and what must hold of the release. `ov_publish()` takes
#' the same arguments, or a policy.
#'
#' A column is named, or named with what a policy can say of it:
#' `known = list(age = list(floor = 10), sex = list())`; a text instead of a list is the type:
#' `known = c(age = "integer")`. Types that are not said are those of the data frame (in CSV files and
#' workbooks every column is text). All keys of policy files can be given in the lists.
#'
#' @param known Columns that others may know of a person (quasi-identifiers).
#' @param secret The column that nobody may learn of a person, or several (sensitive columns).
#' @param model What must hold: [ov_l_diversity()] and others.
#' @param other Columns for analysis that are neither. They are published unprotected, but shuffled inside
#'   each group, so that a row is no person's row. Completed tables do not have them.
#' @param identifier Columns that name a person; they are not published.
#' @param drop Columns that are not published; `TRUE`: all that are not named elsewhere.
#' @param attributes,rules,dependencies,decomposition Columns, rules (a list of
#'   `list(given = , protect = )`), dependencies and the decomposition where several rules are kept by
#'   several tables.
#' @param merge,distinct Sensitive columns whose values read alike (`"Flu"`, `"flu "`) and are one value,
#'   or different ones.
#' @param combine Several sensitive columns that are protected as one.
#' @param protect,link `protect = "each"`: each of several sensitive columns keeps the bound by itself;
#'   `link = TRUE` publishes a person's values in one row.
#' @param strata Known columns whose values fix parts of the table that are published by themselves.
#' @param reader Readers who know more, for example `list(odds = 3, people = 1)`.
#' @param history Where people's places are kept if the table is published again. Only the command
#'   publishes such a table so far.
#' @param persons The column that says whose a row is, if people have several rows.
#' @param ties The column that says which rows share the secret (a household).
#' @param algorithm,effort The algorithm, and how much work it does (0, 2 or 12).
#' @param style `"generalize"` (default), `"slice"` or `"anatomy"`.
#' @param cells `"bounds"` shows intervals as two columns, `age_min` and `age_max`.
#' @param missing,missing_values `"keep"` publishes missing values as missing, `"drop-rows"` leaves such
#'   rows out; without it a table with missing values is refused. `missing_values` are texts that stand
#'   for them.
#' @param rows_are_people `TRUE`: each row is another person's although an identifier repeats.
#' @param input,output Further keys of the sections `[input]` and `[output]` of a policy file.
#' @param path A policy file. Paths inside of it start in its folder.
#'
#' @return An object of class `openveil_policy`. `format()` returns the text of its file.
#' @examples
#' policy <- ov_policy(
#'   known = c(age = "integer", sex = "text"), secret = "job", model = ov_l_diversity(3)
#' )
#' policy
#' @export
ov_policy <- function(known = NULL, secret = NULL, model = NULL, other = NULL, identifier = NULL,
                      drop = NULL, attributes = NULL, rules = NULL, dependencies = NULL,
                      decomposition = NULL, merge = NULL, distinct = NULL, combine = NULL,
                      protect = NULL, link = NULL, strata = NULL, reader = NULL, history = NULL,
                      persons = NULL, ties = NULL, algorithm = NULL, effort = NULL, style = NULL,
                      cells = NULL, missing = NULL, missing_values = NULL, rows_are_people = NULL,
                      input = NULL, output = NULL) {
  given <- mget(names(formals()), environment())
  given <- given[!vapply(given, is.null, TRUE)]
  if (!is.null(model) && !inherits(model, "openveil_model")) {
    refuse("`model` is not a model\n  help: write `model = ov_l_diversity(5)`", "policy")
  }
  given <- stats::setNames(lapply(names(given), function(name) in_utf8(given[[name]], name)), names(given))
  structure(list(arguments = given), class = "openveil_policy")
}

#' @rdname ov_policy
#' @export
ov_read_policy <- function(path) {
  path <- path_of(path, "path")
  if (!file.exists(path)) {
    refuse(sprintf("%s: cannot open the file: there is no such file", path), "file")
  }
  text <- paste(readLines(path, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  policy <- structure(list(text = utf8(text, "path"), path = path), class = "openveil_policy")
  ask(.Call(wrap__policy_text, policy))
  policy
}

#' @export
format.openveil_policy <- function(x, ...) ask(.Call(wrap__policy_text, x), x)

#' @export
print.openveil_policy <- function(x, ...) {
  cat("<openveil policy>\n", format(x), "\n", sep = "")
  invisible(x)
}

# Returns the policy that a function was given: as one, as a path, or by arguments.
resolved <- function(policy, arguments) {
  if (is.null(policy)) {
    unknown <- setdiff(names(arguments), c("", names(formals(ov_policy))))
    if (length(unknown)) {
      near <- agrep(unknown[1], names(formals(ov_policy)), value = TRUE)
      refuse(sprintf(
        "unknown argument `%s`\n  help: %s", unknown[1],
        if (length(near)) sprintf("is `%s` meant?", near[1]) else "`?ov_policy` lists the arguments"
      ))
    }
    return(do.call(ov_policy, arguments, quote = TRUE))
  }
  if (length(arguments)) {
    names <- names(arguments)[nzchar(names(arguments))]
    said <- if (length(names)) paste0("`", names, "`", collapse = ", ") else "the columns"
    refuse(sprintf("a policy is given\n  help: set %s in it, or leave the policy out", said))
  }
  if (inherits(policy, "openveil_policy")) {
    return(policy)
  }
  if (!is_path(policy)) {
    refuse("`policy` must be made by `ov_policy()`, or be the path of a policy file")
  }
  ov_read_policy(policy)
}
