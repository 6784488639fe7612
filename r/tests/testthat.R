library(testthat)
library(openveil)

test_check("openveil")
