release <- published()

test_that("cross-tables have estimates, intervals and methods", {
  made <- ov_query(release, c("sex", "job"), worlds = 2)
  expect_named(made, c("sex", "job", "estimate", "low", "high", "method", "deal_error"))
  expect_equal(nrow(made), 10)
  expect_equal(sum(made$estimate), 300, tolerance = 1e-3)
  expect_true(all(made$low <= made$estimate & made$estimate <= made$high))
  expect_s3_class(made$sex, "factor")
  truth <- table(people()$sex, people()$job)
  inside <- mapply(function(sex, job, low, high) truth[sex, job] >= low && truth[sex, job] <= high,
    as.character(made$sex), made$job, made$low, made$high
  )
  expect_gte(mean(inside), 0.8)
  expect_output(print(made), "estimate")
  expect_silent(plot(made))
})

test_that("bins, conditions, means and quantiles", {
  cut <- ov_query(release, "age", bins = list(age = c(20, 40, 70)), worlds = 0)
  expect_equal(cut$age, c("[20, 40)", "[40, 70)"))
  expect_equal(cut$estimate, c(sum(people()$age < 40), sum(people()$age >= 40)))
  one <- ov_query(release, where = "age >= 40 and sex = f", worlds = 0)
  expect_equal(one$estimate, sum(people()$age >= 40 & people()$sex == "f"))
  true <- ov_query(
    release,
    where = "job = nurse and sex = f", worlds = 0, data = people(),
    policy = ov_policy(c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE)
  )
  expect_equal(true$true, sum(people()$job == "nurse" & people()$sex == "f"))
  expect_warning(
    means <- ov_query(release, "sex", mean = "age", worlds = 0), "not corrected", class = "openveil_warning"
  )
  expect_equal(means$estimate, as.vector(tapply(people()$age, people()$sex, mean)), tolerance = 1e-6)
  women <- people()$age[people()$sex == "f"]
  expect_equal(ov_query(release, "sex", weight = "age", worlds = 0)$estimate[1], sum(women))
  test <- attr(suppressWarnings(ov_query(release, c("sex", "job"), worlds = 2)), "independence")
  expect_named(test, c("chi2", "freedom", "p"))
  median <- suppressWarnings(ov_query(release, quantile = "age", worlds = 0))
  expect_equal(median$estimate, median(people()$age), tolerance = 0.05)
  days <- data.frame(day = as.Date("2020-01-01") + 0:99 %% 40, job = c("a", "b", "c", "d"))
  by_day <- ov_publish(days, "day", "job", ov_l_diversity(2), style = "anatomy", test_seed = 1)
  cut <- ov_query(by_day, "day", bins = list(day = as.Date(c("2020-01-01", "2020-01-11"))), worlds = 0)
  expect_equal(cut$estimate, sum(days$day < as.Date("2020-01-11")))
})

test_that("a logit is that of the table, within its errors", {
  fit <- ov_fit(job ~ age + sex, release)
  expect_s3_class(fit, "openveil_fit")
  expect_equal(fit$kind, "multinomial-logit")
  expect_setequal(names(coef(fit)), outer(
    c("cook", "judge", "nurse", "smith"), c("(Intercept)", "age", "sex=m"), paste, sep = ":"
  ))
  expect_equal(sqrt(diag(vcov(fit))), fit$std_errors)
  expect_equal(vcov(fit), t(vcov(fit)))
  expect_gt(min(eigen(vcov(fit), only.values = TRUE)$values), -1e-9)
  half <- apply(confint(fit), 1, diff)
  expect_true(all(half > apply(confint(fit, level = 0.5), 1, diff)))
  expect_equal(dim(confint(fit, "judge:age")), c(1L, 2L))
  chances <- predict(fit, people())
  expect_equal(rowSums(chances), rep(1, 300))
  expect_setequal(colnames(chances), unique(people()$job))
  # By hand: the logit of one value against the baseline.
  own <- coef(fit)[paste0("judge:", c("(Intercept)", "age", "sex=m"))]
  link <- drop(cbind(1, people()$age, people()$sex == "m") %*% own)
  expect_equal(log(chances[, "judge"] / chances[, fit$baseline]), link)
  expect_true(all(predict(fit, people(), "class") %in% people()$job))
  expect_equal(nobs(fit), 300)
  expect_equal(formula(fit), job ~ age + sex, ignore_formula_env = TRUE)
  expect_output(print(summary(fit)), "Baseline: clerk")
  expect_error(predict(fit, people()["age"]), "no column `sex`", class = "openveil_input")
})

