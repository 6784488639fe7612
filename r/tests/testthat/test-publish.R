test_that("a release keeps what it promises", {
  for (style in c("generalize", "slice", "anatomy")) {
    release <- published(style = style, l = 3)
    expect_s3_class(release, "openveil_release")
    expect_equal(release$guarantee$max_posterior, "1/3")
    expect_equal(release$manifest$rows, 300)
    expect_false(release$manifest$fit_for_publication)
    frame <- as.data.frame(release)
    expect_equal(nrow(frame), 300)
    if (style != "anatomy") {
      shares <- prop.table(table(frame$group, frame$job), 1)
      expect_lte(max(shares), 1 / 3)
      expect_gte(ov_audit(frame, secret = "job", group = "group")$l_ratio, 3)
      expect_gte(ov_audit(release)$l_ratio, 3)
    }
  }
  expect_output(print(release), "300 rows in .* groups")
  expect_output(print(summary(release)), "quasi-identifier")
  sizes <- plot(release)
  expect_equal(sum(as.integer(names(sizes)) * sizes), 300)
})

test_that("arguments, policies and files say the same", {
  folder <- new_folder()
  data <- people()
  path <- file.path(folder, "people.csv")
  write.csv(data, path, row.names = FALSE, quote = FALSE)
  policy <- ov_policy(
    c(age = "integer", sex = "text"), "job", ov_l_diversity(3), drop = "pay", style = "slice", input = path
  )
  file <- file.path(folder, "policy.toml")
  writeLines(format(policy), file)
  by_arguments <- ov_publish(data, c("age", "sex"), "job", ov_l_diversity(3), drop = TRUE, style = "slice", test_seed = 1)
  by_policy <- ov_publish(policy = policy, test_seed = 1)
  by_file <- ov_publish(policy = file, test_seed = 1)
  plain <- function(release) lapply(as.data.frame(release), as.character)
  expect_equal(plain(by_policy), plain(by_arguments))
  expect_equal(plain(by_file), plain(by_arguments))
  expect_equal(ov_plan(policy = file)$rows, 300)
})

test_that("a release is written and read back", {
  folder <- file.path(new_folder(), "out")
  release <- published(style = "slice", out = folder)
  expect_true(file.exists(file.path(folder, "release", "release.csv")))
  read <- read_release(folder, like = people())
  expect_equal(as.data.frame(read), as.data.frame(release))
  expect_equal(ov_query(read, "job", worlds = 0), ov_query(release, "job", worlds = 0))
  expect_warning(ov_save(release, folder), class = "openveil_warning")
  expect_error(ov_save(read, folder), "was read from its folder")
  expect_match(ov_report(read), "<html")
})

test_that("other models and several secrets are published", {
  models <- list(
    ov_l_diversity(2, "distinct"), ov_l_diversity(2.5, "entropy"), ov_l_diversity(2, "recursive", c = 2),
    ov_k_anonymity(4), ov_t_closeness(0.6), ov_alpha_k_anonymity(0.6, 4), ov_p_sensitive_k_anonymity(2, 4),
    ov_beta_likeness(2), ov_delta_disclosure(2), ov_kifer(0.6, "total-variation"), ov_rho1_rho2(0.3, 0.7),
    ov_l_alpha_diversity(2, 0.5, list(c("judge", "clerk"), c("nurse", "smith", "cook"))),
    ov_all_of(ov_l_diversity(2, "distinct"), ov_t_closeness(0.6))
  )
  for (model in models) {
    expect_identical(eval(parse(text = format(model))), model)
    release <- suppressWarnings(ov_publish(people(), c("age", "sex"), "job", model, drop = TRUE, test_seed = 1))
    policy <- ov_policy(c("age", "sex"), "job", model, drop = TRUE)
    expect_true(ov_audit(release, policy = policy, original = people())$satisfied)
  }
  release <- ov_publish(
    people(),
    known = list(age = list(floor = 10), sex = list()), secret = list(job = list(l = 2), pay = list()),
    model = ov_l_diversity(2), protect = "each", style = "slice", test_seed = 1
  )
  expect_equal(unlist(release$manifest$each$l), c(job = 2, pay = 2))
  expect_true(all(as.data.frame(release)$age %% 10 == 0))
})

test_that("tables that keep rules together have names", {
  release <- suppressWarnings(ov_publish(
    people(),
    attributes = c("age", "sex", "job"), drop = "pay", model = ov_l_diversity(2),
    rules = list(list(given = c("age", "sex"), protect = "job"), list(given = "age", protect = "sex")),
    test_seed = 1
  ))
  expect_gte(length(ov_tables(release)), 2)
  expect_error(as.data.frame(release), "several tables")
})

test_that("a release is read like a data frame", {
  release <- published(style = "slice")
  frame <- as.data.frame(release)
  expect_equal(release$age, frame$age)
  expect_equal(release[1:3, c("age", "group")], frame[1:3, c("age", "group")])
  expect_equal(release["age"], frame["age"])
  expect_equal(release[frame$sex == "f", "age"], frame[frame$sex == "f", "age"])
  expect_type(release$manifest$rows, "integer")
  expect_error(release$pay, "no column `pay`.*known: age", class = "openveil_input")
})

test_that("the package is cited with a year", {
  expect_match(citation("openveil")$year, "^20[0-9][0-9]$")
})
