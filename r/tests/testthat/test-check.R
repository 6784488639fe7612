test_that("a release passes as object, folder and data frame", {
  for (more in list(list(), list(style = "slice"), list(style = "anatomy"), list(cells = "bounds"))) {
    policy <- do.call(ov_policy, c(list(c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE), more))
    release <- suppressWarnings(ov_publish(people(), policy = policy))
    expect_identical(ov_check(release, policy), release)
    folder <- file.path(new_folder(), "out")
    ov_save(release, folder)
    expect_equal(ov_check(folder, policy), folder)
    if (identical(more, list()) || identical(more$style, "slice")) {
      table <- as.data.frame(release)
      expect_identical(ov_check(table, policy), table)
      file <- file.path(folder, "release", "release.csv")
      expect_equal(ov_check(file, policy), file)
    }
  }
})

test_that("what fails is listed at once", {
  policy <- ov_policy(c("age", "sex"), "job", ov_l_diversity(5), identifier = "pay")
  error <- expect_error(ov_check(people(), policy), class = "openveil_check")
  expect_equal(error$failures$check, c("ratio 5-diversity", "no column `pay`"))
  expect_match(conditionMessage(error), "the policy does not publish it", fixed = TRUE)
  expect_error(ov_check(people()[c("age", "job")], policy), "has no column `sex`", class = "openveil_input")
})

test_that("risks of rows are in the order of the table, and are not printed", {
  data <- people(100)
  found <- ov_audit(data, c("age", "sex"), "job", suda = 2, sampling_fraction = 0.1, rows = TRUE)
  expect_named(found$row_risks, c("alike", "suda_score", "dis_suda_score"))
  classes <- paste(data$age, data$sex)
  expect_equal(found$row_risks$alike, as.integer(table(classes)[classes]))
  expect_output(print(found), "100 rows: alike, suda_score")
  expect_false(any(grepl("row_risks", as.data.frame(found)$measure)))
  risk <- ov_risk(data, c("age", "sex"), survey_weight = "pay", rows = TRUE)
  expect_named(risk$row_risks, c("alike", "individual_risk"))
  expect_output(print(ov_risk(data, c("age", "sex"))), "uniqueness")
  expect_null(ov_audit(data, c("age", "sex"), "job")$row_risks)
})
