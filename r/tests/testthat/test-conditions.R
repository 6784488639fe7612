test_that("an ineligible table is a condition with fields", {
  error <- expect_error(
    ov_publish(people(), c("age", "sex"), "job", ov_l_diversity(6), drop = TRUE), class = "openveil_ineligible"
  )
  expect_s3_class(error, c("openveil_ineligible", "openveil_refused", "openveil_error"), exact = FALSE)
  expect_equal(error$column, "job")
  expect_equal(error$largest_l, 5)
  expect_equal(error$help, paste0(
    "the largest possible l is 5. The refusal is recorded: releases that do not show the same rows in the same ",
    "strata mention it"
  ))
})

test_that("messages name arguments of R", {
  refused <- function(part, ...) {
    error <- expect_error(ov_publish(people(), ...), part, fixed = TRUE, class = "openveil_error")
    expect_false(grepl("under [", conditionMessage(error), fixed = TRUE))
    expect_false(grepl("`--", conditionMessage(error), fixed = TRUE))
  }
  known <- c("age", "sex")
  model <- ov_l_diversity(2)
  refused("add `drop = \"pay\"`, or name it in `known`", known, "job", model)
  refused("for example `model = ov_l_diversity(5)`", known, "job", drop = TRUE)
  refused("name the column that must stay secret: `secret =`", known, model = model, drop = TRUE)
  refused("set `protect = \"each\"`", known, c("job", "pay"), model)
  refused("`i_accept_algorithm_disclosure = TRUE`", known, "job", model, drop = TRUE, algorithm = "gda")
  refused("`inside` in `reader` is not", known, "job", model, drop = TRUE, reader = list(inside = "x"))
  refused("two roles", known, "age", model)
  refused("is `model` meant?", known, "job", modell = model)
  refused("`model` is not a model", known, "job", model = "l-diversity")
  refused("a policy cannot contain NA", c("age", NA), "job", model)
})

test_that("arguments that are no table, policy or seed are refused", {
  refused <- function(call, part) expect_error(call, part, class = "openveil_error")
  refused(ov_publish(1:3, "age", "job", ov_l_diversity(2)), "data frame or a path")
  refused(ov_publish(data.frame(), "age", "job", ov_l_diversity(2)), "no columns")
  refused(ov_publish(file.path(tempdir(), "none.csv"), "age", "job", ov_l_diversity(2)), "no such file")
  twice <- data.frame(a = 1:3, a = 1:3, check.names = FALSE)
  refused(ov_publish(twice, "a", "b", ov_l_diversity(2)), "twice")
  refused(ov_publish(people(), "age", "job", ov_l_diversity(2), drop = TRUE, test_seed = 1.5), "whole number")
  refused(ov_read_policy(file.path(tempdir(), "none.toml")), "no such file")
  refused(read_release(tempdir()), "release")
  refused(ov_set_threads(0), "without a thread")
  policy <- ov_policy("age", "job", ov_l_diversity(2))
  refused(ov_publish(people(), known = "age", policy = policy), "a policy is given")
})

test_that("a caught error about a policy can be printed", {
  error <- expect_error(ov_publish(people(), "age", "job", ov_l_diversity(2)), class = "openveil_policy_error")
  expect_output(print(error), "gives no role to the columns")
})

test_that("arguments for a folder are not dropped for a release object", {
  expect_error(ov_report(published(), evidence = "e.html"), "`evidence` is for a release in a folder", class = "openveil_input")
  expect_error(ov_report(tempdir(), "page.html"), "`path` is for a release object", class = "openveil_input")
})

test_that("a policy that was written with its table is the policy", {
  policy <- ov_policy(c("age", "sex"), "job", ov_l_diversity(2), style = "anatomy", drop = TRUE)
  file <- tempfile(fileext = ".toml")
  writeLines(format(policy, data = people()), file)
  of <- function(policy) as.data.frame(suppressWarnings(ov_publish(people(), policy = policy, test_seed = 1)))
  expect_identical(of(file), of(policy))
})

test_that("notes are warnings with a class", {
  expect_warning(
    ov_publish(people(), c("age", "sex"), "job", ov_l_diversity(5), drop = TRUE, test_seed = 1), class = "openveil_warning"
  )
})

test_that("long work is interrupted", {
  skip_on_os("windows")
  rows <- 2e5
  data <- data.frame(age = seq_len(rows) %% 71, place = (seq_len(rows) * 31) %% 8999, job = letters[1 + seq_len(rows) %% 7])
  system(sprintf("(sleep 0.4; kill -INT %d) &", Sys.getpid()))
  made <- tryCatch(
    {
      for (turn in 1:50) ov_publish(data, c("age", "place"), "job", ov_l_diversity(3), test_seed = 1)
      "finished"
    },
    interrupt = function(condition) "interrupted"
  )
  expect_equal(made, "interrupted")
  # The next call works again.
  expect_s3_class(published(), "openveil_release")
})

