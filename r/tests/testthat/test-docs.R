# The documentation, taken at its word: its blocks in R run, page by page. `OPENVEIL_DOCS` names the repository.
root <- Sys.getenv("OPENVEIL_DOCS")

pages <- function() {
  found <- c("README.md", "SECURITY.md", "r/README.md")
  c(found, file.path("docs", list.files(file.path(root, "docs"), "\\.md$", recursive = TRUE)))
}

# A page's blocks in R, as expressions.
blocks <- function(page) {
  lines <- readLines(file.path(root, page), encoding = "UTF-8")
  fences <- grep("^```", lines)
  starts <- fences[seq(1, by = 2, length.out = length(fences) / 2)]
  ends <- fences[seq(2, by = 2, length.out = length(fences) / 2)]
  is_r <- lines[starts] == "```r"
  mapply(
    function(start, end) parse(text = lines[(start + 1):(end - 1)], keep.source = FALSE, encoding = "UTF-8"),
    starts[is_r], ends[is_r],
    SIMPLIFY = FALSE
  )
}

# The table that pages begin with.
table_of_pages <- function() {
  rows <- 0:2399
  data.frame(age = 20 + (rows * 13) %% 50, sex = c("f", "m")[1 + rows %% 2], job = paste("job", (rows * 7) %% 8))
}

# The release that pages read: of some rows of the census example.
publish_census <- function(folder) {
  census <- file.path(root, "examples/census")
  rows <- read.csv(file.path(census, "census.csv"), check.names = FALSE)
  rows <- rows[stats::complete.cases(rows), ]
  rows <- rows[seq(1, nrow(rows), length.out = 3000), ]
  policy <- ov_read_policy(file.path(census, "policy.toml"))
  suppressWarnings(ov_publish(rows, policy = policy, out = file.path(folder, "out"), test_seed = 1))
}

test_that("blocks of the documentation run", {
  skip_if(root == "", "OPENVEIL_DOCS does not name the repository")
  with_blocks <- Filter(function(page) length(blocks(page)) > 0, pages())
  expect_gte(length(with_blocks), 3)
  start <- new_folder()
  publish_census(start)
  for (page in with_blocks) {
    folder <- new_folder()
    file.copy(file.path(start, "out"), folder, recursive = TRUE)
    owd <- setwd(folder)
    names <- list2env(list(people = table_of_pages(), data = table_of_pages()), parent = environment())
    for (block in blocks(page)) {
      problem <- tryCatch(suppressWarnings(for (one in block) eval(one, names)), error = conditionMessage)
      expect_null(problem, info = page)
    }
    setwd(owd)
  }
})
