/* matmul(left, right) in fuse(name, expression): a gufunc (m?,k),(k,n?)->(m?,n?), whose other operands broadcast to the
 * matrix that they are combined with.  It is written as C text: functions of single elements for what stands inside and
 * around the product, and bodies from templates (stdlib/loops/product_*.h). */
#include "frontend/fuse_internal.h"

#include <string.h>

/* The function that takes the operands, in messages. */
static const struct function matmul = {.kind = FUNCTION_GUFUNC, .name = "matmul"};

/* ---- reading ---- */

/* The name of a type around a parameter. */
static bool is_tf32(const char *name, size_t length)
{
    return length == strlen("tf32") && !strncmp(name, "tf32", length);
}

static enum dtype stated_type(const char *name, size_t length)
{
    return is_tf32(name, length) ? DTYPE_float32 : dtype_from_name(name, length);
}

/* The parameter in int8(x) or tf32(x), whose elements have that type. */
static void read_stated(struct parser *parser, const char *word, size_t word_length, struct type *type)
{
    *type = (struct type){.kind = TYPE_SCALAR, .dtype = stated_type(word, word_length)};
    parser->at++;
    skip_spaces(parser);
    const char *name = parser->at;
    const size_t length = name_length_at(name);
    if (!length) {
        FAIL(parser, name, 1, "expected a parameter: '%.*s' is the type of its elements", (int)word_length, word);
        return;
    }
    parser->product.are_tf32[parser->side == PRODUCT_RIGHT] = is_tf32(word, word_length);
    use_parameter(parser, name, length, type, &matmul);
    parser->at += length;
    skip_spaces(parser);
    if (*parser->at != ')')
        FAIL(parser, parser->at, 1, "expected ')'");
    else
        parser->at++;
}

/* An operand; false after an error.  `type` stays as it is if nothing states the type of its elements. */
static bool read_operand(struct parser *parser, const char *end, struct type *type)
{
    const struct type unknown = {.kind = TYPE_SCALAR, .dtype = DTYPE_NONE};
    skip_spaces(parser);
    const char *name = parser->at;
    const size_t length = name_length_at(name);
    if (!length) {
        FAIL(parser, name, 1, "expected a call of a ufunc or a parameter: 'matmul' multiplies matrices");
        return false;
    }
    parser->at += length;
    skip_spaces(parser);
    const bool is_function = find_ufunc(parser->parse->unit, name, length);
    if (*parser->at == '(' && !is_function && stated_type(name, length) != DTYPE_NONE)
        read_stated(parser, name, length, type);
    else if (*parser->at == '(')
        read_call(parser, name, length, NULL, &matmul, type);
    else
        use_parameter(parser, name, length, &unknown, &matmul);
    skip_spaces(parser);
    if (!parser->failed && strncmp(parser->at, end, 1) != 0)
        FAIL(parser, parser->at, 1, "expected '%s': 'matmul' takes 2 matrices", end);
    parser->at++;
    return !parser->failed;
}

static const enum dtype *dtypes_of(const struct parser *parser, const struct type *type, size_t *count)
{
    const struct typevar *typevar = type->variable ? find_typevar(parser->parse->unit, type->variable) : NULL;
    *count = typevar ? typevar->dtype_count : 1;
    return typevar ? typevar->dtypes : &type->dtype;
}

static bool is_supported(const struct parser *parser, const struct type *type)
{
    size_t count;
    bool is = true;
    const enum dtype *dtypes = dtypes_of(parser, type, &count);
    for (size_t i = 0; i < count; i++)
        is = is && strchr("iuf", dtype_kind(dtypes[i])) && !(type->variable && dtype_is_stored(dtypes[i]));
    return is;
}

/* Elements of 8-bit floating-point types, whose products are float32. */
static bool are_float8(const struct type *elements)
{
    return !elements->variable && elements->dtype != DTYPE_NONE && dtype_is_stored(elements->dtype);
}

/* Whether the product of these elements may have that type: of 16-bit floating-point ones the unrounded sum, of small
 * integers the sum before it is reduced to their type. */
