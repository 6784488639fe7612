#' Policies
#'
#' `ov_policy()` makes a policy: it states what each column of a table is, and what must hold of the
#' release. `ov_read_policy()` reads one from a file. `ov_publish()` takes a policy, or the arguments of
#' `ov_policy()`.
#'
#' Give columns by name (`known = c("age", "sex")`), with their types (`known = c(age = "integer")`),
#' or with any keys of a policy file (`known = list(age = list(floor = 10), sex = list())`). Without a
#' type, the type of the data frame is used (in CSV files and workbooks every column is text).
#'
#' @param known Columns that others may know about a person (quasi-identifiers).
#' @param secret The column, or columns, whose values nobody may learn about a person (sensitive
#'   columns).
#' @param model The privacy model: [ov_l_diversity()] or another.
#' @param other Columns for analysis that are neither known nor secret. They are published unprotected,
#'   but shuffled inside each group, so that no row belongs to one person. Completed tables do not have
#'   them.
#' @param identifier Columns that name a person; they are not published.
#' @param drop Columns that are not published. `TRUE`: all columns that are not named elsewhere.
#' @param attributes,rules,dependencies,decomposition For a release of several tables that protects
#'   several rules: its columns, its rules (a list of `list(given = , protect = )`), dependencies
#'   between columns, and the decomposition.
#' @param merge,distinct Sensitive columns with values that read alike (`"Flu"`, `"flu "`): `merge`
#'   treats these as one value, `distinct` as different values.
#' @param combine Sensitive columns that are protected as one.
#' @param protect,link `protect = "each"`: each of several sensitive columns satisfies the model by
#'   itself. `link = TRUE` publishes a person's values in one row.
#' @param strata Known columns that split the table into parts, which are published separately.
#' @param reader Readers with more knowledge, for example `list(odds = 3, people = 1)`.
#' @param history Where the state is stored for a table that is published repeatedly. Only the
#'   command publishes such a table so far.
#' @param persons The column that identifies the person of a row, if a person can have several rows.
#' @param ties The column that identifies rows with a common secret (a household).
#' @param algorithm The algorithm.
#' @param smallest_group The fewest rows of a group: by default 25, or less in small tables.
#' @param style `"generalize"` (default), `"slice"` or `"anatomy"`.
#' @param cells `"bounds"` shows intervals as two columns, `age_min` and `age_max`.
#' @param missing,missing_values `"keep"` publishes missing values as missing, `"drop-rows"` leaves out
#'   rows with missing values. Without it, a table with missing values is refused. `missing_values`
#'   lists the texts that stand for missing values.
#' @param rows_are_people `TRUE`: each row belongs to a different person, although an identifier
#'   repeats.
#' @param input,output Further keys of the sections `[input]` and `[output]` of a policy file.
#' @param path A policy file. Relative paths in it start at its folder.
#'
#' @return An object of class `openveil_policy`. `format()` returns it as the text of a policy file. To save it, use
#'   `format(policy, data = people)`: this adds the types of the data frame, and writes `drop = TRUE` out.
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
                      persons = NULL, ties = NULL, algorithm = NULL, smallest_group = NULL, style = NULL,
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
  ask(.Call(wrap__policy_text, policy, NULL, NULL))
  policy
}

#' @export
format.openveil_policy <- function(x, data = NULL, ...) {
  given <- taken(data)
  ask(.Call(wrap__policy_text, x, given$table, given$file), x)
}

#' @export
print.openveil_policy <- function(x, ...) {
  cat("<openveil policy>\n", format(x), "\n", sep = "")
  invisible(x)
}

# Returns the policy that a function was given: as an object, as a path, or by arguments.
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
  # The text of a policy, such as `ov_inspect()$policy`.
  if (is.character(policy) && length(policy) == 1 && grepl("\n", policy, fixed = TRUE)) {
    return(structure(list(text = utf8(policy, "policy"), path = "policy"), class = "openveil_policy"))
  }
  if (!is_path(policy)) {
    refuse("`policy` must be made by `ov_policy()`, or be the path of a policy file")
  }
  ov_read_policy(policy)
}
