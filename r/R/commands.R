# The other commands. Arguments that are options, and their documentation, are written from the
# requests: `OPENVEIL_WRITE=1 cargo test -p openveil --test docs`.

# Returns those of a function's arguments that are options of the command; `frame` is the function's
# environment.
options_of <- function(command, frame) {
  options <- .Call(wrap__options, command)
  ours <- c(qi = "known", sensitive = "secret")
  names <- ifelse(options %in% names(ours), ours[options], options)
  values <- lapply(names, function(name) {
    value <- get(name, envir = frame)
    if (is.factor(value)) value <- as.character(value)
    if (!is.list(value) && anyNA(value)) {
      refuse(sprintf("`%s` holds NA", name))
    }
    if (is.character(value)) stats::setNames(utf8(value, name), names(value)) else value
  })
  stats::setNames(values, options)
}

#' Look at a table
#'
#' Returns the type, the number of distinct values, the uniqueness and a guessed role of each column,
#' with the reason for the guess, and a starter policy to correct.
#'
#' @param data A data frame, or the path of a file.
#' @param delimiter Delimiter of a CSV file (`\t` for a tab) (default: guessed).
#' @param encoding Encoding of a CSV file: `utf-8`, `windows-1252`, `utf-16`, … (default: guessed).
#' @param sheet The sheet of a workbook to read (default: the first).
#' @param preset Rules for columns that the starter policy drops or coarsens.
#' @param aim Propose style, floors and l for this aim, with the reason.
#' @param trim Trim blanks around fields.
#' @return A list of class `openveil_inspection`: `columns`, and `policy`, the text of a policy file. The
#'   table can be published with that policy; it is `NULL` if no column of the table can be protected.
#'   `print()` shows a line for each column, and `as.data.frame()` returns these lines.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' ov_inspect(people)
#' @export
ov_inspect <- function(data, delimiter = NULL, encoding = NULL, sheet = NULL, preset = NULL,
                       aim = NULL, trim = FALSE) {
  options <- options_of("inspect", environment())
  given <- taken(data)
  made <- ask(.Call(wrap__inspect, given$table, given$file, options, ticker()))
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
#' @param policy A policy. The result then has `satisfied`: whether the table satisfies it.
#' @param known Quasi-identifiers. Rows that agree on them form a group (default: the policy's, or
#'   all other columns).
#' @param secret Sensitive columns (default: the policy's).
#' @param group The column with the group numbers (default: `group`, if there is one).
#' @param wildcard Let a suppressed cell (`*`, `NA`, or empty) match every value. The k of a row is
#'   then the number of rows that match it.
#' @param suppressed With `wildcard`: the texts of suppressed cells, for example `*,-9` (default:
#'   `*`, `NA` and empty ones).
#' @param subsets Also measure every subset of up to this many known columns: the smallest group,
#'   and the share of rows that are alone.
#' @param l The values of l for which recursive (c, l)-diversity is measured.
#' @param categories A file with the categories of a sensitive column: lines `value;category`, most
#'   sensitive category first.
#' @param weights The weights of categories in (l, α)-diversity.
#' @param beta The exponent of the sensitivity weights.
#' @param hierarchy A file with the hierarchy of a sensitive column: lines `value;level1;…;*`, for
#'   the hierarchical distance.
#' @param order A file with the values of a sensitive column in order, one per line, lowest first.
#' @param population The population of which the table is a sample: a number of people, or a file
#'   with a table of them.
#' @param sampling_fraction The sampling fraction (table / population), for estimates of population
#'   uniqueness (default: from `population`).
#' @param survey_weight A column with survey weights. Measures the re-identification risk of each
#'   row.
#' @param household A column with the household of each row. With `survey_weight`, also measures the
#'   risk that somebody of the household is found.
#' @param suda Search for rows that few known columns single out (SUDA2), in sets of up to this many
#'   columns.
#' @param risk_threshold The chance of being found above which a row counts as at risk.
#' @param fail_under The least values of measures, such as `l_ratio=4,k=5`. The command exits with
#'   code 1 if one of them is not reached.
#' @param measure Also measure the utility of the release against the policy's table, for the owner
#'   only.
#' @param delimiter Delimiter of a CSV file (`\t` for a tab) (default: the policy's, or a comma; a
#'   release names its own).
#' @param trim Trim blanks around fields.
#' @param original With `measure = TRUE`: the table that the release was made from.
#' @param rows Also measure the risks of each row, for the owner only.
#'
#' @return A list of class `openveil_audit`, or `openveil_risk`; `as.data.frame()` returns the measures as
#'   `measure` and `value`. With `rows = TRUE` it has `row_risks`, a data frame with a row for each row of the
#'   table: `alike` (rows that look alike) and, as far as they were asked for, `individual_risk`,
#'   `household_risk`, `suda_score`, `dis_suda_score`.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 4, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' ov_audit(people, known = c("age", "sex"), secret = "illness")
#' ov_risk(people, known = c("age", "sex"), sampling_fraction = 0.1)
#' @export
ov_audit <- function(data, known = NULL, secret = NULL, group = NULL, wildcard = FALSE,
                     suppressed = NULL, subsets = NULL, l = c(2, 3, 4), categories = NULL,
                     weights = "uniform", beta = 2, hierarchy = NULL, order = NULL,
                     population = NULL, sampling_fraction = NULL, survey_weight = NULL,
                     household = NULL, suda = NULL, risk_threshold = 0.2, fail_under = NULL,
                     measure = FALSE, delimiter = NULL, trim = FALSE, policy = NULL,
                     original = NULL, rows = FALSE) {
  options <- options_of("audit", environment())
  structure(audited(data, options, policy, original, rows), class = c("openveil_audit", "openveil_document"))
}

#' @rdname ov_audit
#' @export
ov_risk <- function(data, known = NULL, population = NULL, sampling_fraction = NULL, survey_weight = NULL,
                    household = NULL, suda = NULL, risk_threshold = 0.2, wildcard = FALSE,
                    suppressed = NULL, rows = FALSE) {
  if (is.null(known)) {
    refuse("`known` names no column\n  help: name the columns that others may know")
  }
  options <- list(
    qi = known, population = population,
    sampling_fraction = single_or_null(sampling_fraction, "sampling_fraction", "number"),
    survey_weight = single_or_null(survey_weight, "survey_weight", "text"),
    household = single_or_null(household, "household", "text"), suda = single_or_null(suda, "suda", "number"),
    risk_threshold = single(risk_threshold, "risk_threshold", "number"),
    wildcard = single(wildcard, "wildcard", "flag"), suppressed = suppressed
  )
  found <- audited(data, options, NULL, NULL, rows)
  # With wildcards rows form no classes, and only these figures are there.
  structure(c(found[c("k", "uniqueness")], found$disclosure, if (rows) found["row_risks"]), class = c("openveil_risk", "openveil_document"))
}

audited <- function(data, options, policy, original, rows) {
  if (!is.null(policy)) policy <- resolved(policy, list())
  beside <- taken(original)
  made <- ask(.Call(
    wrap__audit, table_or_release(data), options, policy, beside$table, beside$file, single(rows, "rows", "flag"), ticker()
  ), policy)
  found <- made$found
  if (!is.null(made$row_risks)) found$row_risks <- frame_of(made$row_risks)
  found
}

# Returns a table, a file or a release as the native part takes it.
table_or_release <- function(data) {
  if (inherits(data, "openveil_release")) {
    return(native_of(data))
  }
  table <- taken(data)
  if (is.null(table$file)) table$table else table$file
}

#' Check a published table
#'
#' Checks in a pipeline that a published table, or a release, is as a policy promises: each group satisfies the
#' policy's model, and no column is there that the policy does not publish. A release also has to be as its
#' manifest states. The original table is not published, so it seldom passes.
#'
#' @param data A release, the path of its folder, a published data frame, or the path of a file.
#' @param policy The policy, or the path of a policy file.
#' @return `data`, invisibly. If a check fails, an error of class `openveil_check`; its field `failures` is a data
#'   frame with all of them (`check`, `failure`).
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' policy <- ov_policy("age", "job", ov_l_diversity(3))
#' people |> ov_publish(policy = policy) |> ov_check(policy)
#' @export
ov_check <- function(data, policy) {
  policy <- resolved(policy, list())
  release <- if (is_path(data) && dir.exists(data)) read_release(data) else data
  # The types of columns before they were coarsened, if they are known.
  before <- taken(if (inherits(release, "openveil_release")) columns_of_manifest(release$manifest) else release)
  found <- ask(.Call(wrap__check, table_or_release(release), policy, before$table, before$file, ticker()), policy)
  failed <- Filter(function(own) !is.null(own$failure), found)
  if (length(failed)) {
    part <- function(name) vapply(failed, function(own) own[[name]], "")
    failures <- data.frame(check = part("check"), failure = part("failure"))
    said <- paste0("\n  ", failures$check, ": ", failures$failure, collapse = "")
    refuse(paste0("the table is not as the policy promises:", said), "check", list(failures = failures))
  }
  invisible(data)
}

# Returns a data frame without rows that has the columns of a manifest.
columns_of_manifest <- function(manifest) {
  empty <- lapply(manifest$columns, function(own) {
    switch(if (is.null(own$type)) "text" else own$type,
      integer = integer(), number = double(), date = as.Date(character()), boolean = logical(), character()
    )
  })
  structure(
    stats::setNames(empty, vapply(manifest$columns, function(own) own$name, "")), class = "data.frame",
    row.names = integer()
  )
}

#' @export
as.data.frame.openveil_document <- function(x, row.names = NULL, optional = FALSE, ...) {
  # A measure of a part is prefixed with the part's name.
  single <- function(list, before) {
    each <- lapply(names(list), function(name) {
      own <- list[[name]]
      if (is.list(own) && !is.null(names(own)) && !is.data.frame(own)) {
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
#' @param categories A file with the category of each sensitive value: one line `value;category` per
#'   value.
#' @param sample Number of people to attack by re-running the algorithm.
#' @param seed Seed for the choice of people: another seed attacks other people.
#' @param owner Also list the rows of the people found, for the owner only.
#' @param correlations Also measure the guesses of readers who know how values go with
#'   quasi-identifiers, with and without the release. They learn it from half of the table or from
#'   another table.
#' @param public The table whose values those readers know: with the same columns, about other
#'   people.
#' @param independent Also make this many independent releases of the policy's table, and count the
#'   people whose value they disclose together.
#' @param ties Attack as a reader who knows which rows share their value, such as the rows of a
#'   household, and intersects their groups. COLUMN identifies them (default: the policy's
#'   `[ties]`). No other attack is run.
#' @param progress As in [ov_publish()].
#' @return A list; `promise_broken` is `TRUE` if an attack found that the release breaks its promise.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' policy <- ov_policy(c("age", "sex"), "illness", ov_l_diversity(2))
#' release <- ov_publish(people, policy = policy)
#' ov_attack(release, policy, people, sample = 10)$promise_broken
#' @export
ov_attack <- function(release, policy, data = NULL, categories = NULL, sample = 200, seed = 0,
                      owner = FALSE, correlations = FALSE, public = NULL, independent = NULL,
                      ties = NULL, progress = NULL) {
  options <- options_of("attack", environment())
  if (inherits(release, "openveil_release") || is.character(release)) release <- list(release)
  releases <- lapply(release, function(own) if (is.character(own)) path.expand(own) else native_of(own))
  policy <- resolved(policy, list())
  given <- taken(data)
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
#' @param l Values of `l` to try instead of the policies': 2..8 (both ends count) or 2,4,6.
#' @param algorithm Algorithms to try instead of the policies'.
#' @param style Styles to try instead of the policies'.
#' @param trials Number of runs per setting.
#' @param queries Number of random count queries of each kind.
#' @param on Measure on another table with the same columns, public or historic. Without it, the
#'   policy's table is measured with its sensitive column shuffled.
#' @param sample Measure on the sample in this file. If the file does not exist, the sample is drawn
#'   at random. Leave it out later with `publish --without-sample`.
#' @param sample_rows Number of rows of a sample that is drawn.
#' @param true_values Measure the true values, for the owner only. A choice by these figures
#'   discloses values, and later releases with these policies say so.
#' @param state Store finished trials here, and continue from them (default: beside the first
#'   policy, with the ending `.compare.json`).
#' @param test_seed Repeat the random draws, for tests.
#' @param progress As in [ov_publish()].
#' @return A list of class `openveil_comparison`. `as.data.frame()` returns the medians, a line for each way
#'   of publishing. `plot()` draws one of them.
#' @examples
#' people <- data.frame(age = 20 + 1:120 %% 40, sex = c("f", "m"), illness = c("flu", "cold", "none"))
#' policy <- ov_policy(c("age", "sex"), "illness", ov_l_diversity(2))
#' ov_compare(policy, people, style = c("generalize", "slice"), trials = 1, queries = 10)
#' @export
ov_compare <- function(policies, data = NULL, l = NULL, algorithm = NULL, style = NULL, trials = 5,
                       queries = 400, on = NULL, sample = NULL, sample_rows = NULL,
                       true_values = FALSE, state = NULL, test_seed = NULL, progress = NULL) {
  options <- options_of("compare", environment())
  if (inherits(policies, "openveil_policy") || is.character(policies)) policies <- list(policies)
  if (!is.list(policies) || is.data.frame(policies) || !length(policies)) {
    refuse("`policies` must be a policy made by `ov_policy()`, or a list of several")
  }
  names <- names(policies)
  policies <- lapply(policies, resolved, list())
  # A name labels the policy in the table.
  for (at in which(nzchar(names))) policies[[at]]$path <- names[at]
  given <- taken(data)
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
#' @param algorithm The algorithm to check.
#' @param secret The sensitive values of all people: 1,1,2,2,3,3.
#' @param rows_up_to Check every multiset of up to N people that the model allows, instead of one.
#' @param crossed_with With `rows_up_to`: combine every multiset with every division into two
#'   strata, with each of its values as exempt, or with both.
#' @param resume With `rows_up_to`: record finished multisets in FILE, and continue from the ones
#'   recorded there.
#' @param l Check ratio l-diversity with this parameter.
#' @param privacy Check another privacy model, written as in a policy: 'model = "l-diversity",
#'   variant = "entropy", l = 3'.
#' @param known Quasi-identifiers by person, as whole numbers whose order counts, with columns
#'   separated by `;`: 0,0,1,1;5,6,5,6. Without it, people differ in one column.
#' @param strata Publish in strata of people who agree on these columns of the layout (`q1`, `q2`,
#'   …). The reader knows how many people of each stratum have each value.
#' @param functions For `naive`, `safe` and `k-jump`: choose among these functions, the best first,
#'   instead of dividing people into blocks. Runs without a release are reported as well. Example:
#'   "AB|CD; ABCD" is pairs, then everybody.
#' @param jump For `k-jump` with `functions`: the number of functions to jump when one fails, by
#'   function (default: 1 for each).
#' @param odds Check readers who are informed about some people: their beliefs about them differ
#'   from those about everybody else by at most these odds (3, 1.5, 4/3). The algorithm satisfies
#'   the model for them.
#' @param informed With `odds`: the number of people about whom readers are informed (default: 1).
#' @param not_kept_for_informed With `odds`: let the algorithm satisfy the model for uninformed
#'   readers only, to see what informed ones learn.
#' @param direction Also report what a release adds to the belief of a reader to whom some values
#'   are likelier for some people of a group than for others, by at most these odds (above 1).
#' @param history Check several releases of a table that changes, with slots that persist (`cover`).
#'   Example: "1,1,2,3; +1,2 -0; ^0" lists the values of four people; then two more come and person
#'   0 leaves; then person 0 comes back.
#' @param afresh With `history`: make every release independently, to see what this discloses.
#' @param cells_only Assume that the reader sees only the released cells, not who is in which group.
#' @param limit The largest number of tables to enumerate.
#' @return A list with exact fractions as text: `tables`, `releases`, `unsafe_releases`, `max_posterior`.
#' @examples
#' ov_verify("cover", c(1, 1, 2, 2, 3, 3), l = 2)$max_posterior
#' @export
ov_verify <- function(algorithm, secret, rows_up_to = NULL, crossed_with = "nothing",
                      resume = NULL, l = NULL, privacy = NULL, known = NULL, strata = NULL,
                      functions = NULL, jump = NULL, odds = NULL, informed = NULL,
                      not_kept_for_informed = FALSE, direction = NULL, history = NULL,
                      afresh = FALSE, cells_only = FALSE, limit = 1000000) {
  privacy <- model_text(privacy)
  document(ask(.Call(wrap__verify, options_of("verify", environment()), ticker())))
}

#' Explain what readers infer
#'
#' Shows, for a few people, what readers conclude from each grouping: every set that the papers define,
#' enumerated.
#'
#' @param secret The value of each person: flu,flu,cold. With a table, the name of the sensitive
#'   column.
#' @param people Names of the people: A,B,C (also their names without it).
#' @param functions Groupings that an algorithm may release, the best first: "AB|CD|EF; ABC|DEF".
#' @param jump A jump vector for k-jump: 1,2,1. May be repeated. Without it, all vectors are tried.
#' @param bound The highest allowed share of a value (default: 1/2).
#' @param privacy Check another privacy model instead of a bound, written as in a policy: 'model =
#'   "l-diversity", variant = "entropy", l = 3'.
#' @param l Short for `--bound 1/L`.
#' @param published Groups that somebody else published about these people: "A B: flu, cold | C D:
#'   flu, flu". With a table, a file with generalised rows from any program. May be repeated.
#' @param candidate A further grouping: check whether it breaks the covers of the functions.
#' @param sets List the locally safe partitions, and the globally safe sets among them (up to ten
#'   people).
#' @param limit The largest number of tables to enumerate.
#' @return A list with exact fractions as text.
#' @examples
#' ov_explain(c("flu", "cold", "cold", "flu"), functions = "AB|CD")$functions[[1]]$within
#' @export
ov_explain <- function(secret, people = NULL, functions = NULL, jump = NULL, bound = NULL,
                       privacy = NULL, l = NULL, published = NULL, candidate = NULL, sets = FALSE,
                       limit = 1000000) {
  privacy <- model_text(privacy)
  document(ask(.Call(wrap__explain, options_of("explain", environment()), ticker())))
}

# Returns a model as the text that the command takes.
model_text <- function(privacy) {
  if (inherits(privacy, "openveil_model")) ask(.Call(wrap__model_text, unclass(privacy))) else privacy
}

#' The report about a release
#'
#' Returns the public page about a release as HTML, or writes it to a file. For a release that was
#' saved, writes its pages again, its metadata, and a page of evidence to sign.
#'
#' @param release A release; or the path of its folder, as [ov_save()] writes it.
#' @param path A file to write the page to; `NULL`: none.
#' @param policy For a folder: the policy that the release was made with. The release is then
#'   attacked, and the policy's `[purpose]` is in the evidence.
#' @param data For a folder: the table that the release was made from. May be omitted if the policy
#'   names a file.
#' @param metadata Also write metadata for archives and catalogues beside the table, from the
#'   release alone.
#' @param template The layout of the evidence (default: european).
#' @param language The language of the pages and the evidence (default: en).
#' @param evidence For a folder: a file for a page to sign. It is for the owner only.
#' @param progress As in [ov_publish()].
#' @return The page as text, invisibly if it was written to a file. It is made from the release alone.
#'   For a folder, the paths of the written files.
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' release <- ov_publish(people, "age", "job", ov_l_diversity(3))
#' ov_report(release, tempfile(fileext = ".html"))
#' @export
ov_report <- function(release, path = NULL, policy = NULL, data = NULL, metadata = NULL,
                      template = NULL, language = NULL, evidence = NULL, progress = NULL) {
  if (is_path(release)) {
    if (!is.null(path)) {
      refuse("`path` is for a release object: the pages of a folder are written into it\n  help: leave it out")
    }
    options <- options_of("report", environment())
    given <- taken(data)
    policy <- if (!is.null(policy)) resolved(policy, list())
    evidence <- if (!is.null(evidence)) path_of(evidence, "evidence")
    return(document(ask(.Call(
      wrap__report, path.expand(release), policy, given$table, given$file, evidence, options, ticker(progress)
    ), policy)))
  }
  of_folders <- list(policy = policy, data = data, metadata = metadata, template = template, language = language, evidence = evidence)
  given <- names(Filter(Negate(is.null), of_folders))
  if (length(given)) {
    refuse(sprintf(
      "`%s` is for a release in a folder\n  help: write it with `ov_save(release, \"out\")`, then `ov_report(\"out\", ...)`", given[1]
    ))
  }
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