test_that("progress is shown where it is asked for", {
  rows <- 2e5
  data <- data.frame(age = seq_len(rows) %% 71, place = (seq_len(rows) * 31) %% 8999, job = letters[1 + seq_len(rows) %% 7])
  tick <- ticker(TRUE)
  expect_true(tick("read", 0, NULL))
  expect_true(ticker(FALSE)("read", 1, 2))
})

test_that("arguments of a wrong kind and options that are not there are refused", {
  release <- published()
  refused <- function(call, part) expect_error(call, part, fixed = TRUE, class = "openveil_input")
  expect_error(ov_audit(people(), "age", "job", foo = 1), "unused argument")
  refused(ov_audit(people(), "age", "job", fail_under = c(zz = 1)), "`fail_under` cannot be `zz=1`")
  expect_error(ov_attack(release, ov_policy("age", "job", ov_l_diversity(2)), people(), sampel = 3), "unused argument")
  refused(ov_query(release, where = "age >"), "`where`, character 6")
  refused(ov_query(release, by = NA), "`by`")
  refused(ov_complete(release, NA), "`m` takes one whole number")
  refused(ov_query(release, "sex", seed = "a"), "`seed` takes one whole number")
  refused(ov_publish(people(), "age", "job", ov_l_diversity(2), drop = TRUE, certify = NA), "TRUE or FALSE")
  refused(ov_save(release, NULL), "`path` takes one text")
  refused(ov_set_threads("a"), "`number` takes one number")
  refused(ov_verify("cover", 1:3), "`l` is missing")
})

test_that("a release keeps nothing of columns that are not published, nor what else columns hold", {
  data <- people()
  data$name <- factor(paste("Erika", seq_len(nrow(data))))
  attr(data$age, "hidden_values") <- data$job
  release <- ov_publish(data, c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE, style = "slice", test_seed = 1)
  kept <- paste(capture.output(str(unclass(release)), dput(release$like)), collapse = "\n")
  expect_false(grepl("Erika", kept))
  expect_false(grepl("hidden_values", kept))
  expect_null(attr(as.data.frame(release)$age, "hidden_values"))
  # Levels of rows that were left out do not appear.
  part <- subset(people(), sex == "f")
  expect_equal(levels(as.data.frame(published(data = part))$sex), "f")
})

test_that("warnings that become errors do not lose the release", {
  old <- options(warn = 2)
  on.exit(options(old))
  error <- tryCatch(
    ov_publish(people(), c("age", "sex"), "job", ov_l_diversity(5), drop = TRUE, test_seed = 1), error = function(error) error
  )
  expect_s3_class(error$made, "openveil_release")
})

test_that("two tables with one release give the same, whatever levels and labels they have", {
  release <- function(...) {
    data <- people()
    data[names(list(...))] <- list(...)
    made <- published(data = data)
    frames <- c(ov_tables(made), ov_tables(made, unpack = TRUE), list(made$like))
    lapply(frames, function(frame) rawToChar(serialize(frame, NULL, ascii = TRUE)))
  }
  data <- people()
  same <- function(one, other) expect_identical(do.call(release, one), do.call(release, other))
  first_seen <- function(values) factor(values, levels = unique(values))
  same(list(job = factor(data$job)), list(job = first_seen(data$job)))
  same(list(job = factor(data$job)), list(job = factor(data$job, levels = c("unpublished", rev(unique(data$job))))))
  same(list(sex = factor(data$sex)), list(sex = first_seen(as.character(data$sex))))
  ranks <- c("clerk", "cook", "judge", "nurse", "smith")
  ordered <- factor(data$job, levels = rev(ranks), ordered = TRUE)
  expect_identical(levels(ov_tables(published(data = transform(data, job = ordered)))[["release-values"]]$job), rev(ranks))
  skip_if_not_installed("haven")
  codes <- match(data$job, ranks)
  labels <- stats::setNames(seq_along(ranks), ranks)
  labelled <- function(labels) haven::labelled(codes, labels)
  frames <- lapply(list(labels, c(labels, unpublished = 9)), function(own) {
    made <- published(data = transform(data, job = labelled(own)))
    ov_tables(made)
  })
  expect_identical(frames[[1]], frames[[2]])
})

test_that("a policy that drops the rest can be shown, and a starter given back", {
  policy <- ov_policy("age", "job", ov_l_diversity(2), drop = TRUE)
  expect_match(format(policy), "all other columns of the table are dropped", fixed = TRUE)
  table <- data.frame(age = rep(21:40, 3), job = rep(c("nurse", "clerk", "judge"), each = 20))
  starter <- ov_inspect(table)$policy
  expect_s3_class(suppressWarnings(ov_publish(table, policy = starter, test_seed = 1)), "openveil_release")
})

test_that("points in time without a zone are no days", {
  table <- data.frame(seen = as.POSIXct("2020-01-01 23:30:00") + 3600 * 0:19, job = c("nurse", "clerk"))
  expect_error(ov_audit(table, "seen", "job"), "without a time zone", class = "openveil_error")
  midnights <- data.frame(seen = as.POSIXct(rep(c("2020-01-01", "2020-01-02"), 10)), job = c("nurse", "clerk"))
  expect_equal(ov_audit(midnights, "seen", "job")$k, 10)
})
