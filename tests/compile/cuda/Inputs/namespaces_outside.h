/* Included outside of namespaces by namespaces.c. */
static float from_header(float x) { return x + 3; }