static bool returns(const struct type *elements, const struct type *result)
{
    if (are_float8(elements))
        return !result->variable && result->dtype == DTYPE_float32;
    if (same_fused_type(elements, result))
        return true;
    if (elements->variable || result->variable)
        return false;
    const char kind = dtype_kind(elements->dtype);
    const size_t size = dtype_size(elements->dtype);
    return kind == 'f' ? size == 2 && result->dtype == DTYPE_float32
                       : size < 4 && result->dtype == (kind == 'i' ? DTYPE_int32 : DTYPE_uint32);
}

/* Its types, by those of its operands' calls and by what takes the product. */
static void settle_types(struct parser *parser, const char *name, const struct type known[2], const struct type *wanted,
                         const struct function *by)
{
    struct product *product = &parser->product;
    const bool has_left = known[0].kind != TYPE_VOID, has_right = known[1].kind != TYPE_VOID;
    if (has_left && has_right && !same_fused_type(&known[0], &known[1]) &&
        !(are_float8(&known[0]) && are_float8(&known[1])))
        FAIL(parser, name, strlen("matmul"), "'matmul' multiplies elements of one type, not '%s' and '%s'",
             fused_type_text(&known[0]), fused_type_text(&known[1]));
    if (product->are_tf32[0] != product->are_tf32[1])
        FAIL(parser, name, strlen("matmul"), "'tf32' is the type of both operands of 'matmul', or of none");
    product->has_own_type = !has_left && !has_right && !wanted;
    if (product->has_own_type)
        product->elements = (struct type){.kind = TYPE_SCALAR, .dtype = DTYPE_NONE,
                                          .variable = arena_printf(parser->parse->arena, "gpucc_matrix_%s",
                                                                   parser->fuse->name)};
    else
        product->elements = has_left ? known[0] : has_right ? known[1] : *wanted;
    product->right_elements = has_right ? known[1] : product->elements;
    product->result = wanted                           ? *wanted
                      : are_float8(&product->elements) ? (struct type){.kind = TYPE_SCALAR, .dtype = DTYPE_float32}
                                                       : product->elements;
    if (!product->has_own_type && !is_supported(parser, &product->elements))
        FAIL(parser, name, strlen("matmul"), "'matmul' multiplies integers and floating-point numbers, not '%s'",
             fused_type_text(&product->elements));
    if (!returns(&product->elements, &product->result))
        FAIL(parser, name, strlen("matmul"), "'matmul' returns '%s', but '%s' takes '%s' here",
             are_float8(&product->elements) ? "float32" : fused_type_text(&product->elements), by->name,
             fused_type_text(wanted));
}

void read_product(struct parser *parser, const char *name, const struct type *wanted, const struct function *by,
                  struct type *made)
{
    struct type known[2] = {{.kind = TYPE_VOID}, {.kind = TYPE_VOID}};
    struct product *product = &parser->product;
    struct text outside = parser->body;
    if (parser->by)
        FAIL(parser, name, strlen("matmul"), "'reduce' cannot combine elements of 'matmul': reduce the product");
    if (product->exists)
        FAIL(parser, name, strlen("matmul"), "a fused function has one 'matmul'");
    if (parser->chain.exists)
        FAIL(parser, name, strlen("matmul"), "a fused function with 'matmul' has no other gufunc and no 'reduce'");
    product->exists = true;
    parser->at++;
    for (unsigned i = 0; i < 2 && !parser->failed; i++) {
        const size_t first = parser->parameter_count;
        parser->side = i == 0 ? PRODUCT_LEFT : PRODUCT_RIGHT;
        parser->body = (struct text){.arena = parser->parse->arena};
        if (read_operand(parser, i == 0 ? "," : ")", &known[i]) && parser->parameter_count == first)
            FAIL(parser, name, strlen("matmul"), "an operand of 'matmul' has no parameter of its own");
        product->operands[i] = parser->body.data;
    }
    parser->side = PRODUCT_OUTSIDE;
    parser->body = outside;
    text_printf(&parser->body, "gpucc_product");
    if (!parser->failed)
        settle_types(parser, name, known, wanted, by);
    for (size_t i = 0; i < parser->parameter_count; i++)
        if (parser->parameters[i].type.dtype == DTYPE_NONE && !parser->parameters[i].type.variable)
            parser->parameters[i].type =
                parser->parameters[i].side == PRODUCT_RIGHT ? product->right_elements : product->elements;
    if (made)
        *made = product->result;
}

