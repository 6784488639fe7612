#' Ask a release
#'
#' Estimates counts, means and quantiles from a release alone, each with a 95 % interval. The figures
#' can be split by the values of any columns.
#'
#' @param release A release from [ov_publish()] or [read_release()].
#' @param by Columns to split the figures by; `NULL` for a single figure.
#' @param where Conditions on rows, joined by `and`: `"age >= 30 and sex = Female"`. The operators are `=`,
#'   `!=`, `<`, `<=`, `>`, `>=` and `in (a, b)`. Put values with blanks in quotes. For a labelled column use
#'   the labels, not the codes.
#' @param mean,quantile A column of numbers. Its mean or quantile is estimated instead of a count.
#' @param share Which quantile, from 0 to 1; 0.5 is the median.
#' @param bins Borders that cut columns of `by` into intervals: `list(age = c(0, 30, 60))` makes `[0,
#'   30)` and `[30, 60)`.
#' @param weight A column of numbers: how many people of a population a row stands for.
#' @param min For tables in print: suppress counts below this number. The table then has `count` instead
#'   of estimates.
#' @param round For tables in print: round counts to multiples of this number.
#' @param worlds Number of tables that are drawn from the fitted model, published and fitted again. Their
#'   errors give the bias and the interval. More worlds take longer and make the intervals more precise;
#'   0 means none.
#' @param seed A number; equal seeds give equal figures.
#' @param policy,data The policy and the table that the release was made from. The answer to `where` then
#'   includes the true count, `true`. For the owner only.
#' @param progress As in [ov_publish()].
#'
#' @return A data frame of class `openveil_figures` with the columns of `by`, and:
#' * `estimate`, `low` and `high`: the estimate and its 95 % interval;
#' * `method`: `"exact"` (the release shows the figure), `"fit-and-worlds"` (a fitted model, with its
#'   error), `"fit"` (the model alone; counts certainly lie between `low` and `high`) or `"bounds"` (no
#'   model could be fitted; the figure certainly lies between them);
#' * `deal_error`: the part of the error that comes from the random assignment of rows to groups.
#'
#' A table of counts by a known and a secret column has an attribute `independence`: a χ² test, corrected
#' for what the release hides (`chi2`, `freedom`, `p`).
#'
#' `plot()` draws the estimates with their intervals.
#' @examples
#' people <- data.frame(
#'   age = 20 + 1:120 %% 40, sex = c("f", "m"), job = c("nurse", "clerk", "judge", "smith", "cook")
#' )
#' release <- ov_publish(people, c("age", "sex"), "job", ov_l_diversity(3), style = "anatomy")
#' ov_query(release, by = "sex", worlds = 0)
#' ov_query(release, where = "age >= 30 and sex = f", worlds = 0)
#' @export
ov_query <- function(release, by = NULL, where = NULL, mean = NULL, quantile = NULL, share = 0.5,
                     bins = NULL, weight = NULL, min = NULL, round = NULL, worlds = 8, seed = 1,
                     policy = NULL, data = NULL, progress = NULL) {
  release <- released(release)
  native <- native_of(release)
  tick <- ticker(progress)
  effort <- effort_of(worlds, seed)
  where <- single_or_null(where, "where", "text")
  if (!is.null(by) && (!is.character(by) || anyNA(by))) refuse("`by` takes names of columns")
  if (is.null(by) && !is.null(where) && is.null(mean) && is.null(quantile) && is.null(weight)) {
    if (!is.null(policy)) policy <- resolved(policy, list())
    given <- taken(data)
    made <- ask(.Call(
      wrap__release_count, native, where, policy, given$table, given$file, effort, tick
    ), policy)
    note(as.character(made$notes))
    frame <- data.frame(
      estimate = made$estimate, low = made$interval[1], high = made$interval[2], method = made$method,
      deal_error = if (is.null(made$deal_error)) NA_real_ else made$deal_error
    )
    if (!is.null(made$true)) frame$true <- made$true
    return(figures(frame, character()))
  }
  if (!is.null(policy)) {
    refuse("true counts are possible for a single figure only\n  help: leave `by`, `mean`, `quantile` and `weight` out")
  }
  if (!is.null(mean) && !is.null(quantile)) {
    refuse("`mean` and `quantile` are two questions\n  help: ask one of them")
  }
  column <- if (is.null(mean)) single_or_null(quantile, "quantile", "text") else single(mean, "mean", "text")
  made <- ask(.Call(
    wrap__release_crosstab, native, utf8(as.character(by), "by"), where, column,
    if (!is.null(quantile)) single(share, "share", "number"), in_utf8(lapply(as.list(bins), borders), "bins"),
    single_or_null(weight, "weight", "text"), rounding_of(min, round), effort, tick
  ))
  note(made$notes)
  frame <- figures(frame_of(made$columns, release$like["columns"]), as.character(by))
  if (!is.null(made$independence)) {
    attr(frame, "independence") <- stats::setNames(made$independence, c("chi2", "freedom", "p"))
  }
  frame
}

