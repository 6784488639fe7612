/* R looks for the name of the package; the macros of extendr make this one. */
void R_init_openveil_extendr(void *dll);

void R_init_openveil(void *dll) { R_init_openveil_extendr(dll); }
