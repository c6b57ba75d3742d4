/* Modules: PTX read for its version, its target, its entries and what they take. */
#include "fake.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

enum { SHARED_ALIGN = 1024 }; /* the most that the executor's blocks give */

/* A .shared variable of the module. */
struct shared {
    struct shared *next;
    char *name;
    size_t size, align;
};

struct reader {
    const char *at;
    struct module *module;
    struct shared *shared;
    size_t everywhere; /* bytes of shared memory that functions use, which any entry may call */
    char token[256];
    char *log;
    size_t log_size;
};

static bool complain(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (reader->log_size > 0)
        vsnprintf(reader->log, reader->log_size, format, arguments);
    va_end(arguments);
    return false;
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (strncmp(at, "//", 2) == 0) {
            at += strcspn(at, "\n");
        } else if (strncmp(at, "/*", 2) == 0) {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

/* The next word, string or character; "" at the end. */
static const char *next(struct reader *reader)
{
    const char *from = reader->at = skip_blanks(reader->at);
    size_t length = 0;
    if (*from == '"')
        length = strcspn(from + 1, "\"") + 1 + (from[strcspn(from + 1, "\"") + 1] == '"');
    else
        while (in_word(from[length]))
            length++;
    if (length == 0)
        length = *from != '\0';
    reader->at = from + length;
    snprintf(reader->token, sizeof reader->token, "%.*s", (int)length, from);
    return reader->token;
}

static bool is(struct reader *reader, const char *word)
{
    return strcmp(reader->token, word) == 0;
}

/* ---- the head: .version, .target, .address_size ---- */

/* The newest PTX ISA that a driver of this version knows: 63 for 6.3. */
static int newest_isa(int driver)
{
    static const int known[][2] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
                                   {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}, {11070, 77},
                                   {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71},
                                   {11000, 70}, {10020, 65}, {10010, 64}, {10000, 63}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (driver >= known[i][0])
            return known[i][1];
    return 60;
}

/* sm_90 runs on every newer device, sm_90a on 9.0 alone, sm_100f on 10.x from 10.0 on. */
static bool runs_on(int arch, char suffix, int device)
{
    return suffix == 'a' ? arch == device : arch <= device && (suffix != 'f' || arch / 10 == device / 10);
}

static CUresult read_head(struct reader *reader)
{
    int major, minor, arch;
    char suffix = '\0';
    if (strcmp(next(reader), ".version") != 0)
        return CUDA_ERROR_INVALID_IMAGE;
    if (sscanf(next(reader), "%d.%d", &major, &minor) != 2)
        return complain(reader, "Missing .version number"), CUDA_ERROR_INVALID_PTX;
    if (major * 10 + minor > newest_isa(settings.driver)) {
        complain(reader, "Unsupported .version %d.%d; current version is '%d.%d'", major, minor,
                 newest_isa(settings.driver) / 10, newest_isa(settings.driver) % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (strcmp(next(reader), ".target") != 0 || sscanf(next(reader), "sm_%d%c", &arch, &suffix) < 1)
        return complain(reader, "Missing .target directive"), CUDA_ERROR_INVALID_PTX;
    if (!runs_on(arch, suffix, device_arch(reader->module->object.context->device))) {
        complain(reader, "SM version specified by .target is higher than default SM version assumed");
        return CUDA_ERROR_INVALID_PTX;
    }
    return CUDA_SUCCESS;
}

/* ---- entries ---- */

static size_t type_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{".b8", 1},  {".u8", 1},  {".s8", 1},   {".b16", 2},  {".u16", 2},  {".s16", 2},
                 {".b32", 4}, {".u32", 4}, {".s32", 4},  {".f32", 4},  {".b64", 8},  {".u64", 8},
                 {".s64", 8}, {".f64", 8}, {".f16", 2},  {".bf16", 2}, {".b128", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].size;
    return 0;
}

/* .param [.align N] TYPE [.ptr …] NAME [ '[' COUNT ']' ], of which .param has been read. */
static bool read_parameter(struct reader *reader, struct function *function)
{
    struct parameter parameter = {0};
    size_t align = 0;
    while (!is(reader, ",") && !is(reader, ")") && !is(reader, "")) {
        if (is(reader, ".align"))
            align = strtoul(next(reader), NULL, 10);
        else if (is(reader, "["))
            parameter.size *= strtoul(next(reader), NULL, 10);
        else if (is(reader, ".ptr")) /* its .align is that of what it points to */
            while (strcmp(next(reader), ".align") != 0 && reader->token[0] == '.')
                ;
        else if (parameter.size == 0)
            parameter.size = parameter.align = type_size(reader->token);
        next(reader);
    }
    parameter.align = align ? align : parameter.align;
    if (parameter.size == 0)
        return complain(reader, "%s: a parameter has no size", function->name);
    function->parameters = realloc(function->parameters,
                                   (size_t)(function->parameter_count + 1) * sizeof *function->parameters);
    function->parameters[function->parameter_count++] = parameter;
    return true;
}

static bool read_parameters(struct reader *reader, struct function *function)
{
    if (strcmp(next(reader), "(") != 0)
        return true; /* none: what is next is looked at again */
    next(reader);
    while (!is(reader, ")")) {
        if (!is(reader, ".param"))
            return complain(reader, "%s: syntax error at '%s'", function->name, reader->token);
        next(reader);
        if (!read_parameter(reader, function))
            return false;
        if (is(reader, ","))
            next(reader);
    }
    next(reader);
    return true;
}

/* One to three numbers. */
static void read_extents(struct reader *reader, unsigned extents[3])
{
    int count = 0;
    do
        extents[count++] = (unsigned)strtoul(next(reader), NULL, 10);
    while (strcmp(next(reader), ",") == 0 && count < 3);
}

static unsigned product(struct reader *reader)
{
    unsigned extents[3] = {1, 1, 1};
    read_extents(reader, extents);
    return extents[0] * extents[1] * extents[2];
}

/* Between the parameters and the body. */
static void read_directives(struct reader *reader, struct function *function)
{
    while (!is(reader, "{") && !is(reader, "")) {
        if (is(reader, ".maxntid") || is(reader, ".reqntid")) {
            function->max_threads = product(reader);
        } else if (is(reader, ".maxnreg")) {
            function->registers = (unsigned)strtoul(next(reader), NULL, 10);
            next(reader);
        } else if (is(reader, ".reqnctapercluster")) {
            read_extents(reader, function->cluster);
        } else {
            next(reader);
        }
    }
}

/* [.align N] TYPE NAME [ '[' COUNT ']' ], of which .shared has been read.  With no count it is dynamic. */
static void read_shared(struct reader *reader)
{
    struct shared *variable = calloc(1, sizeof *variable);
    variable->align = 1;
    while (strcmp(next(reader), ";") != 0 && !is(reader, "")) {
        if (is(reader, ".align"))
            variable->align = strtoul(next(reader), NULL, 10);
        else if (is(reader, "["))
            variable->size *= strtoul(next(reader), NULL, 10);
        else if (reader->token[0] == '.')
            variable->size = type_size(reader->token);
        else if (in_word(reader->token[0]) && !variable->name)
            variable->name = strdup(reader->token);
    }
    variable->next = reader->shared;
    reader->shared = variable;
}

static void shared_free(struct shared *variable)
{
    while (variable) {
        struct shared *following = variable->next;
        free(variable->name);
        free(variable);
        variable = following;
    }
}

static size_t add_shared(size_t bytes, const struct shared *variable)
{
    return (bytes + variable->align - 1) / variable->align * variable->align + variable->size;
}

/* Reads on to the end of a body; *bytes is the shared memory that it names or declares. */
static bool read_body(struct reader *reader, const char *name, size_t *bytes)
{
    const struct shared *counted[64];
    int count = 0;
    *bytes = 0;
    for (int depth = 1; depth > 0;) {
        next(reader);
        if (is(reader, ""))
            return complain(reader, "%s: unexpected end of file", name);
        depth += is(reader, "{") - is(reader, "}");
        if (is(reader, ".shared"))
            read_shared(reader);
        for (const struct shared *v = reader->shared; v && count < 64; v = v->next) {
            int i = 0;
            while (i < count && counted[i] != v)
                i++;
            if (i < count || v->size == 0 || !v->name || !is(reader, v->name))
                continue;
            counted[count++] = v;
            *bytes = add_shared(*bytes, v);
        }
    }
    return true;
}

static unsigned threads_for(unsigned registers)
{
    unsigned threads = MULTIPROCESSOR_REGISTERS / registers / 32 * 32;
    return threads < 1024 ? threads : 1024;
}

static bool read_entry(struct reader *reader)
{
    enum { REGISTERS = 32 };
    struct module *module = reader->module;
    struct function *function = object_new(FUNCTION, module->object.context, sizeof *function);
    function->module = module;
    function->name = strdup(next(reader));
    function->registers = REGISTERS;
    function->cluster[0] = function->cluster[1] = function->cluster[2] = 1;
    function->dynamic_limit = SHARED_DEFAULT;
    function->next = module->functions;
    module->functions = function;
    if (!read_parameters(reader, function))
        return false;
    read_directives(reader, function);
    unsigned most = threads_for(function->registers);
    if (function->max_threads == 0 || function->max_threads > most)
        function->max_threads = most;
    return read_body(reader, function->name, &function->shared);
}

/* [.align N] TYPE NAME [ '[' COUNT ']' ] [= …] ; of which the state space has been read. */
static bool read_variable(struct reader *reader)
{
    char name[sizeof reader->token] = "";
    size_t size = 0;
    while (strcmp(next(reader), ";") != 0 && !is(reader, "=") && !is(reader, "")) {
        if (is(reader, ".align"))
            next(reader);
        else if (is(reader, "["))
            size *= strtoul(next(reader), NULL, 10);
        else if (reader->token[0] == '.')
            size = type_size(reader->token);
        else if (in_word(reader->token[0]) && !name[0])
            snprintf(name, sizeof name, "%s", reader->token);
    }
    while (!is(reader, ";") && !is(reader, ""))
        next(reader);
    if (size == 0 || !name[0])
        return complain(reader, "a variable has no name or size");
    return variable_add(reader->module, name, size) || complain(reader, "no memory for %s", name);
}

static bool read_module(struct reader *reader)
{
    size_t bytes;
    for (bool is_visible = false; *next(reader); is_visible = is(reader, ".visible")) {
        if (is(reader, ".shared")) {
            read_shared(reader);
        } else if (is(reader, ".entry")) {
            if (!read_entry(reader))
                return false;
        } else if (is_visible && (is(reader, ".global") || is(reader, ".const"))) {
            if (!read_variable(reader))
                return false;
        } else if (is(reader, "{")) {
            if (!read_body(reader, "a function", &bytes))
                return false;
            reader->everywhere += bytes;
        }
    }
    for (struct function *f = reader->module->functions; f; f = f->next)
        f->shared += reader->everywhere;
    for (const struct shared *v = reader->shared; v; v = v->next)
        reader->module->shared += (v->size + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
    return true;
}

/* `log` gets what is wrong with the text. */
static CUresult ptx_parse(const char *text, struct module *module, char *log, size_t log_size)
{
    struct reader reader = {.at = text, .module = module, .log = log, .log_size = log_size};
    CUresult result = read_head(&reader);
    if (result != CUDA_SUCCESS)
        return result;
    bool good = read_module(&reader);
    shared_free(reader.shared);
    return good && play_read(module, text, log, log_size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

/* ---- entry points ---- */

/* Finds the log's buffer among the options; what is not asked for is no error. */
static bool find_log(unsigned count, const int *options, void **values, char **log, size_t *size)
{
    for (unsigned i = 0; i < count; i++) {
        if (options[i] < 0 || options[i] > 40)
            return false;
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            *log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            *size = (unsigned)(uintptr_t)values[i];
    }
    return true;
}

static void module_end(struct module *module)
{
    for (struct function *f = module->functions; f; f = f->next)
        object_end(&f->object);
    variables_end(module);
    play_end(module);
    object_end(&module->object);
}

/* A cubin is this line, and behind it the PTX that it was made of. */
#define CUBIN "\177ELF for sm_%d by %d\n"

static bool is_cubin(const char *image)
{
    return !strncmp(image, CUBIN, strcspn(CUBIN, "%"));
}

/* Whether it was made for this GPU and by this driver; *image is then the PTX. */
static bool fits(const char **image, int arch)
{
    char line[64];
    const int length = snprintf(line, sizeof line, CUBIN, arch, settings.driver);
    const bool found = !strncmp(*image, line, (size_t)length);
    *image += found ? length : 0;
    return found;
}

static void *native_library;

void fake_cuda_use_library(void *library)
{
    ENTER_LOCK;
    native_library = library;
}

static CUresult load(CUmodule *out, const char *text, unsigned count, const int *options, void **values)
{
    struct context *context;
    char *log = NULL;
    size_t size = 0;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || !text || (count > 0 && (!options || !values)) || !find_log(count, options, values, &log, &size))
        return CUDA_ERROR_INVALID_VALUE;
    if (is_cubin(text) && !fits(&text, device_arch(context->device)))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    struct module *module = object_new(MODULE, context, sizeof *module);
    module->library = native_library;
    result = ptx_parse(text, module, log, log ? size : 0);
    if (result != CUDA_SUCCESS)
        module_end(module);
    else
        *out = (CUmodule)module;
    return result;
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options, void **values)
{
    ENTER("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX);
    return load(out, image, count, options, values);
}

EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image);
CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    ENTER("cuModuleLoadData", CUDA_ERROR_INVALID_PTX);
    return load(out, image, 0, NULL, NULL);
}

/* ---- linking: of one PTX text ---- */

struct link_state {
    struct object object;
    char *cubin;
    size_t size;
};

static CUresult find_link(CUlinkState handle, struct link_state **link)
{
    struct context *context;
    *link = (struct link_state *)(void *)handle;
    return context_owning(handle, LINK, &context);
}

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *out) /* NOLINT: as it is there */
{
    ENTER("cuLinkCreate", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || (count > 0 && (!options || !values)))
        return CUDA_ERROR_INVALID_VALUE;
    *out = object_new(LINK, context, sizeof(struct link_state));
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState handle, int type, void *data, size_t size, const char *name, unsigned count,
                          int *options, void **values) /* NOLINT */
{
    ENTER("cuLinkAddData", CUDA_ERROR_INVALID_PTX);
    struct link_state *link;
    struct module *module;
    CUresult result = find_link(handle, &link);
    if (result != CUDA_SUCCESS)
        return result;
    if (type != CU_JIT_INPUT_PTX || !data || !size || !name || (count > 0 && (!options || !values)) || link->cubin ||
        ((char *)data)[size - 1])
        return CUDA_ERROR_INVALID_VALUE;
    result = load((CUmodule *)&module, data, 0, NULL, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    module_end(module);
    link->size = size + 64;
    link->cubin = calloc(1, link->size);
    const int arch = device_arch(link->object.context->device);
    snprintf(link->cubin, link->size, CUBIN "%s", arch, settings.driver, (const char *)data);
    return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState handle, void **cubin, size_t *size)
{
    ENTER("cuLinkComplete", CUDA_ERROR_INVALID_PTX);
    struct link_state *link;
    CUresult result = find_link(handle, &link);
    if (result != CUDA_SUCCESS)
        return result;
    if (!cubin || !size || !link->cubin)
        return CUDA_ERROR_INVALID_VALUE;
    *cubin = link->cubin;
    *size = link->size;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState handle)
{
    ENTER_RELEASE("cuLinkDestroy");
    struct link_state *link;
    CUresult result = find_link(handle, &link);
    if (result != CUDA_SUCCESS)
        return result;
    free(link->cubin);
    object_end(&link->object);
    return injected;
}

/* Waits for kernels that still run. */
CUresult cuModuleUnload(CUmodule handle)
{
    ENTER_RELEASE("cuModuleUnload");
    struct context *context;
    CUresult result = context_owning(handle, MODULE, &context);
    if (result != CUDA_SUCCESS)
        return result;
    run_context(context);
    module_end((struct module *)handle);
    return injected;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule handle, const char *name)
{
    ENTER("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND);
    struct context *context;
    CUresult result = context_owning(handle, MODULE, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || !name || !*name)
        return CUDA_ERROR_INVALID_VALUE;
    for (struct function *f = ((struct module *)handle)->functions; f; f = f->next)
        if (strcmp(f->name, name) == 0) {
            *out = (CUfunction)f;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}