# Returns the effort of a fit: the number of worlds and the seed.
effort_of <- function(worlds, seed) c(single(worlds, "worlds", "whole"), single(seed, "seed", "whole"))

# Returns borders of bins as texts: numbers, or days.
borders <- function(own) {
  if (inherits(own, "POSIXt")) {
    if (any(format(own, "%H%M%S") != "000000")) {
      refuse("borders must be dates: a release has no times of day\n  help: `bins = list(day = as.Date(...))`")
    }
    own <- as.Date(format(own, "%Y-%m-%d"))
  }
  if (anyNA(own) || is.numeric(own) && !all(is.finite(own))) {
    refuse("borders of `bins` are finite")
  }
  if (is.numeric(own)) {
    vapply(own, format, "", digits = 15, trim = TRUE, scientific = FALSE)
  } else {
    utf8(as.character(own), "bins")
  }
}

# The rule for counts in print: the least count and what counts are multiples of, or NULL.
rounding_of <- function(min, round) {
  if (is.null(min) && is.null(round)) {
    return(NULL)
  }
  rule <- c(if (is.null(min)) 0 else single(min, "min", "number"), if (is.null(round)) 1 else single(round, "round", "number"))
  if (any(rule < 0) || any(rule %% 1 != 0)) refuse("`min` and `round` take whole numbers from 0 on")
  as.double(rule)
}

figures <- function(frame, by) structure(frame, class = c("openveil_figures", "data.frame"), by = by)

#' @export
print.openveil_figures <- function(x, digits = 4, ...) {
  shown <- x
  class(shown) <- "data.frame"
  for (name in attr(x, "by")) {
    if (inherits(shown[[name]], c("haven_labelled", "haven_labelled_spss"))) {
      shown[[name]] <- values_of_labelled(shown[[name]], name)
    }
  }
  print(shown, digits = digits, row.names = FALSE, ...)
  invisible(x)
}

#' @export
plot.openveil_figures <- function(x, ..., xlab = "estimate and 95 % interval") {
  by <- intersect(attr(x, "by"), names(x))
  labels <- if (length(by)) do.call(paste, c(lapply(by, function(name) format(x[[name]])), sep = ", ")) else ""
  rows <- rev(seq_len(nrow(x)))
  range <- range(x$low, x$high, x$estimate, na.rm = TRUE)
  graphics::dotchart(x$estimate[rows], labels = labels[rows], xlim = range, xlab = xlab, ...)
  graphics::segments(x$low[rows], seq_along(rows), x$high[rows], seq_along(rows))
  invisible(x)
}

