# Progress display and interrupts during long work.

# Returns a function that the native part calls some 20 times a second with the stage, the work done and
# the total work. It returns FALSE once the user has pressed Ctrl-C.
ticker <- function(progress = NULL) {
  shows <- if (is.null(progress)) interactive() else isTRUE(progress)
  began <- Sys.time()
  bar <- NULL
  shown <- ""
  show <- function(stage, done, total) {
    if (stage != shown) {
      if (!is.null(bar)) close(bar)
      bar <<- NULL
      shown <<- stage
      cat(stage, "\n", sep = "", file = stderr())
      if (!is.na(total) && total > 0) {
        bar <<- utils::txtProgressBar(max = total, style = 3, file = stderr())
      }
    }
    if (!is.null(bar)) utils::setTxtProgressBar(bar, min(done, total))
  }
  function(stage, done, total) {
    tryCatch(
      {
        # Gives R a chance to signal an interrupt.
        Sys.sleep(0.001)
        if (shows && nzchar(stage) && Sys.time() - began > 1) {
          show(stage, done, if (is.null(total)) NA_real_ else total)
        }
        TRUE
      },
      interrupt = function(condition) FALSE
    )
  }
}
