policy <- ov_policy(c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE)

test_that("a table is looked at", {
  found <- ov_inspect(people())
  columns <- as.data.frame(found)
  expect_equal(columns$name, names(people()))
  expect_equal(columns$type, c("integer", "text", "text", "integer"))
  expect_match(found$policy, "[privacy]", fixed = TRUE)
  expect_output(print(found), "starter policy")
  path <- tempfile(fileext = ".toml")
  writeLines(found$policy, path)
  expect_s3_class(ov_read_policy(path), "openveil_policy")
})

test_that("tables and releases are measured", {
  found <- ov_audit(people(), c("age", "sex"), "job", fail_under = c(k = 1, l_ratio = 99))
  counts <- table(paste(people()$age, people()$sex))
  expect_equal(found$k, min(counts))
  expect_equal(found$groups, length(counts))
  expect_equal(vapply(found$demands, function(own) own$satisfied, TRUE), c(TRUE, FALSE))
  frame <- as.data.frame(found)
  expect_equal(frame$value[frame$measure == "rows"], "300")
  expect_true("risk.prosecutor.highest" %in% frame$measure)
  risk <- ov_risk(people(), c("age", "sex"), sampling_fraction = 0.1)
  expect_equal(risk$distinction, length(counts) / 300, tolerance = 1e-6)
  weighted <- ov_risk(transform(people(), weight = 10), c("age", "sex"), survey_weight = "weight")
  expect_gt(length(weighted), length(ov_risk(people(), c("age", "sex"))))
  # Cells that sdcMicro suppressed match every value, if the audit is told so.
  blanked <- data.frame(a = c("x", "x", NA, "x"), b = c("1", "1", "1", NA))
  found <- ov_audit(blanked, c("a", "b"))
  expect_equal(found$k, 1)
  expect_match(as.character(found$notes), "`a`, `b` count as a value of their own.*wildcard")
  wild <- ov_risk(blanked, c("a", "b"), wildcard = TRUE)
  expect_equal(c(wild$k, wild$uniqueness), c(4, 0))
  release <- ov_publish(people(), policy = policy, test_seed = 1)
  worth <- ov_audit(release, policy = policy, original = people(), measure = TRUE)
  expect_false(is.null(worth$utility))
  expect_error(ov_audit(people(), "none", "job"), "no column `none`", class = "openveil_error")
})

test_that("policies are compared, releases attacked, algorithms verified", {
  made <- ov_compare(policy, people(), algorithm = "cover", l = 2:3, trials = 1, queries = 10, test_seed = 1)
  frame <- as.data.frame(made)
  expect_equal(frame$l, 2:3)
  expect_true(all(c("pairs", "groups") %in% names(frame)))
  expect_gt(frame$groups[1], frame$groups[2])
  expect_output(print(made), "cover")
  expect_s3_class(plot(made, "pairs"), "data.frame")
  named <- as.data.frame(ov_compare(list(small = policy, same = policy), people(), algorithm = "cover", trials = 1, queries = 5))
  expect_equal(named$policy, c("small", "same"))
  release <- ov_publish(people(), policy = policy, test_seed = 1)
  expect_false(ov_attack(release, policy, people(), sample = 5)$promise_broken)
  safe <- ov_verify("cover", c(1, 1, 2, 2, 3, 3), l = 2)
  expect_equal(c(safe$max_posterior, safe$unsafe_releases), c("1/2", "0"))
  unsafe <- ov_verify("gda", c(1, 1, 2, 2, 3, 3), privacy = ov_l_diversity(2))
  expect_equal(unsafe$certain_tables, 48)
})

test_that("roles of an object of sdcMicro make a policy", {
  object <- methods::new(sdc_class())
  object@origData <- transform(people(), weight = 2, house = seq_len(300) %/% 3)
  object@keyVars <- 1:2
  object@sensibleVar <- "job"
  object@weightVar <- 5L
  object@hhId <- 6L
  # Rows of a household: the policy must state whether they share the secret.
  expect_error(
    ov_publish(object@origData, policy = ov_from_sdcmicro(object, ov_l_diversity(2))), "ties = list",
    class = "openveil_policy_error"
  )
  made <- ov_from_sdcmicro(object, ov_l_diversity(2), rows_are_people = TRUE)
  expect_equal(made$arguments$known, c("age", "sex"))
  expect_equal(made$arguments$secret, "job")
  expect_equal(made$arguments$other, "weight")
  expect_equal(made$arguments$identifier, "house")
  release <- suppressWarnings(ov_publish(object@origData, policy = made, test_seed = 1))
  expect_equal(names(as.data.frame(release)), c("age", "sex", "job", "weight", "group", "group_class"))
  expect_equal(ov_from_sdcmicro(object, ov_l_diversity(2), rest = "other")$arguments$other, c("weight", "pay"))
  object@sensibleVar <- NULL
  expect_error(ov_from_sdcmicro(object, ov_l_diversity(2)), "secret", class = "openveil_policy_error")
  expect_error(ov_from_sdcmicro(people(), ov_l_diversity(2)), "sdcMicro", class = "openveil_input")
})

test_that("a report of a folder has evidence and metadata", {
  policy <- ov_policy(c("age", "sex"), "job", ov_l_diversity(2), drop = "pay")
  folder <- tempfile("out")
  ov_save(ov_publish(people(), policy = policy, test_seed = 1), folder)
  evidence <- tempfile(fileext = ".html")
  written <- ov_report(folder, policy = policy, data = people(), evidence = evidence, metadata = "ddi", language = "de")
  expect_equal(basename(written$metadata), "ddi.xml")
  page <- paste(readLines(evidence, encoding = "UTF-8"), collapse = "\n")
  expect_match(page, "weil wir ver", fixed = TRUE)
  expect_match(page, "Kein Angriff hat die Garantie verletzt", fixed = TRUE)
  expect_error(ov_report(folder, template = "office"), "`template`", class = "openveil_input")
})