#' Fit a regression to a release
#'
#' Estimates a regression of the secret column on known columns, from a release alone. For a secret column
#' of numbers this is a linear regression, for any other a multinomial logit. Values have the release's
#' order: alphabetical, or the order of an ordered factor. Standard errors include two sources: sampling
#' people (a sample as large as the table), and the release.
#'
#' @param formula `job ~ age + sex`; `a:b` is an interaction, `a * b` both columns and their interaction,
#'   `.` all known columns. `factor()` of a column of texts is that column. Other functions, and formulas without an
#'   intercept, are refused: fit them to [ov_complete()]'s tables.
#' @param reference Values that the other values of a column are compared with: `c(job = "nurse")`. By
#'   default the first, and a missing value only if there is no other.
#' @inheritParams ov_query
#' @param object,x A fit.
#' @param parm Coefficients, by name or number; default all.
#' @param level The level of the intervals, between 0 and 1.
#' @param newdata A data frame with the known columns of the formula: factors, texts, or labelled columns
#'   with labels. Values are brought to the release's form (`top`, `bottom`, `floor`); labels of a hierarchy are given
#'   as the release shows them. A value that no row of the release has is an error.
#' @param type `"response"`: means of a linear regression, or the probabilities of the values of a
#'   logit (a matrix with a row for each row of `newdata`); `"class"`: the most likely value of a
#'   logit; `"link"`: the linear predictor.
#' @param ... Not used.
#'
#' @return An object of class `openveil_fit` with methods for `coef()`, `vcov()`, `confint()`,
#'   `predict()`, `summary()`, `nobs()`, `formula()` and `update()`. It has no `logLik()`. Coefficients of a logit are named
#'   `value:term`.
#' @examples
#' people <- data.frame(
#'   age = 20 + 1:2000 %% 40, sex = c("f", "m"), job = c("nurse", "clerk", "judge", "smith", "cook")
#' )
#' release <- ov_publish(people, c("age", "sex"), "job", ov_l_diversity(2), style = "anatomy")
#' fit <- ov_fit(job ~ age + sex, release, worlds = 0)
#' coef(fit)
#' predict(fit, data.frame(age = 30, sex = "f"))
#' @export
ov_fit <- function(formula, release, worlds = 8, seed = 1, reference = NULL, progress = NULL) {
  call <- match.call()
  # `do.call()` puts the formula itself into the call.
  if (inherits(call$formula, "formula")) call$formula <- without_tables(call$formula)
  release <- released(release)
  native <- native_of(release)
  columns <- Filter(function(own) own$role == "quasi-identifier", release$manifest$columns)
  names(columns) <- vapply(columns, function(own) own$name, "")
  types <- vapply(columns, function(own) if (is.null(own$type)) "text" else own$type, "")
  given <- formula
  formula <- if (inherits(formula, "formula")) formula_text(formula, types) else single(formula, "formula", "text")
  if (length(reference) && (is.null(names(reference)) || any(names(reference) == ""))) {
    refuse("`reference` lacks names\n  help: name the columns: `reference = c(job = \"nurse\")`")
  }
  reference <- vapply(reference, function(own) single(as.character(own), "reference", "text"), "")
  made <- ask(.Call(
    wrap__release_regression, native, formula, utf8(as.character(names(reference)), "reference"),
    utf8(as.character(reference), "reference"), effort_of(worlds, seed), ticker(progress)
  ))
  coefficients <- made$document$coefficients
  part <- function(name, kind = 0) vapply(coefficients, function(own) own[[name]], kind)
  terms <- part("term", "")
  names <- if (is.null(made$document$baseline)) terms else paste(part("value", ""), terms, sep = ":")
  levels <- lapply(made$document$levels, function(own) as.character(own$values))
  names(levels) <- vapply(made$document$levels, function(own) own$column, "")
  note(as.character(made$document$notes))
  structure(
    list(
      coefficients = stats::setNames(part("estimate"), names),
      std_errors = stats::setNames(part("std_error"), names),
      intervals = t(vapply(coefficients, function(own) own$interval, c(0, 0))),
      covariance = matrix(made$covariance, length(names), dimnames = list(names, names)),
      terms = terms, columns = made$columns, of = made$values, known = columns, levels = levels,
      values = if (!is.null(made$document$baseline)) part("value", ""),
      baseline = made$document$baseline, kind = made$document$kind, formula = without_tables(stats::as.formula(given)),
      check = stats::setNames(
        vapply(made$document$check, function(own) own$verdict, ""),
        vapply(made$document$check, function(own) own$column, "")
      ),
      rows = made$document$rows, groups = made$document$groups, call = call, notes = as.character(made$document$notes)
    ),
    class = "openveil_fit"
  )
}

