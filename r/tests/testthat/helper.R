# People whose secret depends on age.
people <- function(rows = 300) {
  data.frame(
    age = 20L + (seq_len(rows) * 7L) %% 41L,
    sex = factor(ifelse(seq_len(rows) %% 2 == 0, "f", "m")),
    job = c("nurse", "clerk", "judge", "smith", "cook")[1 + (seq_len(rows) * 13) %% 5],
    pay = 1000 + (seq_len(rows) * 37) %% 400
  )
}

published <- function(..., data = people(), style = "anatomy", l = 2) {
  ov_publish(data, c("age", "sex"), "job", ov_l_diversity(l), drop = TRUE, style = style, smallest_group = 6, test_seed = 1, ...)
}

# A folder that is deleted at the end of the session.
new_folder <- function() {
  folder <- tempfile("openveil-")
  dir.create(folder)
  folder
}

# A class with the slots of sdcMicro 5.8.1, for when that package is not installed.
sdc_class <- function() {
  if (requireNamespace("sdcMicro", quietly = TRUE)) {
    return("sdcMicroObj")
  }
  either <- methods::setClassUnion("numericOrCharacterOrNULL", c("numeric", "character", "NULL"), where = globalenv())
  names <- c("keyVars", "numVars", "pramVars", "weightVar", "hhId", "strataVar", "sensibleVar")
  slots <- stats::setNames(rep("numericOrCharacterOrNULL", length(names)), names)
  methods::setClass("sdcMicroObj", slots = c(origData = "data.frame", slots), where = globalenv())
  "sdcMicroObj"
}
