/* For c-errors.c. */
static inline int from_header(int x) { return x * in_header; }