test_that("values are compared with the reference that is asked for", {
  fit <- ov_fit(job ~ age + sex, release, worlds = 2)
  other <- ov_fit(job ~ age + sex, release, worlds = 2, reference = c(job = "nurse", sex = "m"))
  expect_equal(other$baseline, "nurse")
  expected <- coef(fit)[["judge:age"]] - coef(fit)[["nurse:age"]]
  # The regression's slight penalty depends on the reference.
  expect_equal(coef(other)[["judge:age"]], expected, tolerance = 0.05)
  expect_named(fit$check, c("age", "sex"))
  expect_error(
    ov_fit(job ~ sex, release, worlds = 0, reference = c(sex = "x")), "no row of the release has",
    class = "openveil_input"
  )
  expect_error(ov_fit(job ~ sex, release, reference = "f"), "lacks names", class = "openveil_input")
})

test_that("a linear regression is that of the table, within its errors", {
  data <- people(900)
  data$pay <- 1000 + 10 * data$age + (seq_len(900) * 37) %% 50
  release <- ov_publish(
    data, c("age", "sex"), "pay", ov_l_diversity(2), drop = TRUE, style = "anatomy", test_seed = 1
  )
  fit <- ov_fit(pay ~ age * sex, release, worlds = 2)
  truth <- coef(lm(pay ~ age * sex, data))
  expect_equal(names(coef(fit)), c("(Intercept)", "age", "sex=m", "age:sex=m"))
  expect_true(all(confint(fit)[, 1] <= truth & truth <= confint(fit)[, 2]))
  expect_equal(unname(predict(fit, data[1:5, ])), unname(drop(
    cbind(1, data$age, data$sex == "m", data$age * (data$sex == "m"))[1:5, ] %*% coef(fit)
  )))
  completed <- ov_complete(release, 4, worlds = 2)
  expect_length(completed, 4)
  expect_identical(completed, ov_complete(release, 4, worlds = 2))
  expect_s3_class(completed[[1]]$sex, "factor")
  fits <- with(completed, lm(pay ~ age))
  expect_lt(abs(mean(vapply(fits, function(own) coef(own)[["age"]], 0)) - 10), 1)
  expect_output(print(completed), "4 completed tables of 900 rows")
  skip_if_not_installed("mitools")
  pooled <- mitools::MIcombine(fits)
  expect_lt(abs(coef(pooled)[["age"]] - 10), 1)
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = ~1, data = mitools::imputationList(completed))
  mean <- mitools::MIcombine(with(design, survey::svymean(~pay)))
  expect_equal(unname(coef(mean)), mean(data$pay), tolerance = 1e-6)
})

test_that("weights of a row add up to 1", {
  weights <- ov_weights(release, worlds = 0)
  expect_named(weights, c("age", "sex", "job", "row", "weight"))
  sums <- tapply(weights$weight, weights$row, sum)
  expect_equal(as.integer(names(sums)), 1:300)
  expect_equal(as.vector(sums), rep(1, 300), tolerance = 1e-4)
  expect_equal(as.data.frame(release)$age[weights$row], weights$age)
  expect_equal(nrow(ov_sample(release, 7, seed = 1)), 7)
})

