# New values in the form in which a release shows the values of a column.

# Returns a column as a release would show it: numbers, days since 1970, or texts. Numbers are brought to `top`,
# `bottom` and the width of the `floor`, dates to its period, texts to its first characters. `entry` is the entry of the
# column in the manifest. It does not say which label of a hierarchy a value has, so these stay as given.
shown <- function(column, entry) {
  own <- plain(column, entry$name)
  # A floor without a parameter is a text.
  floor <- if (is.list(entry$floor)) entry$floor
  type <- if (is.null(entry$type)) "text" else entry$type
  if (inherits(own, "POSIXct")) {
    own <- format(structure(as.double(own), class = c("POSIXct", "POSIXt"), tzone = "UTC"), "%Y-%m-%dT%H:%M:%S")
  }
  if (!is.null(floor$period)) {
    return(if (floor$period == "year") limited(years_of(own, entry), entry) else periods_of(own, floor$period, entry))
  }
  if (type == "date") {
    return(as.double(days_of(own, entry)))
  }
  if (type %in% c("integer", "number")) {
    numbers <- numbers_of(own, entry)
    return(limited(if (is.null(floor$width)) numbers else lowered(numbers, floor$width), entry))
  }
  if (!is.null(floor$characters)) {
    if (is_numeric(own)) {
      refuse_cells(own, !is.na(own), entry, "is a number, and may have lost zeros at its beginning", "give texts")
    }
    return(substr(texts_of(own), 1, floor$characters))
  }
  texts_of(own)
}

is_numeric <- function(own) is.numeric(own) || inherits(own, "integer64")

texts_of <- function(own) {
  if (is.logical(own)) tolower(own) else if (is.double(own) && !is.object(own)) codes_of(own) else as.character(own)
}

numbers_of <- function(own, entry) {
  if (is_numeric(own)) {
    return(as.double(own))
  }
  texts <- texts_of(own)
  numbers <- suppressWarnings(as.double(texts))
  refuse_cells(texts, is.na(numbers) & !is.na(texts), entry, "is not a number", "give numbers")
  numbers
}

# Takes dates and texts of days. `as.Date()` would guess the format of texts, and take numbers.
days_of <- function(own, entry) {
  if (inherits(own, "Date")) {
    return(own)
  }
  texts <- texts_of(own)
  is_day <- grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2}(T00:00:00([.]0+)?)?$", texts)
  days <- as.Date(ifelse(is_day, substr(texts, 1, 10), NA_character_), format = "%Y-%m-%d")
  refuse_cells(texts, is.na(days) & !is.na(texts), entry, "is not a date", "give dates without a time, or texts such as 2020-03-31")
  days
}

# Returns the years of dates, and years as they are.
years_of <- function(own, entry) {
  if (is_numeric(own)) {
    return(as.double(own))
  }
  years <- suppressWarnings(as.double(if (inherits(own, "Date")) format(own, "%Y") else texts_of(own)))
  rest <- is.na(years) & !is.na(own)
  years[rest] <- as.double(format(days_of(own[rest], entry), "%Y"))
  years
}

# Returns the months or quarters of dates, and periods as they are.
periods_of <- function(own, period, entry) {
  texts <- texts_of(own)
  rest <- !grepl(if (period == "month") "^-?[0-9]+-[0-9]{2}$" else "^-?[0-9]+-Q[1-4]$", texts) & !is.na(texts)
  days <- as.POSIXlt(days_of(own[rest], entry))
  part <- if (period == "month") sprintf("%02d", days$mon + 1L) else sprintf("Q%d", days$mon %/% 3L + 1L)
  texts[rest] <- sprintf("%04d-%s", as.integer(days$year + 1900), part)
  texts
}

# Returns the multiples of a width below numbers, as decimals: as doubles, 0.3 is less than three times 0.1.
lowered <- function(numbers, width) {
  scale <- 10^nchar(sub("^[^.]*[.]?", "", width))
  signif(numbers * scale, 15) %/% round(as.double(width) * scale) * round(as.double(width) * scale) / scale
}

# Returns numbers within the limits of a column.
limited <- function(numbers, entry) {
  if (!is.null(entry$top)) numbers <- pmin(numbers, as.double(entry$top))
  if (!is.null(entry$bottom)) numbers <- pmax(numbers, as.double(entry$bottom))
  numbers
}

# Refuses the first of the cells that are `wrong`.
refuse_cells <- function(cells, wrong, entry, why, remedy) {
  if (any(wrong)) {
    refuse(
      sprintf("column `%s` of `newdata`: `%s` %s\n  help: %s", entry$name, cells[wrong][1], why, remedy),
      fields = list(column = entry$name)
    )
  }
}
