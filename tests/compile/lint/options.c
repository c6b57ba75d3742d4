// Asked for by name alone; the code stays the same; the manifest and `gpucc inspect` say it again.
// RUN: %exits 0 %gpucc -Wall -Wextra %s -o %t.plain.ptx -o %t.plain.json 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// RUN: %exits 0 %gpucc -Wperformance %s -o %t.ptx -o %t.json 2>&1 | FileCheck %s
// RUN: %exits 0 %gpucc -Wperformance -Wno-performance %s -o %t.no.ptx 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// RUN: %exits 0 %gpucc -Wperformance -w %s -o %t.no.ptx 2>&1 | FileCheck --check-prefix=SILENT --allow-empty %s
// RUN: %exits 1 %gpucc -Werror=performance %s -o %t.error.ptx 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not test -e %t.error.ptx
// RUN: %exits 1 %gpucc -Wperformance -Werror %s -o %t.error.ptx 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: %exits 0 %gpucc -Wperformance -Werror -Wno-error=performance %s -o %t.no.ptx 2>&1 | FileCheck %s
// RUN: %exits 0 %gpucc -Wperformance --diagnostics-format=json %s -o %t.no.ptx 2>&1 | FileCheck --check-prefix=JSON %s
// RUN: %exits 0 %gpucc -Wperformance --arch=sm_75,sm_90 %s -o %t.no.ptx 2>&1 | FileCheck %s
// RUN: cmp %t.plain.ptx %t.ptx
// RUN: %gpucc -g %s -o %t.g.ptx && %gpucc -g -Wno-performance %s -o %t.g2.ptx && cmp %t.g.ptx %t.g2.ptx
// RUN: %gpucc -Wperformance -lineinfo %s -o %t.l.ptx 2>/dev/null && %gpucc -lineinfo %s -o %t.l2.ptx && cmp %t.l.ptx %t.l2.ptx
// RUN: FileCheck --check-prefix=MANIFEST %s < %t.json
// RUN: FileCheck --check-prefix=PLAIN %s < %t.plain.json
// RUN: %gpucc inspect %t.json | FileCheck --check-prefix=INSPECT %s
#include <gpucc.h>

// SILENT-NOT: {{.}}
// CHECK: options.c:[[#@LINE+11]]:16: warning: uncoalesced access: consecutive threads are 8 bytes apart{{.*}} [-Wperformance]
// CHECK: note:
// CHECK: 1 warning generated.
// ERROR: options.c:[[#@LINE+8]]:16: error: uncoalesced access: consecutive threads are 8 bytes apart{{.*}} [-Werror,-Wperformance]
// JSON: {"severity":"warning","file":"{{.*}}options.c","line":[[#@LINE+7]],"column":16,{{.*}}"option":"-Wperformance","notes":[{"severity":"note"
// MANIFEST: "performance":
// MANIFEST: "message": "uncoalesced access: consecutive threads are 8 bytes apart in this access: a warp moves 256 bytes of global memory to use 128, 2.0 for each"
// PLAIN-NOT: "performance"
// INSPECT: slow, line [[#@LINE+3]]: uncoalesced access: consecutive threads are 8 bytes apart
kernel
void every_second(const float *x, float *y)
{ y[grid(1)] = x[2 * grid(1)]; }
