rows <- 48
secret <- rep(c("p", "q", "r", "s"), each = 4, length.out = rows)
part <- seq_len(rows) %% 5

# Publishes a column as known and as secret, and expects its values back unchanged.
comes_back <- function(values, ...) {
  own <- rep(values, length.out = rows)
  # `rep` forgets the attributes of some classes.
  if (!identical(class(own), class(values))) attributes(own) <- attributes(values)
  data <- data.frame(part = part, other = secret)
  data$own <- own
  for (style in c("slice", "anatomy")) {
    release <- suppressWarnings(ov_publish(
      data, c("part", "own"), "other", ov_l_diversity(2), style = style, test_seed = 1, ...
    ))
    expect_same(as.data.frame(release)$own, own)
    release <- suppressWarnings(ov_publish(
      data, c("part", "other"), "own", ov_l_diversity(2), style = style, test_seed = 1, ...
    ))
    if (style == "slice") expect_same(as.data.frame(release)$own, own)
  }
}

expect_same <- function(found, given) {
  by_name <- function(own) own[sort(names(own))]
  # Levels without a declared order are sorted; labels of values that nobody has are left out.
  if (is.factor(given) && !is.ordered(given)) given <- factor(given, sort(levels(given), method = "radix"))
  if (inherits(given, "haven_labelled")) attributes(given) <- published_labels(given, given)
  expect_identical(by_name(attributes(found)), by_name(attributes(given)))
  expect_identical(typeof(found), typeof(given))
  expect_equal(sort(as.vector(unclass(found))), sort(as.vector(unclass(given))))
}

test_that("numbers, texts and truths come back", {
  comes_back(c(1L, 2L, 3L, -4L))
  comes_back(c(1, 2, 3, 4))
  comes_back(c(0.1, 1e300, 2, -3.25))
  comes_back(c("01", "2", "a b", "\u00e4"))
  comes_back(c(TRUE, FALSE))
  comes_back(structure(c(5L, 6L, 7L, 8L), label = "a label"))
})

test_that("names and texts in another encoding come back as UTF-8", {
  name <- "\xe4b"
  Encoding(name) <- "latin1"
  data <- data.frame(part = part, other = secret)
  data[[name]] <- rep(1:4, length.out = rows)
  release <- ov_publish(data, c("part", name), "other", ov_l_diversity(2), style = "slice", test_seed = 1)
  expect_equal(names(as.data.frame(release)), c("part", "other", "\u00e4b", "group"), ignore_attr = TRUE)
  expect_error(ov_audit(data, name, "none"), "none", class = "openveil_error")
  latin <- c("\xe4", "\xf6", "x", "y")
  Encoding(latin) <- "latin1"
  data <- data.frame(part = part, other = secret, own = rep(latin, length.out = rows))
  release <- ov_publish(data, c("part", "own"), "other", ov_l_diversity(2), style = "slice", test_seed = 1)
  expect_setequal(as.data.frame(release)$own, c("\u00e4", "\u00f6", "x", "y"))
  # In other locales R itself turns such bytes into text.
  skip_if_not(l10n_info()[["UTF-8"]])
  data$own[3] <- "\xff\xfe"
  error <- expect_error(ov_publish(data, c("part", "own"), "other", ov_l_diversity(2)), class = "openveil_input")
  expect_equal(error$rows, 3)
})

test_that("factors and dates come back", {
  comes_back(factor(c("low", "mid", "high", "top"), levels = c("mid", "low", "high", "top")))
  comes_back(factor(c("low", "mid", "high", "top"), levels = c("low", "mid", "high", "top"), ordered = TRUE))
  comes_back(as.Date("2020-01-01") + c(0, 1, 2, 40))
  comes_back(as.POSIXct("2020-01-01", tz = "Europe/Vienna") + 86400 * 0:3)
})