/* ---- writing ---- */

/* The first parameter of a side is its matrix. */
static const struct parameter_use *matrix_of(const struct parser *parser, enum product_side side)
{
    const struct parameter_use *use = parser->parameters;
    while (use->side != side)
        use++;
    return use;
}

static bool is_matrix(const struct parser *parser, const struct parameter_use *use)
{
    return use->side != PRODUCT_OUTSIDE && use == matrix_of(parser, use->side);
}

/* Along rows and columns. */
static const char *const extents[][2] = {{"m", "n"}, {"m", "k"}, {"k", "n"}};

static const char *output_name(const struct parser *parser)
{
    return fused_output_name(parser, "product");
}

/* "?" if a vector may stand for the matrix: not beside an operand that might make a matrix of it. */
static const char *optional(const struct parser *parser, enum product_side side)
{
    size_t count = 0;
    for (size_t i = 0; i < parser->parameter_count; i++)
        count += parser->parameters[i].side == side;
    return count == 1 ? "?" : "";
}

/* (m?,k),(k,n?),(rows2:m,columns2:n)->(m?,n?) */
static void write_layout(struct parser *parser, struct text *text)
{
    const char *const m = optional(parser, PRODUCT_LEFT), *const n = optional(parser, PRODUCT_RIGHT);
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        text_printf(text, i ? "," : "");
        if (is_matrix(parser, use) && use->side == PRODUCT_LEFT)
            text_printf(text, "(m%s,k)", m);
        else if (is_matrix(parser, use))
            text_printf(text, "(k,n%s)", n);
        else
            text_printf(text, "(rows%zu:%s,columns%zu:%s)", i, extents[use->side][0], i, extents[use->side][1]);
    }
    text_printf(text, "->(m%s,n%s)", m, n);
}

static void write_parameters(struct parser *parser, struct text *text, const char *first, const struct type *made)
{
    text_printf(text, "(%s__SIZE_TYPE__ m, __SIZE_TYPE__ k, __SIZE_TYPE__ n", first);
    for (size_t i = 0; i < parser->parameter_count; i++)
        if (!is_matrix(parser, &parser->parameters[i]))
            text_printf(text, ", __SIZE_TYPE__ rows%zu, __SIZE_TYPE__ columns%zu", i, i);
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        text_printf(text, ", const %s gpucc_%s", fused_type(&use->type), use->name);
        if (is_matrix(parser, use))
            text_printf(text, "[%s][%s]", extents[use->side][0], extents[use->side][1]);
        else
            text_printf(text, "[rows%zu][columns%zu]", i, i);
    }
    text_printf(text, ", %s gpucc_%s[m][n])\n", fused_type(made), output_name(parser));
}

/* Elements of tf32 are float32 without the last 13 bits. */
static void write_tf32(struct parser *parser, struct text *text)
{
    const char *const name = parser->fuse->name;
    if (!parser->product.are_tf32[0])
        return;
    text_printf(text, "static inline __attribute__((always_inline)) float gpucc_tf32_%s(float x) { "
                      "union { float number; unsigned bits; } u = {x}; u.bits &= ~0x1fffu; return u.number; }\n", name);
    for (unsigned i = 0; i < 2; i++)
        parser->product.operands[i] = arena_printf(parser->parse->arena, "gpucc_tf32_%s(%s)", name,
                                                   parser->product.operands[i]);
}

/* As what elements are multiplied: those of 8-bit types as float32. */
static struct type write_multiplied(struct parser *parser, unsigned side)
{
    const struct product *product = &parser->product;
    const struct type *elements = side ? &product->right_elements : &product->elements;
    if (!are_float8(elements))
        return *elements;
    parser->product.operands[side] =
        arena_printf(parser->parse->arena, "gpucc_float_from_float8(%s)", product->operands[side]);
    return (struct type){.kind = TYPE_SCALAR, .dtype = DTYPE_float32};
}

