# Converts data frames for the engine, and tables of the engine back to data frames.

# Returns whether a table is given as a path.
is_path <- function(data) is.character(data) && length(data) == 1 && is.null(dim(data))

# Returns a table as the native part takes it: `table` or `file` (the other is NULL), and `like`, which
# describes the class and column types for tables that are returned.
taken <- function(data) {
  if (is.null(data)) {
    return(list(table = NULL, file = NULL, like = NULL))
  }
  if (is_path(data)) {
    return(list(table = NULL, file = path.expand(data), like = NULL))
  }
  if (is.matrix(data)) {
    data <- as.data.frame(data)
  }
  if (is_design(data)) {
    refuse(paste(
      "this is a design of survey, not a table\n  help: publish `design$variables` with the weights as a known column, and",
      "make the design anew from the published rows"
    ))
  }
  if (!is.data.frame(data)) {
    refuse(sprintf(
      "a table is a data frame or a path, not %s\n  help: make one with `as.data.frame()`",
      paste(class(data), collapse = "/")
    ))
  }
  names <- utf8(names(data), "names of columns")
  if (length(names) == 0) {
    refuse("the table has no columns")
  }
  if (anyNA(names) || !all(nzchar(names))) {
    refuse("a column has no name\n  help: name it: `names(data)`")
  }
  if (anyDuplicated(names)) {
    twice <- names[duplicated(names)][1]
    refuse(sprintf("the column `%s` appears in the table twice\n  help: rename one of the two", twice))
  }
  columns <- stats::setNames(lapply(seq_along(names), function(at) data[[at]]), names)
  labels <- Filter(is.character, lapply(columns, attr, "label", exact = TRUE))
  plain <- lapply(stats::setNames(nm = names), function(name) plain(columns[[name]], name))
  list(
    table = ask(.Call(wrap__table_of, plain, in_utf8(labels, "label"), Filter(length, lapply(columns, codebook)))),
    file = NULL,
    like = kind_of(data)
  )
}

# Returns the class of a table and an empty vector for each of its columns.
kind_of <- function(data) {
  names <- enc2utf8(names(data))
  columns <- stats::setNames(lapply(seq_along(names), function(at) prototype(data[[at]])), names)
  list(columns = columns, class = class(data))
}

# Attributes that describe a column's type. Other attributes are dropped, because they may hold
# secret values.
of_types <- c(
  "class", "levels", "labels", "label", "na_values", "na_range", "tzone", "units",
  "format.spss", "format.stata", "format.sas", "display_width"
)

# Returns an empty vector with a column's type and the attributes that describe it.
prototype <- function(column) {
  attributes <- attributes(column)
  own <- if (is.list(column)) list() else vector(typeof(column), 0L)
  attributes(own) <- attributes[intersect(names(attributes), of_types)]
  # Levels without a declared order are made from the published values.
  if (is.factor(column) && !is.ordered(column)) attr(own, "levels") <- intersect(levels(column), missing_label)
  if (inherits(column, c("haven_labelled", "haven_labelled_spss"))) {
    attr(own, "is_by_label") <- is_by_label(column)
  }
  own
}

# Returns empty columns with the levels and labels of published values only: `saveRDS()` stores them with a release.
published_like <- function(columns, native, manifest) {
  is_labelled <- function(own) inherits(own, c("haven_labelled", "haven_labelled_spss"))
  wanted <- names(Filter(function(own) is.ordered(own) || is_labelled(own), columns))
  if (!length(wanted)) {
    return(columns)
  }
  tables <- unlist(unname(ask(.Call(wrap__release_tables, native, TRUE, ticker()))), recursive = FALSE)
  for (name in wanted) {
    own <- columns[[name]]
    entry <- Filter(function(entry) entry$name == name, manifest$columns)[[1]]
    cells <- lapply(tables[names(tables) %in% c(name, unlist(entry$names), paste0(name, c("_min", "_max")))], function(cells) {
      values <- unlist(if (identical(names(cells), c("codes", "values"))) cells$values else cells)
      if (is.double(values)) codes_of(unique(values)) else as.character(unique(values))
    })
    # A model draws from all values that a group may have, and the manifest names these.
    shown <- c(unlist(cells), unlist(entry$order), names(unlist(entry$codes$labels)), missing_label)
    if (is.ordered(own)) {
      attr(own, "levels") <- intersect(levels(own), shown)
    } else {
      values <- c(unname(attr(own, "labels", exact = TRUE)), attr(own, "na_values", exact = TRUE))
      is_by_label <- attr(own, "is_by_label", exact = TRUE)
      attributes(own) <- published_labels(own, values[codes_of(values) %in% shown])
      attr(own, "is_by_label") <- is_by_label
    }
    columns[[name]] <- own
  }
  columns
}

