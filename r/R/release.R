# Release objects and their printing.

release_of <- function(native, like, owner = list(), path = NULL) {
  manifest <- ask(.Call(wrap__release_manifest, native))
  # Columns that are not published leave no trace in the object.
  published <- unlist(lapply(manifest$columns, function(own) own$name))
  like$columns <- published_like(like$columns[intersect(names(like$columns), published)], native, manifest)
  # Without a table to be like, codes come with the labels of the manifest.
  if (is.null(like) && requireNamespace("haven", quietly = TRUE)) {
    coded <- Filter(function(own) length(own$codes$labels) > 0, manifest$columns)
    like$columns <- stats::setNames(lapply(coded, labelled_of), vapply(coded, function(own) own$name, ""))
  }
  # An environment: the release that `saveRDS()` stored is read again once, for all copies.
  held <- new.env(parent = emptyenv())
  held$pointer <- native
  held$path <- if (!is.null(path)) normalizePath(path)
  if (length(owner)) tell_owner(held, owner)
  structure(
    list(native = held, like = like, manifest = document(manifest), guarantee = document(manifest$guarantee)),
    class = "openveil_release"
  )
}

# Warnings and checklists of the releases that this session made, by their pointer. They are for the owner, so they are
# not in the object, which `saveRDS()` stores.
told <- new.env(parent = emptyenv())

tell_owner <- function(held, owner) {
  key <- deparse(held$pointer)
  told[[key]] <- list(warnings = as.character(owner$warnings), checklist = as.character(owner$checklist))
  reg.finalizer(held, forgets(key))
}

# Returns a function that forgets a release. It does not hold the release.
forgets <- function(key) {
  force(key)
  function(held) rm(list = key, envir = told)
}

# Returns whether an object is a design of the package survey.
is_design <- function(object) inherits(object, c("survey.design", "svyrep.design", "svyimputationList"))

# Returns a release, which may be given by its path.
released <- function(release) {
  if (is_path(release)) {
    return(read_release(release))
  }
  if (is_design(release)) {
    refuse(paste(
      "a design of survey describes the table, and this function takes a release\n  help: publish the weights as a known",
      "column, then `ov_query(release, weight = )`; for all else `survey::svydesign()` on `ov_complete(release)`"
    ))
  }
  if (!inherits(release, "openveil_release")) {
    refuse("this is not a release\n  help: make one with `ov_publish`, or read one with `read_release`")
  }
  release
}

# Returns the pointer to a release. It ends with the session; if the release lies in a folder, it is read again there.
native_of <- function(release) {
  release <- released(release)
  held <- unclass(release)$native
  if (!.Call(wrap__release_is_there, held$pointer) && !is.null(held$path) && dir.exists(held$path)) {
    again <- ask(.Call(wrap__release_read, held$path))
    if (!identical(document(ask(.Call(wrap__release_manifest, again))), release$manifest)) {
      refuse(sprintf(
        "%s: the folder has another release by now\n  help: read the one that you mean with `read_release`", held$path
      ))
    }
    held$pointer <- again
  }
  held$pointer
}

#' Columns and rows of a release
#'
#' `release$age` and `release[rows, columns]` read the published table, as [as.data.frame()] returns it. The names
#' `manifest`, `guarantee`, `warnings` and `checklist` come first: for a column of such a name use
#' `as.data.frame(release)`.
#'
#' @param x A release.
#' @param name The name of a column.
#' @param i,j,... As for a data frame.
#' @return A column, or a part of the published table.
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' release <- ov_publish(people, "age", "job", ov_l_diversity(3), style = "slice")
#' release[1:3, ]
#' release$group
#' @export
`$.openveil_release` <- function(x, name) {
  own <- unclass(x)
  if (name %in% c("warnings", "checklist")) {
    return(as.character(told[[deparse(own$native$pointer)]][[name]]))
  }
  if (name %in% names(own)) {
    return(own[[name]])
  }
  table <- as.data.frame(x)
  if (!name %in% names(table)) {
    refuse(sprintf("the release has no column `%s`\n  help: known: %s", name, paste(names(table), collapse = ", ")))
  }
  table[[name]]
}

#' @rdname cash-.openveil_release
#' @export
`[.openveil_release` <- function(x, i, j, ...) {
  table <- as.data.frame(x)
  # `release["age"]` is a column, `release[1, ]` a row.
  if (nargs() == 2) table[i] else table[i, j, ...]
}

