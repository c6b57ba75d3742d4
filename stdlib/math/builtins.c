/* Functions that the headers have inline, by the names that Clang's builtins call: __builtin_memcmp, __builtin_cabs
 * … */
#include <complex.h>
#include <string.h>

int gpucc_memcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
int gpucc_bcmp(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }
void *gpucc_memchr(const void *memory, int byte, size_t size) { return memchr(memory, byte, size); }
size_t gpucc_strlen(const char *text) { return strlen(text); }
int gpucc_strcmp(const char *a, const char *b) { return strcmp(a, b); }
int gpucc_strncmp(const char *a, const char *b, size_t size) { return strncmp(a, b, size); }
char *gpucc_strchr(const char *text, int c) { return strchr(text, c); }
char *gpucc_strcpy(char *to, const char *from) { return strcpy(to, from); }

#if defined(__NVPTX__)
_Noreturn void gpucc_abort(void) { __builtin_trap(); }
#endif

double gpucc_cabs(double _Complex z) { return cabs(z); }
float gpucc_cabsf(float _Complex z) { return cabsf(z); }
double gpucc_carg(double _Complex z) { return carg(z); }
float gpucc_cargf(float _Complex z) { return cargf(z); }
double _Complex gpucc_cproj(double _Complex z) { return cproj(z); }
float _Complex gpucc_cprojf(float _Complex z) { return cprojf(z); }
double gpucc_nexttoward(double x, double y) { return nexttoward(x, y); }

/* A NaN whose text is no number: which one, C leaves open. */
double gpucc_nan(const char *text) { return nan(text); }
float gpucc_nanf(const char *text) { return nanf(text); }
_Float16 gpucc_nanf16(const char *text) { (void)text; return __builtin_nanf16(""); }
double gpucc_nans(const char *text) { (void)text; return __builtin_nans(""); }
float gpucc_nansf(const char *text) { (void)text; return __builtin_nansf(""); }
_Float16 gpucc_nansf16(const char *text) { (void)text; return __builtin_nansf16(""); }
