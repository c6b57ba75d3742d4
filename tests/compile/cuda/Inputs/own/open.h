// Whose braces its `#if`s open twice: it is read as it is.
#if defined(OPEN)
static inline int opened(int x) {
#else
static inline int opened(int x) {
#endif
    return x + 1;
}
