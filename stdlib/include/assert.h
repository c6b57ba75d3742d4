/* <assert.h> for device code: a failed assertion traps, which reaches the host as an error of the launch. */
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
#undef static_assert
#define static_assert _Static_assert
