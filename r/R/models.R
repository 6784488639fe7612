#' Privacy models
#'
#' Each function returns a privacy model: a condition that a release must satisfy. `ov_all_of()`
#' combines several models.
#'
#' Begin with `ov_l_diversity()`: a person's value can then be guessed with a chance of at most 1/l. The
#' other models come from the literature; the policy reference (`docs/reference/policy.md`) describes
#' them.
#'
#' @param l Number of values: at least 2 (`"entropy"`: above 1).
#' @param variant `"ratio"` (default: no value has a share above 1/l in a group), `"distinct"` (at least
#'   l values in a group), `"entropy"` (an entropy of at least log l) or `"recursive"`, which needs `c`.
#'   For `ov_beta_likeness()`: `"basic"` (default) or `"enhanced"`.
#' @param c Factor of recursive diversity, above 0.
#' @param k Number of rows of the smallest group.
#' @param alpha Largest share of a value in a group, from 0 to 1. For `ov_l_alpha_diversity()`: the
#'   smallest total weight of a group.
#' @param p Number of values in a group, from 2 to `k`.
#' @param t Largest distance of a group from the whole table, from 0 to 1.
#' @param distance How distances are measured: `"equal"`, `"ordered"` or `"hierarchical"`; for
#'   `ov_kifer()` `"total-variation"`, `"maximum"`, `"euclidean"` or `"kullback-leibler"`.
#' @param rho1,rho2 A value with a share of at most `rho1` in the table must have a share below `rho2` in
#'   each group.
#' @param bound Largest distance of a group from the whole table.
#' @param beta Largest relative gain of a value's share in a group over its share in the table.
#' @param delta Bound on the logarithm of the ratio of both shares.
#' @param categories All values of the sensitive column by category, the most sensitive category
#'   first: a list of character vectors.
#' @param weights,over How categories are weighed: see the policy reference.
#' @param ... Models to be combined.
#'
#' @return A model: an object of class `openveil_model`.
#' @examples
#' ov_l_diversity(5)
#' ov_all_of(ov_l_diversity(3, "distinct"), ov_t_closeness(0.3))
#' @name models
NULL

model <- function(name, ...) {
  given <- Filter(Negate(is.null), list(...))
  structure(list(c(list(model = name), given)), class = "openveil_model")
}

#' @rdname models
#' @export
ov_l_diversity <- function(l, variant = NULL, c = NULL) {
  model("l-diversity", variant = variant, l = l, c = c)
}

#' @rdname models
#' @export
ov_k_anonymity <- function(k) model("k-anonymity", k = k)

#' @rdname models
#' @export
ov_alpha_k_anonymity <- function(alpha, k) model("alpha-k-anonymity", alpha = alpha, k = k)

#' @rdname models
#' @export
ov_p_sensitive_k_anonymity <- function(p, k) model("p-sensitive-k-anonymity", p = p, k = k)

#' @rdname models
#' @export
ov_t_closeness <- function(t, distance = "equal") model("t-closeness", t = t, distance = distance)

#' @rdname models
#' @export
ov_rho1_rho2 <- function(rho1, rho2) model("rho1-rho2", rho1 = rho1, rho2 = rho2)

#' @rdname models
#' @export
ov_kifer <- function(bound, distance) model("kifer", bound = bound, distance = distance)

#' @rdname models
#' @export
ov_beta_likeness <- function(beta, variant = NULL) model("beta-likeness", beta = beta, variant = variant)

#' @rdname models
#' @export
ov_delta_disclosure <- function(delta) model("delta-disclosure", delta = delta)

#' @rdname models
#' @export
ov_l_alpha_diversity <- function(l, alpha, categories, variant = NULL, weights = NULL, beta = NULL,
                                 c = NULL, over = NULL) {
  model("l-alpha-diversity",
    variant = variant, l = l, alpha = alpha, categories = lapply(unname(categories), as.list),
    weights = weights, beta = beta, c = c, over = over
  )
}

#' @rdname models
#' @export
ov_all_of <- function(...) {
  if (!...length() || !all(vapply(list(...), inherits, TRUE, "openveil_model"))) {
    refuse("`ov_all_of()` takes models\n  help: write `ov_all_of(ov_l_diversity(3), ov_t_closeness(0.3))`", "policy")
  }
  structure(unlist(lapply(list(...), unclass), recursive = FALSE), class = "openveil_model")
}

#' @export
format.openveil_model <- function(x, ...) {
  each <- vapply(unclass(x), function(one) {
    rest <- one[names(one) != "model"]
    said <- paste(names(rest), vapply(rest, function(own) paste(deparse(own), collapse = " "), ""), sep = " = ")
    sprintf("ov_%s(%s)", gsub("-", "_", one$model), paste(said, collapse = ", "))
  }, "")
  if (length(each) == 1) each else sprintf("ov_all_of(%s)", paste(each, collapse = ", "))
}

#' @export
print.openveil_model <- function(x, ...) {
  cat("<openveil model> ", format(x), "\n", sep = "")
  invisible(x)
}