# Returns a formula without the caller's environment: `saveRDS()` would store the tables in it.
without_tables <- function(formula) {
  environment(formula) <- globalenv()
  formula
}

# The way to models that a fit of a release does not have.
by_completed <- paste(
  "complete the release and fit any model to each table:",
  "`mitools::MIcombine(with(ov_complete(release), glm(...)))`"
)

# Returns a formula as text: names in quotes, joined by `+`, `:` and `*`. `types` are those of known columns.
formula_text <- function(formula, types) {
  refuse_part <- function(part, why, way = by_completed) {
    refuse(sprintf("the formula contains `%s`, %s\n  help: %s", paste(deparse(part), collapse = " "), why, way))
  }
  words <- function(part) {
    if (is.name(part)) {
      name <- enc2utf8(as.character(part))
      quote <- if (grepl("\"", name, fixed = TRUE)) "'" else "\""
      return(if (name == ".") name else paste0(quote, name, quote))
    }
    sign <- if (is.call(part)) as.character(part[[1]])[1] else ""
    if (sign %in% c("+", ":", "*") && length(part) == 3 && !identical(part[[3]], 0)) {
      return(paste(words(part[[2]]), sign, words(part[[3]])))
    }
    if (sign == "(") {
      return(words(part[[2]]))
    }
    # A column of texts enters a fit by its values anyway.
    if (sign %in% c("factor", "as.factor") && length(part) == 2 && is.name(part[[2]])) {
      name <- as.character(part[[2]])
      if (name %in% names(types)[types == "text"]) {
        return(words(part[[2]]))
      }
      if (name %in% names(types)) {
        refuse_part(part, "but the release has numbers there", sprintf(
          "publish it as a text (`transform(data, %s = as.character(%s))`), or %s", name, name, by_completed
        ))
      }
    }
    if (sign == "-" || sign == "+") refuse_part(part, "but an intercept is always there, and columns are not left out of `.`")
    if (sign %in% c("|", "/", "^", "%in%")) {
      refuse_part(part, "which a fit does not read", "write names of columns, joined by `+`, `:` and `*`")
    }
    if (is.call(part)) refuse_part(part, "but a fit of a release takes columns as they are published")
    refuse_part(part, "which is not a column", "write names of columns, joined by `+`, `:` and `*`")
  }
  if (length(formula) != 3) {
    refuse("the formula has no secret column before `~`\n  help: write `job ~ age + sex`")
  }
  paste(words(formula[[2]]), "~", words(formula[[3]]))
}

#' @importFrom stats logLik
#' @export
logLik.openveil_fit <- function(object, ...) {
  refuse(paste(
    "a fit of a release has no likelihood of rows: its coefficients are corrected for the values that the release hides,",
    "so `logLik()`, `AIC()` and `BIC()` are not defined\n  help: compare models by a Wald test: `coef(fit)` and `vcov(fit)`"
  ))
}

#' @rdname ov_fit
#' @export
coef.openveil_fit <- function(object, ...) object$coefficients

#' @rdname ov_fit
#' @export
vcov.openveil_fit <- function(object, ...) object$covariance

#' @rdname ov_fit
#' @export
confint.openveil_fit <- function(object, parm, level = 0.95, ...) {
  if (!is.numeric(level) || length(level) != 1 || !isTRUE(level > 0 && level < 1)) {
    refuse("`level` must be a number between 0 and 1")
  }
  names <- names(object$coefficients)
  # Intervals of other levels are scaled as for a normal error.
  scale <- stats::qnorm((1 + level) / 2) / stats::qnorm(0.975)
  shares <- paste(format(100 * c((1 - level) / 2, (1 + level) / 2), trim = TRUE, digits = 3), "%")
  made <- object$coefficients + (object$intervals - object$coefficients) * scale
  dimnames(made) <- list(names, shares)
  if (missing(parm)) {
    return(made)
  }
  unknown <- setdiff(parm, if (is.numeric(parm)) seq_along(names) else names)
  if (length(unknown)) refuse(sprintf("unknown coefficient `%s`", unknown[1]))
  made[parm, , drop = FALSE]
}