test_that("questions that cannot be answered are refused in words", {
  refused <- function(call, part) expect_error(call, part, class = "openveil_error")
  refused(ov_query(release, "jobb"), "no column `jobb`")
  refused(ov_query(release, "age", bins = c(0, 20)), "bins")
  refused(ov_query(release, "age", bins = list(age = c(20, 0))), "ascending")
  refused(ov_query(release, "job", bins = list(age = c(0, 20))), "which is not in `by`")
  refused(ov_query(release, mean = "job"), "is not numeric")
  refused(ov_query(release, mean = "age", quantile = "age"), "two questions")
  refused(ov_query(release, "job", worlds = -1), "-1 worlds")
  refused(ov_query(release, "job", worlds = 1001), "1000")
  refused(ov_fit(age ~ sex, release), "explains `age`")
  refused(ov_fit("job age", release), "no `~`")
  refused(ov_complete(release, 0), "0 tables")
  refused(ov_query(people(), "job"), "is not a release")
})

test_that("predictions take new data as the table was taken", {
  rows <- 400
  base <- data.frame(part = 1:rows %% 40, pay = 1000 + (1:rows * 37) %% 200 + 10 * (1:rows %% 4))
  predicted <- function(x, ...) {
    data <- base
    data$x <- x
    known <- stats::setNames(list(list(), list(...)), c("part", "x"))
    release <- suppressWarnings(ov_publish(data, known, "pay", ov_l_diversity(2), style = "anatomy", test_seed = 1))
    mean(predict(ov_fit(pay ~ x, release, worlds = 0), data))
  }
  truth <- mean(base$pay)
  expect_equal(predicted(rep(c(TRUE, FALSE), rows / 2)), truth, tolerance = 1e-3)
  expect_equal(predicted(rep(c("a:x=b", "a", "b", "c"), rows / 4)), truth, tolerance = 1e-3)
  expect_equal(predicted(as.Date("2020-01-01") + 1:rows %% 30), truth, tolerance = 1e-3)
  expect_equal(predicted(as.POSIXct("2020-01-01", tz = "UTC") + 86400 * (1:rows %% 30)), truth, tolerance = 1e-3)
  expect_equal(predicted(factor(1:rows %% 4 + 5), type = "integer"), truth, tolerance = 1e-3)
  if (requireNamespace("haven", quietly = TRUE)) {
    labelled <- haven::labelled(as.double(1:rows %% 2), c(no = 0, yes = 1))
    expect_equal(predicted(labelled), truth, tolerance = 1e-3)
  }
  fit <- ov_fit(job ~ age + sex, release, worlds = 0)
  expect_error(predict(fit, data.frame(age = 30, sex = "x")), "no row of the release has `x`", class = "openveil_input")
  expect_error(predict(fit, data.frame(age = "old", sex = "f")), "column `age` of `newdata`: `old` is not a number", class = "openveil_input")
  expect_error(predict(fit), "newdata", class = "openveil_input")
  for (type in c("response", "link")) expect_equal(dim(predict(fit, people()[0, ], type)), c(0, 5 - (type == "link")))
  expect_equal(predict(fit, people()[0, ], "class"), character())
  expect_error(confint(fit, "nope"), "unknown coefficient `nope`", class = "openveil_input")
  expect_error(confint(fit, level = 95), "between 0 and 1", class = "openveil_input")
})

test_that("formulas name columns whatever these are called", {
  data <- people(900)
  names(data)[1] <- "age \\ \"x\""
  release <- ov_publish(data, names(data)[1:2], "job", ov_l_diversity(2), drop = TRUE, style = "anatomy", test_seed = 1)
  fit <- ov_fit(stats::reformulate(sprintf("`%s`", gsub("\\", "\\\\", names(data)[1], fixed = TRUE)), "job"), release, worlds = 0)
  expect_true(paste0("judge:", names(data)[1]) %in% names(coef(fit)))
  expect_error(ov_fit(job ~ log(sex), release), "the formula contains `log(sex)`", fixed = TRUE, class = "openveil_input")
  expect_error(ov_fit(job ~ sex - 1, release), "intercept is always there", class = "openveil_input")
})

