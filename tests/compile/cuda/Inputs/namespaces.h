/* Included in a namespace by namespaces.c. */
static float part(float x) { return 2 * x; }