#' @rdname ov_fit
#' @export
nobs.openveil_fit <- function(object, ...) object$rows

#' @rdname ov_fit
#' @export
formula.openveil_fit <- function(x, ...) x$formula

#' @rdname ov_fit
#' @export
predict.openveil_fit <- function(object, newdata, type = c("response", "class", "link"), ...) {
  chkDots(...)
  type <- match.arg(type)
  if (missing(newdata) || !is.data.frame(newdata)) {
    refuse("`newdata` must be a data frame with the known columns of the formula")
  }
  is_logit <- !is.null(object$baseline)
  terms <- which(!duplicated(object$terms))
  design <- vapply(terms, term_values, numeric(nrow(newdata)), fit = object, data = newdata)
  design <- matrix(design, nrow(newdata), length(terms))
  if (!is_logit) {
    if (type == "class") {
      refuse("a linear regression has no classes\n  help: set `type = \"response\"`")
    }
    return(drop(design %*% object$coefficients))
  }
  values <- unique(object$values)
  link <- design %*% matrix(object$coefficients, length(terms))
  colnames(link) <- values
  if (type == "link") {
    return(link)
  }
  link <- cbind(rep(0, nrow(link)), link)
  colnames(link)[1] <- object$baseline
  chances <- exp(link - apply(link, 1, max))
  chances <- chances / rowSums(chances)
  if (type == "response") chances else colnames(chances)[max.col(chances, ties.method = "first")]
}

# Returns the design matrix's column for the term of a coefficient.
term_values <- function(at, fit, data) {
  made <- rep(1, nrow(data))
  for (part in seq_along(fit$columns[[at]])) {
    name <- fit$columns[[at]][part]
    value <- fit$of[[at]][part]
    if (!name %in% names(data)) {
      refuse(sprintf("`newdata` has no column `%s`\n  help: name the columns of the formula", name))
    }
    own <- shown(data[[name]], fit$known[[name]])
    if (is.na(value)) {
      made <- made * own
      next
    }
    levels <- fit$levels[[name]]
    if (missing_label %in% levels) own[is.na(own)] <- missing_label
    unknown <- setdiff(own, c(levels, NA))
    if (length(unknown)) {
      refuse(
        sprintf(
          "column `%s` of `newdata`: no row of the release has `%s`\n  help: give the values as the release shows them: %s",
          name, unknown[1], paste(levels, collapse = ", ")
        ),
        fields = list(column = name)
      )
    }
    made <- made * (own == value)
  }
  made
}

#' @export
print.openveil_fit <- function(x, ...) {
  cat(sprintf("%s of %s: %s rows in %s groups\n\n", x$kind, deparse1(x$formula), grouped(x$rows), grouped(x$groups)))
  print(x$coefficients, ...)
  invisible(x)
}

#' @export
summary.openveil_fit <- function(object, ...) {
  # From the interval's width, so that error, test and interval agree about zero.
  error <- (object$intervals[, 2] - object$intervals[, 1]) / 2 / stats::qnorm(0.975)
  ratio <- object$coefficients / error
  structure(
    list(
      fit = object,
      coefficients = cbind(
        Estimate = object$coefficients, `Std. Error` = error, `z value` = ratio,
        `Pr(>|z|)` = 2 * stats::pnorm(-abs(ratio))
      )
    ),
    class = "summary.openveil_fit"
  )
}

#' @export
print.summary.openveil_fit <- function(x, ...) {
  fit <- x$fit
  cat(sprintf("%s of %s: %s rows in %s groups\n", fit$kind, deparse1(fit$formula), grouped(fit$rows), grouped(fit$groups)))
  if (!is.null(fit$baseline)) cat("Baseline:", fit$baseline, "\n")
  cat("\n")
  stats::printCoefmat(x$coefficients, ...)
  cat("\nStandard errors contain the sampling error of people (for a sample as large as the table) and the error of the release.\n")
  if (length(fit$notes)) cat(paste0(fit$notes, "\n"), sep = "")
  invisible(x)
}