test_that("ordered factors are generalised in their order", {
  levels <- c("low", "mid", "high", "top")
  data <- data.frame(own = factor(rep(levels, 12), levels, ordered = TRUE), other = rep(secret[1:16], 3))
  release <- suppressWarnings(ov_publish(data, "own", "other", ov_l_diversity(4), test_seed = 1))
  cells <- unique(as.character(as.data.frame(release)$own))
  expect_true(all(grepl("^(\\[(low|mid|high), (mid|high|top)\\]|low|mid|high|top)$", cells)))
})

test_that("a point in time is published with its time where the policy says text", {
  own <- rep(as.POSIXct("2020-01-01 22:30:00", tz = "UTC") + 3600 * 0:3, length.out = rows)
  data <- data.frame(part = part, other = secret, own = own)
  known <- list(part = list(), own = list(type = "text"))
  release <- ov_publish(data, known, "other", ov_l_diversity(2), style = "slice", test_seed = 1)
  expect_same(as.data.frame(release)$own, own)
})

test_that("missing values come back", {
  for (own in list(c(1L, NA, 3L, 4L), c("a", NA, "c", "d"), c(1.5, NA, 2, 3), factor(c("x", NA, "y", "z")))) {
    data <- data.frame(part = part, other = secret)
    data$own <- rep(own, length.out = rows)
    release <- suppressWarnings(ov_publish(
      data, c("part", "own"), "other", ov_l_diversity(2), style = "anatomy", missing = "keep", test_seed = 1
    ))
    found <- as.data.frame(release, unpack = TRUE)$own
    expect_equal(sum(is.na(found)), 12)
    expect_equal(class(found), class(own))
  }
})

test_that("labelled columns come back, with values that the survey calls missing", {
  skip_if_not_installed("haven")
  comes_back(haven::labelled(c(1, 2, 3, -9), c(Yes = 1, No = 2, Perhaps = 3, Refused = -9), label = "asked"))
  comes_back(haven::labelled_spss(
    c(1, 2, 3, -9), c(Yes = 1, No = 2, Perhaps = 3, Refused = -9), na_values = -9
  ))
  comes_back(haven::labelled(c("a", "b", "c", "a"), c(Yes = "a", No = "b", Perhaps = "c")))
  # Cases: labels that look like codes, and codes without labels.
  comes_back(haven::labelled(c("A", "B", "A", "B"), c(B = "A", A = "Z", Z = "B")))
  comes_back(haven::labelled(c("a", "b", "c", "d"), c(Top = "a")))
  # A column of ages with a single label is taken as numbers.
  comes_back(haven::labelled(c(31, 45, 52, 99), c(`99 or more` = 99)))
  tagged <- haven::labelled(
    c(1, 2, haven::tagged_na("a"), haven::tagged_na("b")),
    c(Yes = 1, No = 2, Refused = haven::tagged_na("a"), Absent = haven::tagged_na("b"))
  )
  data <- data.frame(part = part, other = secret)
  data$own <- rep(tagged, length.out = rows)
  release <- ov_publish(data, c("part", "own"), "other", ov_l_diversity(2), style = "slice", test_seed = 1)
  found <- as.data.frame(release)$own
  expect_equal(sort(haven::na_tag(found)), rep(c("a", "b"), each = 12))
  expect_identical(attributes(found), attributes(tagged))
})

test_that("numbers that the survey calls missing are published as missing, and that is said", {
  skip_if_not_installed("haven")
  data <- data.frame(part = part, other = secret)
  data$own <- haven::labelled_spss(rep(c(31, 45, 52, -9), 12), c(Refused = -9), na_range = c(-Inf, -1))
  expect_warning(
    release <- ov_publish(
      data, c("part", "own"), "other", ov_l_diversity(2), style = "anatomy", missing = "keep", test_seed = 1
    ),
    "column `own`: 12 values", class = "openveil_warning"
  )
  expect_equal(sum(is.na(as.data.frame(release, unpack = TRUE)$own)), 12)
})