test_that("other packages read fits, and releases have a head", {
  fit <- ov_fit(job ~ age + sex, release, worlds = 0)
  tidied <- tidy.openveil_fit(fit, conf.int = TRUE)
  expect_named(tidied, c("y.level", "term", "estimate", "std.error", "statistic", "p.value", "conf.low", "conf.high"))
  expect_equal(paste(tidied$y.level, tidied$term, sep = ":"), names(coef(fit)))
  expect_equal(tidied$statistic, tidied$estimate / tidied$std.error)
  expect_equal(tidied$conf.low, unname(confint(fit)[, 1]))
  expect_equal(glance.openveil_fit(fit)$nobs, nobs(fit))
  expect_equal(head(release, 3), as.data.frame(release)[1:3, ])
  expect_equal(nrow(tail(release)), 6)
  skip_if_not_installed("generics")
  expect_equal(generics::tidy(fit), tidied[1:6])
})

test_that("counts for print are rounded, and small ones suppressed", {
  release <- ov_publish(people(), c("age", "sex"), "job", ov_l_diversity(2), drop = "pay", test_seed = 1)
  exact <- ov_query(release, by = c("sex", "job"), worlds = 0)
  printed <- ov_query(release, by = c("sex", "job"), worlds = 0, min = 30, round = 5)
  small <- exact$estimate < 30
  expect_true(all(is.na(printed$count[small])))
  expect_equal(as.numeric(printed$count[!small]), floor(exact$estimate[!small] / 5 + 0.5) * 5)
  expect_error(ov_query(release, by = "sex", round = 0), "`round`", class = "openveil_input")
})

test_that("formulas of R are read, or refused with a way to go", {
  plain <- coef(ov_fit(job ~ age + sex, release, worlds = 0))
  expect_equal(coef(ov_fit(job ~ age + factor(sex), release, worlds = 0)), plain)
  expect_equal(coef(ov_fit(job ~ (age + sex), release, worlds = 0)), plain)
  refused <- function(formula, part) expect_error(ov_fit(formula, release, worlds = 0), part, class = "openveil_input")
  refused(job ~ factor(age), "`factor\\(age\\)`, but the release has numbers there.*as.character\\(age\\).*ov_complete")
  refused(job ~ log(age), "`log\\(age\\)`, but a fit of a release takes columns as they are published.*ov_complete")
  refused(job ~ I(age^2), "takes columns as they are published")
  refused(job ~ age - 1, "an intercept is always there.*ov_complete")
  refused(job ~ 0 + age, "`0`, which is not a column")
  refused(job ~ age + 0, "an intercept is always there")
  refused(job ~ (age | sex), "does not read.*joined by")
})

test_that("fits are updated, and have no likelihood", {
  fit <- ov_fit(job ~ age, release, worlds = 0)
  expect_equal(coef(update(fit, . ~ . + sex)), coef(ov_fit(job ~ age + sex, release, worlds = 0)))
  expect_error(logLik(fit), "no likelihood of rows.*Wald", class = "openveil_input")
  expect_error(AIC(fit), "no likelihood of rows", class = "openveil_input")
})

test_that("baselines follow the order of an ordered factor", {
  data <- people(900)
  data$size <- factor(c("low", "mid", "high")[1 + (seq_len(900) * 11) %% 3], c("low", "mid", "high"), ordered = TRUE)
  sized <- ov_publish(data, c("age", "size"), "job", ov_l_diversity(2), drop = TRUE, style = "anatomy", test_seed = 1)
  fit <- ov_fit(job ~ size, sized, worlds = 0)
  expect_equal(unique(fit$terms), c("(Intercept)", "size=mid", "size=high"))
  expect_equal(as.character(ov_query(sized, "size", worlds = 0)$size), c("low", "mid", "high"))
})

test_that("analyses take the path of a release", {
  folder <- file.path(new_folder(), "out")
  ov_save(release, folder)
  expect_equal(ov_query(folder, "sex", worlds = 0)$estimate, ov_query(release, "sex", worlds = 0)$estimate)
  expect_equal(coef(ov_fit(job ~ age, folder, worlds = 0)), coef(ov_fit(job ~ age, release, worlds = 0)))
  expect_length(ov_complete(folder, 2, worlds = 0), 2)
})

test_that("designs of survey are refused with the way to go", {
  skip_if_not_installed("survey")
  design <- survey::svydesign(ids = ~1, weights = ~pay, data = people())
  expect_error(ov_query(design, "sex"), "publish the weights as a known column", class = "openveil_input")
  expect_error(ov_fit(job ~ age, design), "svydesign", class = "openveil_input")
  expect_error(ov_publish(design, "age", "job", ov_l_diversity(2)), "is a design of survey.*design\\$variables", class = "openveil_input")
})