#' Tables of a release
#'
#' Return the tables of a release as data frames.
#'
#' @param release,x A release from [ov_publish()] or [read_release()].
#' @param unpack `TRUE` returns a table ready for analysis: intervals become two columns (`age_min`,
#'   `age_max`), sets become lists of their values, and missing values become `NA`. `FALSE` returns
#'   intervals and sets as texts, as in the files.
#' @param row.names,optional,... Not used.
#'
#' @return `as.data.frame()` returns the published table, with a row for each person, in the class of
#'   the table that was given (data frame, tibble or data.table). Columns in which each cell is a
#'   single value keep their types. `ov_tables()` returns all tables by name. In the anatomy style
#'   these include `release-values`: how often each value occurs in each group.
#' @examples
#' people <- data.frame(age = rep(c(31, 34, 45), 4), job = rep(c("nurse", "clerk", "judge"), each = 4))
#' release <- ov_publish(people, "age", "job", ov_l_diversity(3), style = "anatomy")
#' ov_tables(release)[["release-values"]]
#' @export
ov_tables <- function(release, unpack = FALSE) {
  tables <- ask(.Call(wrap__release_tables, native_of(release), single(unpack, "unpack", "flag"), ticker()))
  lapply(tables, frame_of, like = release$like)
}

#' @rdname ov_tables
#' @export
as.data.frame.openveil_release <- function(x, row.names = NULL, optional = FALSE, ..., unpack = FALSE) {
  if (length(x$manifest$tables)) {
    refuse("the release has several tables with rules\n  help: they are `ov_tables(release)`")
  }
  ov_tables(x, unpack)[["release"]]
}

#' @export
print.openveil_release <- function(x, ...) {
  manifest <- x$manifest
  cat(sprintf(
    "<openveil release: %s rows in %s groups>\n  %s\n  algorithm %s%s, style %s\n",
    grouped(manifest$rows), grouped(manifest$groups), x$guarantee$statement, manifest$algorithm,
    if (is.null(manifest$chosen_by)) "" else paste(", chosen by", manifest$chosen_by), manifest$style
  ))
  if (!isTRUE(manifest$fit_for_publication)) cat("  unfit for publication: test seed\n")
  if (length(x$checklist)) cat(paste0("  check: ", x$checklist, "\n"), sep = "")
  invisible(x)
}

grouped <- function(number) format(number, big.mark = ",")

#' @export
dim.openveil_release <- function(x) c(x$manifest$rows, length(x$manifest$columns) + 1L)

#' @export
summary.openveil_release <- function(object, ...) {
  columns <- object$manifest$columns
  structure(
    list(
      release = object, utility = object$manifest$utility,
      columns = data.frame(
        column = vapply(columns, function(own) own$name, ""),
        role = vapply(columns, function(own) own$role, "")
      ),
      omitted = object$manifest$omitted
    ),
    class = "summary.openveil_release"
  )
}

#' @export
print.summary.openveil_release <- function(x, ...) {
  print(x$release)
  cat("\nColumns\n")
  print(x$columns, row.names = FALSE)
  cat("\nUtility\n")
  print(document(x$utility))
  if (length(x$omitted)) {
    cat("\nNot published\n")
    print(document(x$omitted))
  }
  invisible(x)
}

#' Plot a release
#'
#' Draws a bar plot of group sizes. Larger groups show the known columns less exactly.
#'
#' @param x A release.
#' @param ... Arguments of [graphics::barplot()].
#' @return The number of groups of each size, invisibly.
#' @export
plot.openveil_release <- function(x, ...) {
  sizes <- table(table(as.data.frame(x)[["group"]]))
  given <- list(...)
  own <- list(
    height = sizes, xlab = "rows of a group", ylab = "groups",
    main = sprintf("guessed right at most: %s", x$guarantee$max_posterior)
  )
  do.call(graphics::barplot, c(given, own[setdiff(names(own), names(given))]))
  invisible(sizes)
}

# Returns the list with a class whose `print()` shows one line per element.
document <- function(list) {
  if (is.list(list)) class(list) <- "openveil_document"
  list
}

#' @export
print.openveil_document <- function(x, ...) {
  width <- max(nchar(names(x)), 0)
  for (name in names(x)) {
    own <- x[[name]]
    lines <- if (is.character(own) && length(own) > 1) own else brief(own)
    cat(paste0(formatC(name, width = -width), "  ", lines, "\n"), sep = "")
  }
  invisible(x)
}

#' @export
`[[.openveil_document` <- function(x, i, ...) {
  own <- unclass(x)[[i, ...]]
  if (is.list(own) && !is.data.frame(own) && !is.null(names(own))) document(own) else own
}

#' @export
`$.openveil_document` <- function(x, name) x[[name]]

brief <- function(value) {
  text <- if (is.data.frame(value)) {
    sprintf("%d rows: %s", nrow(value), paste(names(value), collapse = ", "))
  } else if (is.null(value)) {
    "-"
  } else if (is.atomic(value)) {
    paste(format(value, trim = TRUE), collapse = ", ")
  } else if (is.null(names(value))) {
    sprintf("%d entries", length(value))
  } else {
    paste(names(value), vapply(unclass(value), brief, ""), sep = ": ", collapse = "; ")
  }
  if (nchar(text) > 160) paste0(substr(text, 1, 159), "\u2026") else text
}
