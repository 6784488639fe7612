# Methods by which other packages read fits and releases.

#' @exportS3Method generics::tidy
tidy.openveil_fit <- function(x, conf.int = FALSE, conf.level = 0.95, ...) {
  found <- summary(x)$coefficients
  made <- data.frame(
    term = unname(x$terms), estimate = found[, 1], std.error = found[, 2], statistic = found[, 3],
    p.value = found[, 4], row.names = NULL
  )
  # As `nnet::multinom`'s: a line for each value and term.
  if (!is.null(x$baseline)) made <- cbind(y.level = unname(x$values), made)
  if (conf.int) {
    ends <- confint(x, level = conf.level)
    made$conf.low <- unname(ends[, 1])
    made$conf.high <- unname(ends[, 2])
  }
  made
}

#' @exportS3Method generics::glance
glance.openveil_fit <- function(x, ...) {
  data.frame(kind = x$kind, nobs = x$rows, groups = x$groups, baseline = if (is.null(x$baseline)) NA else x$baseline)
}

#' @importFrom utils head
#' @export
head.openveil_release <- function(x, n = 6L, ...) head(as.data.frame(x), n, ...)

#' @importFrom utils tail
#' @export
tail.openveil_release <- function(x, n = 6L, ...) tail(as.data.frame(x), n, ...)
