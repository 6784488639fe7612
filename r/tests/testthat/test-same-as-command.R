# The path of the command, if it was built (`OPENVEIL_PROGRAM`).
program <- Sys.getenv("OPENVEIL_PROGRAM")

# The page and Python are compared with the command by these twelve, too: python/tests/test_serve.py.
policies <- function() {
  known <- c(age = "integer", sex = "text")
  model <- ov_l_diversity(2)
  own <- function(...) ov_policy(known, "job", ..., drop = "pay", input = "people.csv")
  list(
    own(model), own(model, style = "slice"), own(model, style = "anatomy"), own(model, cells = "bounds"),
    own(model, algorithm = "cover"), own(model, algorithm = "halving"), own(model, algorithm = "rda"),
    own(ov_l_diversity(3, "distinct"), style = "slice"), own(ov_t_closeness(0.5)), own(model, strata = "sex"),
    own(model, smallest_group = 10), own(ov_all_of(model, ov_k_anonymity(8)))
  )
}

test_that("for a test seed, releases are those of the command, byte for byte", {
  skip_if(program == "", "OPENVEIL_PROGRAM does not name the command")
  folder <- new_folder()
  owd <- setwd(folder)
  on.exit(setwd(owd))
  write.csv(people(), "people.csv", row.names = FALSE, quote = FALSE)
  for (policy in policies()) {
    writeLines(format(policy), "policy.toml")
    code <- system2(program, c("publish", "policy.toml", "--out", "theirs", "--test-seed", "7"), stdout = FALSE, stderr = FALSE)
    expect_equal(code, 0)
    # From a data frame: its types differ from those of a file.
    policy$arguments$input <- NULL
    release <- suppressWarnings(ov_publish(people(), policy = policy, test_seed = 7))
    suppressWarnings(ov_save(release, "ours"))
    files <- list.files("theirs/release", "\\.csv$")
    expect_gte(length(files), 1)
    for (file in files) {
      read <- function(from) readBin(file.path(from, "release", file), "raw", 1e7)
      expect_identical(read("ours"), read("theirs"))
    }
  }
})