/* A function of one element of each operand of that side, and of `first`, the element of the product. */
static void write_element_function(struct parser *parser, struct text *text, enum product_side side, const char *prefix,
                                   const struct type *result, const char *body)
{
    const char *comma = "";
    text_printf(text, "static inline __attribute__((always_inline)) %s gpucc_%s_%s(", fused_type(result), prefix,
                parser->fuse->name);
    if (side == PRODUCT_OUTSIDE) {
        text_printf(text, "%s gpucc_product", fused_type(&parser->product.result));
        comma = ", ";
    }
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        if (use->side != side)
            continue;
        text_printf(text, "%s%s gpucc_%s", comma, fused_type(&use->type), use->name);
        comma = ", ";
    }
    text_printf(text, ") { return %s; }\n", body);
}

/* #define GPUCC_PRODUCT_LEFT(x, i, j) gpucc_left_NAME(x, …); the rest are the elements at row i, column j. */
static void write_element_macro(struct parser *parser, struct text *text, enum product_side side, const char *macro,
                                const char *prefix)
{
    text_printf(text, "#define GPUCC_PRODUCT_%s(x, i, j) gpucc_%s_%s(x", macro, prefix, parser->fuse->name);
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        if (use->side == side && !is_matrix(parser, use))
            text_printf(text, ", (&gpucc_%s[0][0])[(rows%zu > 1 ? (i) : 0) * columns%zu + (columns%zu > 1 ? (j) : 0)]",
                        use->name, i, i, i);
    }
    text_printf(text, ")\n");
}

/* Whether that operand is a matrix as it lies in memory. */
static bool is_plain(const struct parser *parser, enum product_side side)
{
    const char *body = parser->product.operands[side == PRODUCT_RIGHT];
    return !strcmp(body, arena_printf(parser->parse->arena, "gpucc_%s", matrix_of(parser, side)->name));
}

static bool are_plain(const struct parser *parser)
{
    return is_plain(parser, PRODUCT_LEFT) && is_plain(parser, PRODUCT_RIGHT);
}

static void write_macros(struct parser *parser, struct text *text)
{
    const struct parameter_use *left = matrix_of(parser, PRODUCT_LEFT), *right = matrix_of(parser, PRODUCT_RIGHT);
    text_printf(text, "#define GPUCC_PRODUCT_X %s\n#define GPUCC_PRODUCT_Y %s\n#define GPUCC_PRODUCT_SUM %s\n",
                fused_type(&parser->product.elements), fused_type(&parser->product.right_elements),
                fused_type(&parser->product.result));
    text_printf(text, "#define GPUCC_PRODUCT_A (&gpucc_%s[0][0])\n#define GPUCC_PRODUCT_ELEMENT_A %s\n", left->name,
                fused_type(&left->type));
    text_printf(text, "#define GPUCC_PRODUCT_B (&gpucc_%s[0][0])\n#define GPUCC_PRODUCT_ELEMENT_B %s\n", right->name,
                fused_type(&right->type));
    text_printf(text, "#define GPUCC_PRODUCT_OUT (&gpucc_%s[0][0])\n#define GPUCC_PRODUCT_IS_PLAIN %d\n",
                output_name(parser), are_plain(parser));
    write_element_macro(parser, text, PRODUCT_LEFT, "LEFT", "left");
    write_element_macro(parser, text, PRODUCT_RIGHT, "RIGHT", "right");
    write_element_macro(parser, text, PRODUCT_OUTSIDE, "FINISH", "finish");
}