# Returns a column in a type that the native part can read.
plain <- function(column, name) {
  if (inherits(column, c("haven_labelled", "haven_labelled_spss"))) {
    return(plain(values_of_labelled(column, name), name))
  }
  if (inherits(column, "POSIXlt")) {
    column <- as.POSIXct(column)
  }
  if (inherits(column, "POSIXct")) {
    zone <- attr(column, "tzone", exact = TRUE)
    if (is.null(zone) || !nzchar(zone[1])) {
      # The machine's time zone would decide on the day. Midnights of a day are that day everywhere.
      local <- as.POSIXlt(column)
      at_midnight <- with(local, hour == 0 & min == 0 & sec == 0)
      if (!all(at_midnight, na.rm = TRUE)) {
        refuse(sprintf(
          "column `%s` has points in time without a time zone, so their days depend on the machine\n  help: %s",
          name, sprintf("set the zone: `attr(data$%s, \"tzone\") <- \"Europe/Vienna\"`", name)
        ))
      }
    }
    # Local time in the column's time zone.
    offset <- as.POSIXlt(column)$gmtoff
    offset <- if (is.null(offset)) 0 else ifelse(is.na(offset), 0, offset)
    return(structure(as.double(column) + offset, class = "POSIXct"))
  }
  if (is.data.frame(column) || !is.null(dim(column))) {
    return(vector("list", NROW(column)))
  }
  if (inherits(column, c("factor", "Date", "integer64"))) {
    if (is.factor(column)) levels(column) <- utf8(levels(column), name)
    return(column)
  }
  if (inherits(column, "hms")) {
    return(as.character(column))
  }
  if (inherits(column, "difftime") || is.list(column)) {
    return(column)
  }
  if (is.character(column)) {
    return(utf8(as.vector(column), name))
  }
  # Values of an unknown class are taken as texts.
  if (is.object(column) && !inherits(column, c("AsIs", "labelled", "noquote"))) {
    return(utf8(as.character(column), name))
  }
  as.vector(unclass(column))
}

# Returns texts as UTF-8. Each distinct text is checked once.
utf8 <- function(texts, name) {
  each <- unique(texts)
  said <- Encoding(each)
  # Marked by the text itself, or implied by the session. Conversion would turn invalid bytes into
  # `<ff>`.
  is_utf8 <- said == "UTF-8" | (l10n_info()[["UTF-8"]] & said == "unknown")
  wrong <- is_utf8 & !is.na(each) & !validUTF8(each)
  if (any(wrong)) {
    rows <- which(texts %in% each[wrong])
    refuse(
      sprintf(
        "row %d, column `%s`: the text is not UTF-8\n  help: set its encoding: `Encoding(x) <- \"latin1\"`",
        rows[1], name
      ),
      fields = list(column = name, rows = rows)
    )
  }
  if (all(is_utf8)) texts else enc2utf8(texts)
}

# Returns the codes of a labelled column as texts if each of its values has a label, else its numbers.
# Values declared as missing by the survey are codes in the first case, and missing in the second.
values_of_labelled <- function(column, name) {
  if (is_by_label(column)) {
    return(utf8(codes_of(column), name))
  }
  values <- as.vector(unclass(column))
  attributes(values) <- NULL
  missing <- is_declared_missing(column, values)
  if (any(missing & !is.na(values))) {
    note(sprintf(
      "column `%s`: %d values that the survey calls missing are published as missing, whatever their code",
      name, sum(missing)
    ))
  }
  values[missing] <- NA
  values
}

