#' openveil: publish microdata without disclosing sensitive values
#'
#' [ov_publish()] publishes a data frame, [ov_query()], [ov_fit()] and [ov_complete()] analyse a release,
#' [ov_inspect()], [ov_audit()] and [ov_risk()] look at tables, [ov_compare()] and [ov_attack()] try
#' policies and releases. `vignette("openveil")` publishes and analyses an example.
#'
#' Logic lives in the native part, which the command and the Python package share.
#'
#' @keywords internal
#' @importFrom stats coef confint formula nobs predict vcov
#' @useDynLib openveil, .registration = TRUE
"_PACKAGE"
