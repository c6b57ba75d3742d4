// Loops keep the order in which their signatures are written, whatever other functions of the file have brought about,
// and the one whose input types are exactly those given runs wherever it stands.
// RUN: %gpucc %s -o %t.json -o %t.h
// RUN: %python -c "import json, sys; [print(f['name'], *f['signatures'], *(l['entry'] for l in f['loops'])) for f in json.load(open(sys.argv[1]))['functions']]" %t.json | FileCheck --check-prefix=MANIFEST %s
// RUN: grep '^static inline' %t.h | FileCheck --check-prefix=HEADER %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s second full:1:int8:1 full:1:int8:2 | FileCheck --check-prefix=WRITTEN %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s second full:1:float32:1 full:1:float32:2 | FileCheck --check-prefix=EXACT %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s narrow full:1:uint8:200 | FileCheck --check-prefix=NARROW %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s narrow full:1:boolean:1 | FileCheck --check-prefix=FIRST %s
// RUN: env GPUCC_DEVICE=cpu %gpucc run %s same full:1:int64:9007199254740993 full:1:uint64:9007199254740992 | FileCheck --check-prefix=SAME %s
#include <gpucc.h>

typevar(T, float32, float64);
typevar(I, int32, int64, uint32, uint8);
typevar(A, float64, int64);
typevar(B, float64, uint64);

vectorize(float32(float32, float32), float64(float64, float64))
T first(T x, T y) { return x + y; }

// MANIFEST: first float32(float32, float32) float64(float64, float64) first_f32f32_f32
// MANIFEST: second float64(float64, float64) float32(float32, float32) second_f64f64_f64 second_f64f64_f64_rows second_f64f64_f64_strided second_f64f64_f64_converted second_f64f64_f64_converted_packed second_f64f64_f64_fold second_f64f64_f64_gathered second_f32f32_f32
// WRITTEN: dtype float64
// EXACT: dtype float32
vectorize(float64(float64, float64), float32(float32, float32))
T second(T x, T y) { return x + y; }

// MANIFEST: narrow int32(int32) int64(int64) uint32(uint32) uint8(uint8)
// NARROW: dtype uint8
// FIRST: dtype int32
vectorize()
I narrow(I x) { return x; }

// As float64 both numbers are 2^53.
// SAME: first   0
vectorize(boolean(float64, float64), boolean(int64, uint64))
boolean same(A x, B y) { return x == y; }

// MANIFEST: last float64(float64) float32(float32)
// HEADER: gpucc_status first(
// HEADER: gpucc_status second(
// HEADER: gpucc_status narrow(
// HEADER: gpucc_status same(
// HEADER: gpucc_status last(
vectorize(float64(float64), float32(float32))
T last(T x) { return -x; }