test_that("tibbles, data.tables and long integers come back", {
  if (requireNamespace("tibble", quietly = TRUE)) {
    data <- tibble::as_tibble(people())
    expect_s3_class(as.data.frame(published(data = data)), "tbl_df")
  }
  if (requireNamespace("data.table", quietly = TRUE)) {
    data <- data.table::as.data.table(people())
    frame <- as.data.frame(published(data = data))
    expect_s3_class(frame, "data.table")
    expect_equal(nrow(frame), 300)
  }
  skip_if_not_installed("bit64")
  data <- data.frame(part = part, other = secret)
  data$own <- bit64::as.integer64(rep(c("9007199254740993", "2", NA, "4"), 12))
  release <- suppressWarnings(ov_publish(
    data, c("part", "own"), "other", ov_l_diversity(2), style = "anatomy", missing = "keep", test_seed = 1
  ))
  found <- as.data.frame(release, unpack = TRUE)$own
  expect_equal(sort(as.character(found)), sort(as.character(data$own)))
  expect_equal(sum(is.na(found)), 12)
  expect_s3_class(found, "integer64")
})

test_that("columns that have no text form are refused, or dropped", {
  data <- data.frame(part = part, other = secret)
  data$own <- as.list(seq_len(rows))
  expect_error(ov_publish(data, c("part", "own"), "other", ov_l_diversity(2)), "flat columns")
  expect_s3_class(ov_publish(data, "part", "other", ov_l_diversity(2), drop = "own"), "openveil_release")
  data$own <- as.difftime(seq_len(rows), units = "mins")
  expect_error(ov_publish(data, c("part", "own"), "other", ov_l_diversity(2)), "no text form")
})

test_that("files of SPSS and Stata come back with codes, labels and missing codes of published values", {
  skip_if_not_installed("haven")
  for (kind in c("sav", "dta")) {
    absent <- if (kind == "sav") c(-9, -8) else c(haven::tagged_na("a"), haven::tagged_na("b"))
    labels <- c(Yes = 1, No = 2, Perhaps = 3, Refused = absent[1], Skipped = absent[2], Spare = 5)
    own <- rep(c(1, 2, 3, absent), length.out = rows)
    data <- data.frame(part = part, other = secret)
    data$own <- if (kind == "sav") {
      haven::labelled_spss(own, labels, na_values = absent, label = "Do you agree?")
    } else {
      haven::labelled(own, labels, label = "Do you agree?")
    }
    data$born <- as.Date("1960-02-03") + part
    write <- if (kind == "sav") haven::write_sav else haven::write_dta
    read <- function(file) {
      if (kind == "sav") haven::read_sav(file, user_na = TRUE) else haven::read_dta(file)
    }
    file <- tempfile(fileext = paste0(".", kind))
    write(data, file)
    given <- read(file)
    release <- suppressWarnings(ov_publish(
      given, c("part", "own", "born"), "other", ov_l_diversity(2), style = "slice", test_seed = 1
    ))
    codes <- release$manifest$columns[[which(names(given) == "own")]]$codes
    expect_setequal(unlist(codes$labels), c("Yes", "No", "Perhaps", "Refused", "Skipped"))
    expect_setequal(unlist(codes$missing), if (kind == "sav") c("-9", "-8") else c(".a", ".b"))
    expect_equal(codes$label, "Do you agree?")
    folder <- tempfile()
    ov_save(release, folder)
    # In the session, like the table, and from the manifest alone.
    for (found in list(release, read_release(folder, like = given), read_release(folder))) {
      back <- tempfile(fileext = paste0(".", kind))
      write(as.data.frame(found)[names(data)], back)
      back <- read(back)
      for (name in c("part", "other")) expect_equal(table(back[[name]]), table(given[[name]]))
      expect_equal(table(codes_of(back$own)), table(codes_of(given$own)))
      expect_mapequal(
        stats::setNames(codes_of(attr(back$own, "labels")), names(attr(back$own, "labels"))),
        stats::setNames(codes_of(labels), names(labels))[1:5]
      )
      expect_equal(sort(attr(back$own, "na_values")), sort(attr(given$own, "na_values")))
      expect_equal(attr(back$own, "label"), "Do you agree?")
      expect_equal(sort(as.Date(back$born)), sort(as.Date(given$born)))
    }
  }
})
