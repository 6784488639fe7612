# The other commands, with the options and defaults of the command line.

# Returns arguments as options of the command line. Arguments that are NULL or FALSE are left out.
options_of <- function(...) {
  given <- list(...)
  words <- lapply(names(given), function(name) {
    value <- given[[name]]
    flag <- paste0("--", gsub("_", "-", name))
    if (is.null(value) || isFALSE(value)) {
      return(character())
    }
    if (isTRUE(value)) {
      return(flag)
    }
    if (!is.null(names(value))) {
      value <- paste(names(value), unlist(value), sep = "=")
    }
    if (anyNA(value)) {
      refuse(sprintf("`%s` holds NA", name))
    }
    if (is.numeric(value)) {
      value <- vapply(value, format, "", digits = 15, trim = TRUE, scientific = FALSE)
    }
    # One option per value, because a name may contain a comma.
    if (length(value)) paste0(flag, "=", utf8(as.character(value), name)) else character()
  })
  as.character(unlist(words))
}

#' Look at a table
#'
#' Returns the type, the number of distinct values, the uniqueness and a guessed role of each column,
#' with the reason for the guess, and a starter policy to correct.
#'
#' @param data A data frame, or the path of a file.
#' @param delimiter,encoding,sheet,trim The file's delimiter, encoding and sheet; guessed by
#'   default. `trim` removes blanks around values.
#' @return A list of class `openveil_inspection`: `columns`, and `policy`, the text of a policy file. The
#'   table can be published with that policy; it is `NULL` if no column of the table can be protected.
#'   `print()` shows a line for each column, and `as.data.frame()` returns these lines.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' ov_inspect(people)
#' @export
ov_inspect <- function(data, delimiter = NULL, encoding = NULL, sheet = NULL, trim = FALSE) {
  given <- taken(data)
  made <- ask(.Call(
    wrap__inspect, given$table, given$file, single_or_null(delimiter, "delimiter", "text"),
    single_or_null(encoding, "encoding", "text"), single_or_null(sheet, "sheet", "text"),
    single(trim, "trim", "flag"), ticker()
  ))
  structure(c(made$found, list(policy = made$policy)), class = c("openveil_inspection", "openveil_document"))
}

#' @export
as.data.frame.openveil_inspection <- function(x, row.names = NULL, optional = FALSE, ...) {
  of_single_values(unclass(x)$columns)
}

# Returns a data frame with a row for each list. Its columns are the elements that are single values
# in all lists.
of_single_values <- function(lists) {
  is_single <- function(name) {
    values <- lapply(lists, function(own) own[[name]])
    all(vapply(values, function(own) is.null(own) || is.atomic(own) && length(own) == 1, TRUE)) &&
      !all(vapply(values, is.null, TRUE))
  }
  column <- function(name) {
    values <- lapply(lists, function(own) if (is.null(own[[name]])) NA else own[[name]])
    do.call(c, values)
  }
  names <- Filter(is_single, unique(unlist(lapply(lists, names))))
  columns <- lapply(stats::setNames(nm = names), column)
  structure(columns, class = "data.frame", row.names = .set_row_names(length(lists)))
}

#' @export
print.openveil_inspection <- function(x, ...) {
  print(as.data.frame(x), row.names = FALSE)
  if (!is.null(unclass(x)$policy)) cat("\n`$policy` contains a starter policy: correct it, then publish.\n")
  invisible(x)
}

#' Measure a table or a release
#'
#' `ov_audit()` measures what a table discloses, from any source: k, l, t and the other measures of the
#' literature. `ov_risk()` measures the risk from known columns alone: uniqueness in the sample and in
#' the population, the average and highest risk of rows and households by survey weights, and special
#' uniques.
#'
#' @param data A data frame, a release, the path of a file, or of a folder with a release.
#' @param known Columns that others may know. Rows that agree on all of them form a group.
#' @param secret Sensitive columns.
#' @param group The column that numbers the groups, instead of `known`.
#' @param policy A policy. The result then has `satisfied`: whether the table satisfies it.
#' @param original With `measure = TRUE`: the table that the release was made from.
#' @param l Values of l for which recursive (c, l)-diversity is measured.
#' @param fail_under Minimum values, such as `c(l_ratio = 4, k = 5)`. The result's `demands` states
#'   which of them are met.
#' @param measure `TRUE`: measure errors of counts against `original`.
#' @param ... Further options of the command `openveil audit`, with underscores: `categories`, `weights`,
#'   `beta`, `hierarchy`, `order`, `wildcard`, `subsets`, `delimiter`, `trim`.
#' @param population Number of people in the population.
#' @param sampling_fraction Share of the population that is in the sample, from 0 to 1.
#' @param survey_weight The column with survey weights.
#' @param household The column that numbers households.
#' @param suda Size of the largest combination of columns whose special uniques are scored.
#' @param risk_threshold The risk, from 0 to 1, from which rows count as risky.
#'
#' @return A list of class `openveil_audit`, or `openveil_risk`; `as.data.frame()` returns the measures as
#'   `measure` and `value`.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 4, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' ov_audit(people, known = c("age", "sex"), secret = "illness")
#' ov_risk(people, known = c("age", "sex"), sampling_fraction = 0.1)
#' @export
ov_audit <- function(data, known = NULL, secret = NULL, group = NULL, policy = NULL, original = NULL,
                     l = c(2, 3, 4), fail_under = NULL, measure = FALSE, ...) {
  options <- options_of(
    qi = known, sensitive = secret, group = group, l = l, fail_under = fail_under, ...
  )
  # The policy is passed separately, but its option has to be present.
  if (measure) options <- c(options, "--measure", "--policy=-")
  structure(audited(data, options, policy, original), class = c("openveil_audit", "openveil_document"))
}

