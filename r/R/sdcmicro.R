#' A policy from an object of sdcMicro
#'
#' Returns a policy with the roles that columns have in an `sdcMicroObj`: key variables (`keyVars`,
#' `numVars`, `pramVars`) are known, `sensibleVar` is secret, `strataVar` gives the strata, `hhId`
#' identifies a household and is not published, and `weightVar` becomes `other`: published, but
#' shuffled inside each group.
#'
#' If members of a household share the secret, add `ties = list(id = )` with the household's column. If
#' they do not, add `rows_are_people = TRUE`. [ov_publish()] refuses the table until one of the two is
#' given.
#'
#' sdcMicro publishes columns without a role as they are. This function drops them unless `rest =
#' "other"`.
#'
#' @param object An object of class `sdcMicroObj`.
#' @param model A privacy model, such as [ov_l_diversity()].
#' @param secret The secret column, if the object names none.
#' @param rest How to treat columns without a role: `"drop"`, or `"other"` (published unprotected,
#'   shuffled inside each group).
#' @param ... Further arguments of [ov_policy()].
#' @return An object of class `openveil_policy`. The table is `object@origData`.
#' @examples
#' if (requireNamespace("sdcMicro", quietly = TRUE)) {
#'   data("testdata", package = "sdcMicro", envir = environment())
#'   object <- sdcMicro::createSdcObj(testdata, c("urbrur", "sex", "age"), weightVar = "sampling_weight")
#'   ov_from_sdcmicro(object, ov_l_diversity(2), secret = "relat")
#' }
#' @export
ov_from_sdcmicro <- function(object, model, secret = NULL, rest = c("drop", "other"), ...) {
  if (!inherits(object, "sdcMicroObj")) {
    refuse("this is not an object of sdcMicro\n  help: make one with `sdcMicro::createSdcObj()`")
  }
  rest <- match.arg(rest)
  all <- names(methods::slot(object, "origData"))
  columns <- function(name) {
    # Slots differ between versions of sdcMicro.
    own <- if (methods::.hasSlot(object, name)) methods::slot(object, name)
    if (is.numeric(own)) all[own] else as.character(own)
  }
  if (is.null(secret)) secret <- columns("sensibleVar")
  if (!length(secret)) {
    refuse("the object names no sensitive column\n  help: set `secret = `", "policy")
  }
  strata <- columns("strataVar")
  households <- columns("hhId")
  known <- setdiff(unique(c(columns("keyVars"), columns("numVars"), columns("pramVars"), strata)), c(secret, households))
  weights <- setdiff(columns("weightVar"), c(known, secret))
  named <- c(known, secret, weights, households)
  none_if_empty <- function(own) if (length(own)) own
  ov_policy(
    known = known, secret = secret, model = model, identifier = none_if_empty(households),
    other = none_if_empty(c(weights, if (rest == "other") setdiff(all, c(named, columns("excludeVars"))))),
    drop = if (rest == "drop") TRUE else none_if_empty(setdiff(columns("excludeVars"), named)),
    strata = none_if_empty(strata), ...
  )
}