# Returns which values the survey declares as missing.
is_declared_missing <- function(column, values) {
  range <- attr(column, "na_range", exact = TRUE)
  missing <- values %in% attr(column, "na_values", exact = TRUE)
  if (is.null(range)) missing else missing | (!is.na(values) & values >= range[1] & values <= range[2])
}

# Returns whether each value of a labelled column has a label.
is_by_label <- function(column) {
  present <- unique(codes_of(column))
  present <- present[!is.na(present)]
  length(present) > 0 && all(present %in% labels_of(column)$codes)
}

# Returns what the native part takes as the codebook of a column, or NULL.
codebook <- function(column) {
  if (!inherits(column, c("haven_labelled", "haven_labelled_spss"))) {
    return(NULL)
  }
  labels <- labels_of(column)
  absent <- grepl("^[.]", labels$codes) & is.double(column) | is_declared_missing(column, labels$values)
  list(
    codes = labels$codes, labels = labels$texts, missing = if (is_by_label(column)) labels$codes[absent],
    text = is.character(column)
  )
}

# Returns an empty labelled column of a manifest's codebook.
labelled_of <- function(entry) {
  labels <- unlist(entry$codes$labels)
  missing <- as.character(unlist(entry$codes$missing))
  is_number <- !isTRUE(entry$codes$text)
  values <- values_of_codes(names(labels), if (is_number) double() else character())
  absent <- missing[!grepl("^[.]", missing)]
  absent <- if (is_number) as.double(absent) else absent
  if (anyNA(absent) || is.null(values)) {
    return(NULL)
  }
  own <- haven::labelled_spss(
    if (is_number) double() else character(), stats::setNames(values, unlist(labels)),
    na_values = if (length(absent)) absent, label = entry$codes$label
  )
  attr(own, "is_by_label") <- is.null(entry$type)
  if (!length(absent)) class(own) <- setdiff(class(own), "haven_labelled_spss")
  own
}

# Returns the values of codes in the type of a column, or NULL if they are not of it.
values_of_codes <- function(codes, like) {
  if (is.character(like)) {
    return(codes)
  }
  tags <- grepl("^[.][A-Za-z]$", codes) & is.double(like)
  values <- suppressWarnings(as.double(ifelse(tags, NA, codes)))
  if (anyNA(values[!tags & !is.na(codes)])) {
    return(NULL)
  }
  if (any(tags)) values[tags] <- haven::tagged_na(substring(codes[tags], 2))
  if (is.integer(like)) as.integer(values) else values
}

# Returns the codes of a labelled column as texts. Tagged missing values (of Stata and SAS) have a
# code, too.
codes_of <- function(column) {
  values <- as.vector(unclass(column))
  attributes(values) <- NULL
  codes <- as.character(values)
  # `as.character()` writes 100000 as 1e+05.
  whole <- if (is.double(values)) !is.na(values) & values == round(values) & abs(values) < 1e15 else FALSE
  codes[whole] <- sprintf("%.0f", values[whole])
  if (is.double(values) && anyNA(values) && requireNamespace("haven", quietly = TRUE)) {
    tags <- haven::na_tag(values)
    codes[!is.na(tags)] <- paste0(".", tags[!is.na(tags)])
  }
  codes
}

labels_of <- function(column) {
  labels <- attr(column, "labels", exact = TRUE)
  list(codes = codes_of(unname(labels)), texts = utf8(as.character(names(labels)), "labels"), values = unname(labels))
}

# Returns columns from the native part as a table of the class that `like` describes.
frame_of <- function(columns, like = NULL) {
  columns <- lapply(stats::setNames(nm = names(columns)), function(name) {
    column <- columns[[name]]
    own <- like$columns[[name]]
    is_numbered <- identical(names(column), c("codes", "values"))
    values <- if (is_numbered) column$values else column
    # If each set has one value, these values are returned.
    if (is.list(values) && !is.null(own) && !is.list(own) && all(lengths(values) == 1)) {
      values <- unlist(values)
    }
    if (!is.null(own)) values <- retyped(values, own)
    if (is_numbered) looked_up(values, column$codes) else values
  })
  rows <- if (length(columns)) length(columns[[1]]) else 0L
  frame <- structure(columns, class = "data.frame", row.names = .set_row_names(rows))
  if ("data.table" %in% like$class && requireNamespace("data.table", quietly = TRUE)) {
    return(data.table::as.data.table(frame))
  }
  if ("tbl_df" %in% like$class) {
    class(frame) <- c("tbl_df", "tbl", "data.frame")
  }
  frame
}

