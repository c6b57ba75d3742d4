// Kernels' structs have their names and members in the header, for C and C++, and are checked to be laid out alike.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -I%S/Inputs -o %t/structs.h -o %t/structs.o
// RUN: FileCheck %s < %t/structs.h
// RUN: echo '#include "structs.h"' > %t/user.c && cat %S/Inputs/structs_host.c >> %t/user.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t -x c %t/user.c -x none %t/structs.o -o %t/user %lib && %t/user
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -x c++ %t/user.c -x none %t/structs.o -o %t/user++ %lib && %t/user++
// A host with definitions of its own says so; where they differ, that is an error.
// RUN: echo 'struct particle { float position[3]; double mass; };' > %t/own.c
// RUN: echo '#define GPUCC_TYPE_particle' >> %t/own.c && cat %t/user.c >> %t/own.c
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only %t/own.c
// RUN: %cxx -std=c++17 -Wall -Wextra -Werror -pedantic -I%include -I%t -fsyntax-only -x c++ %t/own.c
// RUN: sed 's/double mass/float mass/' %t/own.c > %t/other.c
// RUN: %exits 1 %cc -std=c11 -I%include -I%t -fsyntax-only %t/other.c 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: static assertion failed: "struct particle is not the one of structs.c"
// The host may define a struct by the user's header, before or after, and have its layout checked.
// RUN: sh -c '(echo "#include <stdint.h>"; echo "typedef float float32;"; echo "#include \"shape.h\""; echo "#define GPUCC_TYPE_shape"; cat %t/user.c; echo "#include \"shape.h\"") > %t/shape.c'
// RUN: %cc -std=c11 -Wall -Wextra -Werror -pedantic -I%include -I%t -I%S/Inputs -fsyntax-only %t/shape.c
// RUN: sed 's/float float32/double float32/' %t/shape.c > %t/wide.c
// RUN: %exits 1 %cc -std=c11 -I%include -I%t -I%S/Inputs -fsyntax-only %t/wide.c 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: static assertion failed: "struct shape is not the one of structs.c"
// Another program may have the same struct.
// RUN: sed 's/^void /void other_/' %s > %t/others.c && %gpucc %t/others.c -I%S/Inputs -w -o %t/others.h
// RUN: sh -c '(echo "#include \"others.h\""; cat %t/user.c) > %t/both.c' && %cc -std=c11 -Wall -Wextra -Werror -I%include -I%t -fsyntax-only %t/both.c
#include <gpucc.h>
#include "shape.h"
typedef float16 half4[4];

// CHECK: #ifndef GPUCC_TYPE_particle /* to be defined where struct particle is there already */
// CHECK-NEXT: #define GPUCC_TYPE_particle
// CHECK-NEXT: struct particle {
// CHECK-NEXT:     float position[3];
// CHECK-NEXT:     double mass;
// CHECK-NEXT: };
// CHECK-NEXT: #endif
// CHECK-NEXT: static_assert(sizeof(struct particle) == 24, "struct particle is not the one of structs.c");
struct particle {
    float32 position[3];
    float64 mass;
};

// CHECK: typedef struct {
// CHECK-NEXT:     int8_t name[8];
// CHECK-NEXT:     gpucc_float16 weights[2][4];
// CHECK-NEXT:     bool alive;
// CHECK-NEXT:     uint32_t colour;
// CHECK-NEXT:     struct particle parts[2];
// CHECK-NEXT:     void *next;
// CHECK-NEXT:     gpucc_complex64 phase;
// CHECK-NEXT:     int32_t class_;
// CHECK-NEXT: } body;
typedef struct {
    char name[8];
    half4 weights[2];
    boolean alive;
    enum { RED, GREEN } colour;
    struct particle parts[2];
    struct list *next;
    complex64 phase;
    int32 class;
} body;

// Defined by a header, or not as a host's compiler would lay it out: declared alone.
// CHECK: struct shape;
// CHECK-NEXT: #ifdef GPUCC_TYPE_shape
// CHECK-NEXT: static_assert(sizeof(struct shape) == 8,
// CHECK: struct flags;
struct flags {
    unsigned a : 3, b : 5;
};
// CHECK: struct packed;
struct __attribute__((packed)) packed {
    char a;
    int b;
};
// CHECK: struct holder;
struct holder {
    struct shape shape;
};
union either {
    int a;
    float b;
};
struct unknown;
typevar(T, float32, float64);
// CHECK: struct pair;
// CHECK-NOT: GPUCC_TYPE_pair
struct pair {
    T a, b;
};

// CHECK: move(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, const struct particle *by, struct particle *particles, const body *bodies)
kernel
void move(struct particle by, struct particle *particles, const body *bodies)
{
    particles[0].mass += by.mass + bodies[0].parts[0].mass;
}

// CHECK: declared(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, const struct shape *a, const struct flags *b, struct packed *c, struct holder *d, const void *e, void *f)
kernel
void declared(struct shape a, struct flags b, struct packed *c, struct holder d[3], union either e, struct unknown *f)
{
    c->b = (int)a.width + b.a + e.a;
    d[0].shape = a;
}

// CHECK: typed_f32(gpucc_context *gpucc_ctx, const gpucc_launch *gpucc_how, struct pair *p)
kernel
void typed(struct pair *p) { p->a = p->b; }