#' Complete a release
#'
#' `ov_complete()` draws `m` synthetic tables from the release with the fitted model (multiple imputation). Analyse each
#' table, and combine the results by Rubin's rules. `ov_weights()` returns a line for each row and each value that the row
#' may have, with the value's probability as `weight`. Use it for models that take weights; these are not survey weights.
#' `ov_sample()` draws rows without fitting a model. A drawn row does not describe any person.
#'
#' @inheritParams ov_query
#' @param m Number of tables, up to 1000.
#' @param n Number of rows.
#' @param data,x Completed tables.
#' @param row.names,optional Not used.
#' @param expr An expression that is evaluated in each table, such as `lm(pay ~ age)`.
#' @param ... Not used.
#'
#' @return `ov_complete()` returns a list of data frames of class `openveil_completed`.
#'   `mitools::imputationList()` accepts it (and through that `survey::svydesign()`). The tables have the
#'   known columns and the secret column. If an analysis needs a survey weight, publish it as a known column.
#'   `as.data.frame()` returns the tables stacked, numbered in `.imp`. `with()` returns a list of fits for
#'   `mitools::MIcombine()` or, after `mice::as.mira()`, `mice::pool()`. `ov_weights()` and `ov_sample()`
#'   return data frames; `row` is the number of the row in the release, from 1.
#' @examples
#' people <- data.frame(age = 20 + 1:2000 %% 40, sex = c("f", "m"), pay = 1000 + 1:2000 %% 37)
#' release <- ov_publish(people, c("age", "sex"), "pay", ov_l_diversity(2), style = "anatomy")
#' tables <- ov_complete(release, m = 3, worlds = 0)
#' fits <- with(tables, lm(pay ~ age))
#' head(ov_weights(release, worlds = 0))
#' @export
ov_complete <- function(release, m = 20, worlds = 8, seed = 1, progress = NULL) {
  release <- released(release)
  tables <- ask(.Call(
    wrap__release_completed, native_of(release), single(m, "m", "whole"), effort_of(worlds, seed), ticker(progress)
  ))
  structure(lapply(tables, frame_of, like = release$like), class = c("openveil_completed", "list"))
}

#' @rdname ov_complete
#' @export
ov_weights <- function(release, worlds = 8, seed = 1, progress = NULL) {
  release <- released(release)
  made <- ask(.Call(
    wrap__release_weights, native_of(release), effort_of(worlds, seed), ticker(progress)
  ))
  frame <- frame_of(made, release$like)
  # Rows are counted from 1 in R.
  frame$row <- frame$row + 1L
  frame
}

#' @rdname ov_complete
#' @export
ov_sample <- function(release, n, seed = NULL) {
  release <- released(release)
  frame_of(ask(.Call(wrap__release_sample, native_of(release), single(n, "n", "whole"),
    single_or_null(seed, "seed", "number"), ticker())), release$like)
}

#' @rdname ov_complete
#' @export
with.openveil_completed <- function(data, expr, ...) {
  expr <- substitute(expr)
  caller <- parent.frame()
  lapply(unclass(data), function(table) eval(expr, table, caller))
}

#' @export
`[.openveil_completed` <- function(x, i) structure(unclass(x)[i], class = class(x))

#' @rdname ov_complete
#' @export
as.data.frame.openveil_completed <- function(x, row.names = NULL, optional = FALSE, ...) {
  each <- lapply(seq_along(x), function(at) cbind(.imp = at, as.data.frame(x[[at]])))
  do.call(rbind, each)
}

#' @export
print.openveil_completed <- function(x, ...) {
  cat(sprintf("<openveil: %d completed tables of %s rows>\n", length(x), grouped(nrow(x[[1]]))))
  print(utils::head(x[[1]], 3))
  invisible(x)
}
