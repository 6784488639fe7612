#' openveil: publish microdata without disclosing sensitive values
#'
#' [ov_publish()] publishes a data frame, [ov_query()], [ov_fit()] and [ov_complete()] analyse a release,
#' [ov_inspect()], [ov_audit()] and [ov_risk()] examine tables, [ov_compare()] compares policies,
#' and [ov_attack()] attacks releases. `vignette("openveil")` publishes and analyses an example.
#'
#' The command, the Python package and this package share one engine, written in Rust.
#'
#' @keywords internal
#' @importFrom stats coef confint formula nobs predict vcov
#' @useDynLib openveil, .registration = TRUE
"_PACKAGE"
