#' Publish a table
#'
#' `ov_publish()` anonymises a table and checks the result. It writes the release only if `out` names a
#' folder. Publish once: each run makes another release, and the guarantee covers one. `ov_plan()`
#' states what `ov_publish()` would do, without doing it. If the values of a table refuse a run or a plan, this
#' discloses something about them, so it is recorded in `owner/` of the policy's `output` (by default the folder
#' `out`), and later releases of policies with this `output` mention it. Give each table an `output` of its own.
#'
#' @param data A data frame (also a tibble or a data.table), or the path of a file. May be omitted if the
#'   policy names a file.
#' @param ... Arguments of [ov_policy()], in the order `known`, `secret`, `model`; or none if `policy` is
#'   given.
#' @param policy A policy from [ov_policy()], or the path of a policy file.
#' @param out A folder that gets `release/` (may be published) and `owner/` (may not).
#' @param test_seed A number for tests: equal seeds give equal random draws. The release is marked as
#'   unfit for publication.
#' @param i_accept_algorithm_disclosure `TRUE`: allow an algorithm that is known to disclose values.
#' @param certify `TRUE`: add a certificate for each person to the owner's part.
#' @param measure `TRUE`: measure errors with the true values, for the owner's part.
#' @param without_sample Files of samples from `ov_compare()`. Their rows are left out.
#' @param progress Whether to show progress. `NULL`: in interactive sessions, after one second.
#'
#' @return `ov_publish()` returns an object of class `openveil_release`, a list with `manifest`,
#'   `guarantee`, `warnings` and `checklist`. It has methods for `print()`, `summary()`, `plot()` and
#'   `as.data.frame()`. `ov_plan()` returns a list.
#'
#' @section Conditions:
#' Errors have the class `openveil_error`, and one of `openveil_policy_error`, `openveil_input`,
#' `openveil_check`, `openveil_file`, `openveil_refused`. `openveil_ineligible` means that the model asks more than the
#' table allows; it has the fields `value`, `share`, `largest_l` and `strata`. Every error has `column`,
#' `rows` and `help` if they are known. If only writing failed, `release` holds the release. Notes for the
#' owner are warnings of class `openveil_warning`; their field `made` holds the release.
#'
#' @examples
#' people <- data.frame(
#'   age = c(31, 34, 45, 52, 38, 29),
#'   job = c("nurse", "clerk", "nurse", "judge", "judge", "clerk")
#' )
#' release <- ov_publish(people, known = "age", secret = "job", model = ov_l_diversity(3))
#' release
#' as.data.frame(release)
#' @export
ov_publish <- function(data = NULL, ..., policy = NULL, out = NULL, test_seed = NULL,
                       i_accept_algorithm_disclosure = FALSE, certify = FALSE, measure = FALSE,
                       without_sample = character(), progress = NULL) {
  policy <- resolved(policy, list(...))
  if (is.null(data) && !is.null(policy$arguments) && is.null(policy$arguments$input)) {
    refuse("`data` is missing, and the policy names no file\n  help: pass `data`, or `input = \"people.csv\"`")
  }
  given <- taken(data)
  native <- ask(.Call(
    wrap__publish, policy, given$table, given$file, if (!is.null(out)) path_of(out, "out"),
    single_or_null(test_seed, "test_seed", "number"),
    single(i_accept_algorithm_disclosure, "i_accept_algorithm_disclosure", "flag"),
    single(certify, "certify", "flag"), single(measure, "measure", "flag"),
    path.expand(as.character(without_sample)), ticker(progress)
  ), policy)
  # First: the release is measured while it is written.
  saved <- if (!is.null(out)) tryCatch(written(native, out), openveil_error = identity)
  is_saved <- is.logical(saved)
  made <- ask(.Call(wrap__release_owner, native, policy))
  owner <- made$owner
  owner$warnings <- made$warnings
  release <- release_of(native, given$like, owner, path = if (is_saved) out)
  if (!is.null(out) && !is_saved) {
    # Another run would be another release, so the condition carries this one.
    saved$release <- release
    stop(saved)
  }
  if (isTRUE(saved)) note(replaced, release)
  note(release$warnings, release)
  release
}

#' @rdname ov_publish
#' @export
ov_plan <- function(data = NULL, ..., policy = NULL) {
  policy <- resolved(policy, list(...))
  given <- taken(data)
  planned <- ask(.Call(wrap__plan, policy, given$table, given$file, ticker()), policy)
  note(as.character(planned$warnings))
  document(planned)
}

#' Write and read a release
#'
#' `ov_save()` writes a release into a folder, `read_release()` reads it back. A release object that
#' `saveRDS()` stored is read again from its folder, whose path is stored; without a folder it ends with the session, as
#' its warnings and checklist do. Fits and policies need no folder.
#'
#' @param release A release from [ov_publish()].
#' @param path A folder. `ov_save()` writes `release/` (may be published) and `owner/` (may not) into
#'   it, completely or not at all.
#' @param like A data frame. Tables are returned as its class, with the types of its columns.
#'
#' @return `ov_save()` returns the path, invisibly. `read_release()` returns a release without the
#'   owner's part.
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' release <- ov_publish(people, "age", "job", ov_l_diversity(3), style = "anatomy")
#' folder <- file.path(tempdir(), "out")
#' ov_save(release, folder)
#' read_release(folder)
#' @export
ov_save <- function(release, path) {
  if (written(native_of(release), path)) note(replaced)
  held <- unclass(release)$native
  held$path <- normalizePath(path)
  invisible(path)
}

# Writes a release into a folder; returns whether it replaced an earlier one.
written <- function(native, path) ask(.Call(wrap__release_save, native, path_of(path, "path")))

replaced <- paste(
  "this release replaced an earlier one in the same folder. The guarantee covers one run:",
  "if the earlier release was given to anybody, this is a second release"
)

#' @rdname ov_save
#' @export
read_release <- function(path, like = NULL) {
  path <- path_of(path, "path")
  release_of(ask(.Call(wrap__release_read, path)), if (!is.null(like)) kind_of(like), path = path)
}