static void write_end(struct text *text, const char *template)
{
    text_printf(text, "{\n#include <loops/%s>\n}\n#undef GPUCC_PRODUCT_X\n#undef GPUCC_PRODUCT_Y\n"
                      "#undef GPUCC_PRODUCT_SUM\n"
                      "#undef GPUCC_PRODUCT_A\n#undef GPUCC_PRODUCT_ELEMENT_A\n#undef GPUCC_PRODUCT_B\n"
                      "#undef GPUCC_PRODUCT_ELEMENT_B\n#undef GPUCC_PRODUCT_OUT\n#undef GPUCC_PRODUCT_IS_PLAIN\n"
                      "#undef GPUCC_PRODUCT_LEFT\n#undef GPUCC_PRODUCT_RIGHT\n#undef GPUCC_PRODUCT_FINISH\n", template);
}

/* Declares the types of matrices that no ufunc takes or returns. */
static void write_own_type(struct parser *parser, struct text *text)
{
    if (parser->product.has_own_type)
        text_printf(text, "gpucc_typevar(%s, float32, float64, float16, bfloat16);\n",
                    parser->product.elements.variable);
}

/* Whether warpgroups can make the product: the copy engine brings matrices as they are. */
static bool has_warpgroups(const struct parser *parser)
{
    const struct options *options = parser->parse->options;
    bool has_arch = false;
    for (size_t i = 0; i < options->arch_count; i++)
        has_arch = has_arch || options->archs[i] == (90 | ARCH_SPECIFIC);
    return has_arch && are_plain(parser);
}

/* A function of the whole product, from a template, for blocks of threads. */
static void write_tiles(struct parser *parser, struct text *text, const char *prefix, const char *first,
                        const char *template, const struct type *made)
{
    write_macros(parser, text);
    text_printf(text, "static inline __attribute__((unused)) void gpucc_%s_%s", prefix, parser->fuse->name);
    write_parameters(parser, text, first, made);
    write_end(text, template);
}

struct function write_product(struct parser *parser, struct text *text, const struct type *made)
{
    struct unit *unit = parser->parse->unit;
    struct text tiles = {.arena = parser->parse->arena};
    const struct product *product = &parser->product;
    const bool by_warpgroups = has_warpgroups(parser);
    write_own_type(parser, text);
    write_line(text, &parser->fuse->place);
    write_tf32(parser, text);
    const struct type left = write_multiplied(parser, 0), right = write_multiplied(parser, 1);
    write_element_function(parser, text, PRODUCT_LEFT, "left", &left, product->operands[0]);
    write_element_function(parser, text, PRODUCT_RIGHT, "right", &right, product->operands[1]);
    write_element_function(parser, text, PRODUCT_OUTSIDE, "finish", made, parser->body.data);
    write_macros(parser, text);
    write_line(text, &parser->fuse->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.tiled gpucc_tiles_%s\"), ", parser->fuse->name);
    if (product->are_tf32[0])
        text_printf(text, "annotate(\"gpucc.tf32\"), ");
    if (are_plain(parser))
        text_printf(text, "annotate(\"gpucc.plain\"), ");
    if (by_warpgroups)
        text_printf(text, "annotate(\"gpucc.warpgroups gpucc_warpgroups_%s\"), ", parser->fuse->name);
    text_printf(text, "annotate(\"gpucc.guvectorize ");
    write_layout(parser, text);
    text_printf(text, "\"))) void %s", parser->fuse->name);
    write_parameters(parser, text, "", made);
    write_end(text, "product_plain.h");
    if (unit->tiles)
        text_append(&tiles, unit->tiles, strlen(unit->tiles));
    else
        text_printf(&tiles, "#include <gpucc/matrix.h>\n");
    write_tiles(parser, &tiles, "tiles", "", "product_tiles.h", made);
    if (by_warpgroups) {
        text_printf(&tiles, "#include <loops/product_work.h>\n#if GPUCC_HAS_WGMMA\n");
        write_tiles(parser, &tiles, "warpgroups", "struct gpucc_product_work *gpucc_work, ", "product_warpgroups.h",
                    made);
        text_printf(&tiles, "#endif\n");
    }
    unit->tiles = tiles.data;
    return (struct function){.kind = FUNCTION_GUFUNC, .name = parser->fuse->name, .annotation = "", .tiles = "",
                             .warpgroups = by_warpgroups ? "" : NULL, .place = parser->fuse->place};
}