# Returns the values of codes. Factors and labelled columns are indexed by their underlying numbers.
looked_up <- function(values, codes) {
  made <- unclass(values)[codes]
  attributes(made) <- attributes(values)
  # The `NA` of a double has different bits.
  if (inherits(values, "integer64")) made[is.na(codes)] <- bit64::NA_integer64_
  made
}

# The text of a missing value in a release with `missing = "keep"`.
missing_label <- "(missing)"

# Returns texts with NA for the missing label, unless the label is one of `values`.
without_missing <- function(column, values) {
  if (is.character(column) && !missing_label %in% values) column[column %in% missing_label] <- NA
  column
}

# Returns the attributes of a labelled column, with the labels and missing codes of published values only.
published_labels <- function(like, column) {
  own <- attributes(like)[names(attributes(like)) != "is_by_label"]
  own$labels <- own$labels[codes_of(unname(own$labels)) %in% codes_of(column)]
  own$na_values <- own$na_values[own$na_values %in% column]
  within <- !is.null(own$na_range) && any(column >= own$na_range[1] & column <= own$na_range[2], na.rm = TRUE)
  if (!within) own$na_range <- NULL
  if (!length(own$na_values)) own$na_values <- NULL
  own
}

# Returns a column in the type of another one, if that changes no value.
retyped <- function(column, like) {
  if (is.factor(like)) {
    column <- without_missing(column, levels(like))
    is_declared <- all(column %in% c(levels(like), NA))
    if (!is.character(column) || is.ordered(like) && !is_declared) {
      return(column)
    }
    # The owner's levels would disclose values that are not published, and which values come first.
    values <- if (is.ordered(like)) levels(like) else sort(unique(column), method = "radix")
    made <- factor(column, levels = values[values %in% column], ordered = is.ordered(like))
    attr(made, "label") <- attr(like, "label", exact = TRUE)
    return(made)
  }
  if (inherits(like, c("haven_labelled", "haven_labelled_spss"))) {
    if (!isFALSE(attr(like, "is_by_label", exact = TRUE))) {
      column <- without_missing(column, labels_of(like)$codes)
      values <- if (is.character(column)) values_of_codes(column, like)
      if (is.null(values)) {
        return(column)
      }
      column <- values
    }
    if (typeof(like) == "double" && is.integer(column)) column <- as.double(column)
    if (typeof(column) == typeof(like)) attributes(column) <- published_labels(like, column)
    return(column)
  }
  if (inherits(like, "Date") && inherits(column, "Date")) {
    if (is.integer(like)) storage.mode(column) <- "integer"
    class(column) <- class(like)
    return(column)
  }
  if (inherits(like, c("POSIXct", "POSIXlt"))) {
    zone <- attr(like, "tzone", exact = TRUE)
    zone <- if (length(zone) && !is.null(zone)) zone[1] else ""
    texts <- if (inherits(column, "Date")) format(column) else column
    if (!is.character(texts)) {
      return(column)
    }
    made <- tryCatch(as.POSIXct(sub("T", " ", texts, fixed = TRUE), tz = zone), error = function(error) NULL)
    return(if (is.null(made) || anyNA(made[!is.na(texts)])) column else made)
  }
  if (inherits(like, "integer64") && requireNamespace("bit64", quietly = TRUE)) {
    is_number <- is.numeric(column) || all(grepl("^-?[0-9]+$", column[!is.na(column)]))
    return(if (is_number) bit64::as.integer64(column) else column)
  }
  if (inherits(like, "hms") && is.character(column) && requireNamespace("hms", quietly = TRUE)) {
    return(tryCatch(hms::as_hms(column), error = function(error) column))
  }
  if (is.double(like) && is.integer(column)) {
    column <- as.double(column)
  }
  attr(column, "label") <- attr(like, "label", exact = TRUE)
  column
}