#' @rdname ov_audit
#' @export
ov_risk <- function(data, known = NULL, population = NULL, sampling_fraction = NULL, survey_weight = NULL,
                    household = NULL, suda = NULL, risk_threshold = 0.2) {
  if (is.null(known)) {
    refuse("`known` names no column\n  help: name the columns that others may know")
  }
  options <- options_of(
    qi = known, population = population,
    sampling_fraction = single_or_null(sampling_fraction, "sampling_fraction", "number"),
    survey_weight = single_or_null(survey_weight, "survey_weight", "text"),
    household = single_or_null(household, "household", "text"), suda = single_or_null(suda, "suda", "number"),
    risk_threshold = single(risk_threshold, "risk_threshold", "number")
  )
  found <- audited(data, options, NULL, NULL)
  structure(found$disclosure, class = c("openveil_risk", "openveil_document"))
}

audited <- function(data, options, policy, original) {
  if (!is.null(policy)) policy <- resolved(policy, list())
  given <- if (inherits(data, "openveil_release")) {
    native_of(data)
  } else {
    table <- taken(data)
    if (is.null(table$file)) table$table else table$file
  }
  beside <- taken(original)
  ask(.Call(wrap__audit, given, options, policy, beside$table, beside$file, ticker()), policy)
}

#' @export
as.data.frame.openveil_document <- function(x, row.names = NULL, optional = FALSE, ...) {
  # A measure of a part is prefixed with the part's name.
  single <- function(list, before) {
    each <- lapply(names(list), function(name) {
      own <- list[[name]]
      if (is.list(own) && !is.null(names(own))) {
        single(own, paste0(before, name, "."))
      } else if (is.atomic(own) && length(own) == 1) {
        data.frame(measure = paste0(before, name), value = format(own))
      }
    })
    do.call(rbind, each)
  }
  single(unclass(x), "")
}

#' Attack a release
#'
#' Attacks a release, with the owner's table at hand. Several releases of a table are intersected.
#' The findings are for the owner only, because they use the true values.
#'
#' @param release A release, the path of its folder, or a list of several.
#' @param policy The policy that the release was made with.
#' @param data The table that the release was made from. May be omitted if the policy names a file.
#' @param sample Number of people who are attacked.
#' @param seed A number; equal seeds draw the same people.
#' @param ... Further options of the command `openveil attack`, with underscores: `categories`, `owner`,
#'   `correlations`, `public`, `independent`.
#' @param progress As in [ov_publish()].
#' @return A list; `promise_broken` is `TRUE` if an attack found that the release breaks its promise.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' policy <- ov_policy(c("age", "sex"), "illness", ov_l_diversity(2))
#' release <- ov_publish(people, policy = policy)
#' ov_attack(release, policy, people, sample = 10)$promise_broken
#' @export
ov_attack <- function(release, policy, data = NULL, sample = 200, seed = 0, ..., progress = NULL) {
  if (inherits(release, "openveil_release") || is.character(release)) release <- list(release)
  releases <- lapply(release, function(own) if (is.character(own)) path.expand(own) else native_of(own))
  policy <- resolved(policy, list())
  given <- taken(data)
  options <- options_of(sample = sample, seed = seed, ...)
  document(ask(.Call(
    wrap__attack, releases, policy, given$table, given$file, options, ticker(progress)
  ), policy))
}

