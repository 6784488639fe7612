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

# A pronoun of ggplot2.
utils::globalVariables(".data")

#' @exportS3Method ggplot2::autoplot
autoplot.openveil_figures <- function(object, ...) {
  by <- intersect(attr(object, "by"), names(object))
  data <- data.frame(estimate = object$estimate, low = object$low, high = object$high)
  each <- lapply(unclass(object)[by], function(column) if (is.factor(column)) as.character(column) else format(column))
  labels <- if (length(by)) do.call(paste, c(each, sep = ", ")) else rep("", nrow(data))
  # The first row is on top.
  data$label <- factor(labels, rev(unique(labels)))
  ggplot2::ggplot(data, ggplot2::aes(x = .data$estimate, y = .data$label, xmin = .data$low, xmax = .data$high)) +
    ggplot2::geom_pointrange() +
    ggplot2::labs(x = "estimate and 95 % interval", y = paste(by, collapse = ", "))
}

#' @exportS3Method ggplot2::autoplot
autoplot.openveil_release <- function(object, ...) {
  learned <- object$manifest$utility$learned
  if (!length(learned)) {
    refuse("the release does not say how often a reader guesses right: it is too large, or has too few groups")
  }
  # The three numbers of the report: what a reader who learns from the release guesses.
  of <- c("in the table", "outside", "difference")
  rows <- lapply(learned, function(own) {
    outside <- if (is.null(own$outside)) NA_real_ else own$outside
    shares <- c(own$believed, outside, max(own$believed - outside, 0))
    data.frame(secret = own$sensitive, of = factor(of, of), percent = 100 * shares)
  })
  ggplot2::ggplot(do.call(rbind, rows), ggplot2::aes(x = .data$of, y = .data$percent)) +
    ggplot2::geom_col(na.rm = TRUE) +
    ggplot2::facet_wrap(~secret) +
    ggplot2::labs(x = NULL, y = "guessed right, %")
}
