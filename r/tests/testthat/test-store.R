# Runs lines in another process, with the stored objects as `stored`; returns what they print.
elsewhere <- function(stored, lines) {
  file <- tempfile(fileext = ".rds")
  saveRDS(stored, file)
  script <- tempfile(fileext = ".R")
  begin <- c("suppressWarnings(library(openveil))", sprintf("stored <- readRDS(%s)", deparse(file)))
  writeLines(c(begin, lines), script)
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  command <- file.path(R.home("bin"), "Rscript")
  system2(command, c("--vanilla", shQuote(script)), stdout = TRUE, stderr = TRUE, env = paste0("R_LIBS=", libraries))
}

# Whether a stored object contains a text.
stores <- function(object, text) length(grepRaw(text, serialize(object, NULL), fixed = TRUE)) > 0

test_that("a stored release is read again from its folder, in another process", {
  release <- published()
  folder <- file.path(new_folder(), "out")
  ov_save(release, folder)
  made <- ov_publish(people(), c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE, out = file.path(new_folder(), "out"), test_seed = 1)
  for (one in list(release, made, read_release(folder))) {
    said <- elsewhere(one, c(
      "copy <- stored", "cat(nrow(copy), sum(as.data.frame(stored)$age == 'x'), names(stored[1, ]), sep = '\\n')",
      "cat(class(ov_audit(stored))[1], stored$guarantee$max_posterior)"
    ))
    expect_equal(tail(said, 1), paste("openveil_audit", release$guarantee$max_posterior))
    expect_equal(said[1], "300")
  }
})

test_that("a stored release holds nothing of the owner: no notes, levels or labels", {
  folder <- new_folder()
  data <- people()
  data$job <- factor(data$job, levels = c("OWNER-LEVEL", sort(unique(data$job))), ordered = TRUE)
  secret <- "job"
  if (requireNamespace("haven", quietly = TRUE)) {
    data$job <- haven::labelled(1 + as.integer(data$job), c("OWNER-LEVEL" = 99, nurse = 3, clerk = 4))
    data$sex <- factor(data$sex, levels = c("f", "m"), ordered = TRUE)
    data$detail <- factor(paste0(substr(people()$job, 1, 1), "-OWNER-LEVEL-", 1:300), ordered = TRUE)
    secret <- c("job", "detail")
  }
  for (name in secret) {
    protected <- if (name == "detail") list(detail = list(prefix = 1)) else name
    made <- suppressWarnings(ov_publish(
      data[c("age", "sex", name)], c("age", "sex"), protected, ov_l_diversity(2), style = "anatomy", out = file.path(folder, name),
      smallest_group = 6, test_seed = 1
    ))
    ov_save(made, file.path(folder, paste0(name, "-2")))
    note <- c(made$checklist, made$warnings)
    expect_gt(length(note), 0)
    for (text in c("OWNER-LEVEL", substr(note, 1, 30))) expect_false(stores(made, text))
    expect_identical(as.data.frame(read_release(file.path(folder, name), like = data)), as.data.frame(made))
    expect_length(unserialize(serialize(made, NULL))$checklist, 0)
  }
})

test_that("a stored release without a folder is refused with the way to go", {
  said <- elsewhere(published(), c(
    "print(stored)", "cat(class(summary(stored)), '\\n')",
    "for (ask in list(as.data.frame, ov_query, ov_complete, ov_audit, ov_report, function(x) ov_save(x, tempfile()))) {",
    "  error <- tryCatch(ask(stored), error = identity)",
    "  cat(class(error)[1], sub('\\n.*', '', conditionMessage(error)), '\\n')", "}"
  ))
  refused <- grepl("^openveil_input the release is gone: it does not outlive the session", said)
  expect_equal(sum(refused), 6)
  expect_match(said[1], "300 rows")
})

test_that("a folder that has another release by now is not taken for the stored one", {
  folder <- file.path(new_folder(), "out")
  ov_save(published(), folder)
  stored <- tempfile()
  saveRDS(read_release(folder), stored)
  suppressWarnings(ov_save(published(l = 3), folder))
  expect_error(as.data.frame(readRDS(stored)), "another release by now", class = "openveil_input")
})

test_that("fits and policies are stored without more than they are", {
  fitted <- local({
    secret_table <- rep("DO-NOT-STORE", 1e5)
    ov_fit(job ~ age, published(), worlds = 0)
  })
  called <- local({
    secret_table <- rep("DO-NOT-STORE", 1e5)
    do.call(ov_fit, list(job ~ age, published(), worlds = 0))
  })
  for (fit in list(fitted, called)) expect_false(stores(fit, "DO-NOT-STORE"))
  said <- elsewhere(fitted, c(
    "cat(length(coef(stored)), nrow(confint(stored)), dim(predict(stored, data.frame(age = 30))), class(update)[1])",
    "cat('\\n'); print(summary(stored))"
  ))
  expect_match(said[1], sprintf("^%d %d 1 5", length(coef(fitted)), length(coef(fitted))))
  policy <- ov_policy(c("age", "sex"), "job", ov_l_diversity(2), drop = TRUE)
  said <- elsewhere(policy, c(
    "people <- data.frame(age = 20 + 1:60 %% 9, sex = c('f', 'm'), job = c('a', 'b', 'c'), more = 1)",
    "cat(class(suppressWarnings(ov_publish(people, policy = stored))))"
  ))
  expect_equal(tail(said, 1), "openveil_release")
})