#' Compare ways of publishing
#'
#' Measures policies side by side, before one is chosen. The table's sensitive column is freshly
#' shuffled first, because a choice by the true values would disclose something about them.
#'
#' @param policies A policy, or a list of several.
#' @param data The table. May be omitted if the policies name a file.
#' @param l Values of l to compare: `2:5`.
#' @param algorithm,style Algorithms and styles to compare.
#' @param trials,queries Number of trials, and of queries in each.
#' @param test_seed As in [ov_publish()].
#' @param ... Further options of the command `openveil compare`, with underscores: `on`, `sample`,
#'   `sample_rows`, `true_values`, `state`.
#' @param progress As in [ov_publish()].
#' @return A list of class `openveil_comparison`. `as.data.frame()` returns the medians, a line for each way
#'   of publishing. `plot()` draws one of them.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' policy <- ov_policy(c("age", "sex"), "illness", ov_l_diversity(2))
#' ov_compare(policy, people, style = c("generalize", "slice"), trials = 1, queries = 10)
#' @export
ov_compare <- function(policies, data = NULL, l = NULL, algorithm = NULL, style = NULL, trials = 5,
                       queries = 400, test_seed = NULL, ..., progress = NULL) {
  if (inherits(policies, "openveil_policy") || is.character(policies)) policies <- list(policies)
  if (!is.list(policies) || is.data.frame(policies) || !length(policies)) {
    refuse("`policies` must be a policy made by `ov_policy()`, or a list of several")
  }
  names <- names(policies)
  policies <- lapply(policies, resolved, list())
  # A name labels the policy in the table.
  for (at in which(nzchar(names))) policies[[at]]$path <- names[at]
  given <- taken(data)
  if (length(l) > 1) l <- paste(l, collapse = ",")
  options <- options_of(
    l = l, algorithm = algorithm, style = style, trials = trials, queries = queries,
    test_seed = test_seed, ...
  )
  made <- ask(.Call(
    wrap__compare, policies, given$table, given$file, options, ticker(progress)
  ), policies[[1]])
  structure(made, class = c("openveil_comparison", "openveil_document"))
}

#' @export
as.data.frame.openveil_comparison <- function(x, row.names = NULL, optional = FALSE, ...) {
  rows <- unclass(x)$rows
  medians <- lapply(rows, function(row) lapply(row$medians, as.double))
  cbind(of_single_values(rows), of_single_values(medians))
}

#' @export
print.openveil_comparison <- function(x, digits = 3, ...) {
  print(as.data.frame(x), digits = digits, row.names = FALSE, ...)
  cat("\n", unclass(x)$note, "\n", sep = "")
  invisible(x)
}

#' @export
plot.openveil_comparison <- function(x, figure = NULL, ...) {
  frame <- as.data.frame(x)
  figures <- setdiff(names(frame)[vapply(frame, is.double, TRUE)], "ms")
  if (!length(figures)) {
    refuse(paste0("there are no measures to draw\n  help: ", unclass(x)$note))
  }
  figure <- if (is.null(figure)) figures[1] else match.arg(figure, figures)
  labels <- do.call(paste, frame[intersect(c("policy", "algorithm", "style", "l"), names(frame))])
  graphics::dotchart(rev(frame[[figure]]), labels = rev(labels), xlab = figure, ...)
  invisible(frame)
}

#' Verify an algorithm
#'
#' Tests whether an algorithm discloses anybody's value: enumerates every table with these sensitive
#' values, and every release of each table. Feasible for a few people only.
#'
#' @param algorithm Name of the algorithm.
#' @param secret The sensitive values, one for each person.
#' @param l The l of ratio l-diversity; give this or `privacy`.
#' @param privacy Another model.
#' @param ... Further options of the command `openveil verify`, with underscores.
#' @return A list with exact fractions as text: `tables`, `releases`, `unsafe_releases`, `max_posterior`.
#' @examples
#' ov_verify("cover", c(1, 1, 2, 2, 3, 3), l = 2)$max_posterior
#' @export
ov_verify <- function(algorithm, secret, l = NULL, privacy = NULL, ...) {
  if (inherits(privacy, "openveil_model")) {
    privacy <- .Call(wrap__model_text, unclass(privacy))
    privacy <- ask(privacy)
  }
  options <- options_of(algorithm = algorithm, sensitive = as.character(secret), l = l, privacy = privacy, ...)
  document(ask(.Call(wrap__verify, options, ticker())))
}

#' The report about a release
#'
#' Returns the public page about a release as HTML, or writes it to a file.
#'
#' @param release A release.
#' @param path A file to write the page to; `NULL`: none.
#' @return The page as text, invisibly if it was written to a file. It is made from the release alone.
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' release <- ov_publish(people, "age", "job", ov_l_diversity(3))
#' ov_report(release, tempfile(fileext = ".html"))
#' @export
ov_report <- function(release, path = NULL) {
  html <- ask(.Call(wrap__release_report, native_of(release)))
  if (is.null(path)) {
    return(html)
  }
  path <- path_of(path, "path")
  file <- tryCatch(file(path, "w", encoding = "UTF-8"), error = function(error) NULL, warning = function(warning) NULL)
  if (is.null(file)) refuse(sprintf("%s: cannot write the file\n  help: name a folder that exists", path), "file")
  on.exit(close(file))
  writeLines(enc2utf8(html), file, useBytes = TRUE)
  invisible(html)
}

#' Threads
#'
#' Sets the number of threads that work in parallel.
#'
#' @param number A number; `NULL`: as many as there are cores.
#' @return Nothing.
#' @examples
#' ov_set_threads(2)
#' ov_set_threads(NULL)
#' @export
ov_set_threads <- function(number = NULL) invisible(ask(.Call(wrap__threads, single_or_null(number, "number", "number"))))