test_that("ggplot2 draws figures and releases", {
  skip_if_not_installed("ggplot2")
  counts <- ov_query(release, c("sex", "job"), worlds = 0)
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(counts))$data[[1]]
  expect_equal(nrow(drawn), nrow(counts))
  expect_setequal(drawn$x, counts$estimate)
  large <- ov_publish(people(3000), c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE, style = "anatomy", test_seed = 1)
  own <- large$manifest$utility$learned[[1]]
  drawn <- ggplot2::ggplot_build(ggplot2::autoplot(large))$data[[1]]
  expect_equal(drawn$y, 100 * c(own$believed, own$outside, max(own$believed - own$outside, 0)))
})

test_that("new values are brought to the limits and floors of the release", {
  fitted <- function(x, ...) {
    data <- data.frame(x = x, pay = 1000 + (7 * seq_along(x)) %% 90 + seq_along(x) %/% 9)
    known <- list(x = list(...))
    release <- suppressWarnings(
      ov_publish(data, known, "pay", ov_l_diversity(2), style = "anatomy", smallest_group = 6, test_seed = 1)
    )
    suppressWarnings(ov_fit(pay ~ x, release, worlds = 0))
  }
  line <- function(fit, x) unname(coef(fit)[1] + coef(fit)[2] * x)
  of <- function(fit, x) unname(predict(fit, data.frame(x = x)))
  refused <- function(fit, x, words) expect_error(of(fit, x), words, class = "openveil_input")
  days <- as.Date("1950-01-01") + 0:799 * 37
  at <- as.Date(c("1960-05-05", "1972-01-01"))
  years <- fitted(days, floor = "year")
  for (given in list(at, c(1960, 1972), c("1960-05-05", "1972"), as.POSIXct(at, tz = "UTC"))) {
    expect_equal(of(years, given), line(years, c(1960, 1972)))
  }
  exact <- fitted(days)
  expect_equal(of(exact, format(at)), line(exact, as.double(at)))
  for (wrong in list("05/12/1960", "1960-02-30", 1960, as.POSIXct("1960-05-05 10:00", tz = "UTC"))) {
    refused(exact, wrong, "column `x` of `newdata`: `.*` is not a date")
  }
  near <- rep(as.Date("1950-01-01") + 0:399, 10)
  for (floor in c("month", "quarter")) {
    periods <- fitted(near, floor = floor)
    labels <- list(month = c("1950-05", "1951-01"), quarter = c("1950-Q2", "1951-Q1"))[[floor]]
    expect_equal(of(periods, as.Date(c("1950-05-05", "1951-01-01"))), of(periods, labels))
  }
  ages <- fitted(20L + (0:399 * 7L) %% 41L, floor = 10, top = 50, bottom = 30)
  expect_equal(of(ages, c(-5, 29, 39, 40, 50, 999, NA)), line(ages, c(30, 30, 30, 40, 50, 50, NA)))
  expect_equal(of(ages, double()), double())
  # As doubles, 0.3 %/% 0.1 is 2.
  doses <- fitted((0:399 * 7L) %% 41L / 40, floor = 0.1)
  expect_equal(of(doses, c(0.3, 0.29, -0.01)), line(doses, c(0.3, 0.2, -0.1)))
  zips <- fitted(sprintf("%04d", (0:399 * 11L) %% 500L), floor = 2)
  expect_equal(of(zips, c("0199", "01")), of(zips, c("01", "0100")))
  refused(zips, 199, "column `x` of `newdata`: `199` is a number")
  tree <- list(north = c("a", "b"), south = c("c", "d"))
  places <- fitted(rep(c("a", "b", "c", "d"), 100), floor = 1, hierarchy = list(tree = tree))
  expect_length(of(places, c("north", "south")), 2)
  refused(places, "a", "column `x` of `newdata`: no row of the release has `a`.*as the release shows them: north, south")
})
