/* j0f j1f jnf y0f y1f ynf cyl_bessel_i0f cyl_bessel_i1f.  Polynomials are through Chebyshev nodes.
 *
 * Below 24 the J and Y have a piece around each zero and each extremum, so that they are right to the last places near
 * their zeros; from there on they are sqrt(2/(pi x)) times a modulus times the cosine or sine of a phase. */
#include "logf.h"
#include "trigf.h"

float gpucc_logf(float x);
double gpucc_jn(int n, double x);
double gpucc_yn(int n, double x);

#define FAR 24.0f

/* ---- pieces below FAR ---- */

/* base + d * P(d), d = x - center - rest, for x below `end` */
struct piece {
    float end, center, rest, base;
    float p[11];
};

/* error 4.8e-8 */
static const struct piece j0_pieces[] = {
    { 0x1.33d152p0f, 0x0p0f, 0x0p0f, 0x1p0f,
      { 0x1.59d3dap-50f, -0x1p-2f, 0x1.52b28ep-37f, 0x1p-6f, 0x1.d48404p-31f, -0x1.c71d58p-12f,
        0x1.1800aap-27f, 0x1.c640a4p-18f, 0x1.bc9704p-27f, -0x1.465ae4p-24f, 0x1.94df24p-29f } },
    { 0x1.8f2356p1f, 0x1.33d152p1f, 0x1.d2e368p-24f, 0x0p0f,
      { -0x1.09cdb4p-1f, 0x1.ba1deep-4f, 0x1.cfae86p-5f, -0x1.1bb1ccp-7f, -0x1.1f9926p-9f, 0x1.15383ap-12f,
        0x1.6ed474p-15f, -0x1.23338p-18f, -0x1.1d3dd8p-21f, 0x1.80a4ccp-25f, 0x1.56ead4p-28f } },
    { 0x1.2b41dp2f, 0x1.ea7558p1f, 0x0p0f, -0x1.9c6cf6p-2f,
      { 0x1.09e0dep-25f, 0x1.9c6cf4p-3f, -0x1.1f06d6p-6f, -0x1.b589dp-7f, 0x1.0f9108p-10f, 0x1.86445p-12f,
        -0x1.a2a0e2p-16f, -0x1.839b4cp-18f, 0x1.6aac0ep-22f, 0x1.e72dd6p-25f, -0x1.b731fcp-29f } },
    { 0x1.91242ap2f, 0x1.6148f6p2f, -0x1.34f46ep-24f, 0x0p0f,
      { 0x1.5c6e6p-2f, -0x1.f8f72ep-6f, -0x1.b2150cp-5f, 0x1.2f7ffep-8f, 0x1.27e32p-9f, -0x1.6f6416p-13f,
        -0x1.863f72p-15f, 0x1.ad6f68p-19f, 0x1.32fadep-21f, -0x1.2a12d6p-25f, -0x1.4751f2p-28f } },
    { 0x1.f56b06p2f, 0x1.c0ff6p2f, 0x0p0f, 0x1.33518cp-2f,
      { -0x1.d850b6p-25f, -0x1.33518ap-3f, 0x1.d3414ap-8f, 0x1.80c83ap-7f, -0x1.483c2ep-11f, -0x1.6ffa58p-12f,
        0x1.2ccfe8p-16f, 0x1.796408p-18f, -0x1.1eb826p-22f, -0x1.e1361ep-25f, 0x1.658e72p-29f } },
    { 0x1.2d3c32p3f, 0x1.14eb56p3f, 0x1.999bdap-22f, 0x0p0f,
      { -0x1.15f798p-2f, 0x1.00f7fcp-6f, 0x1.68b984p-5f, -0x1.48e636p-9f, -0x1.0e0d6p-9f, 0x1.d795f6p-14f,
        0x1.7800cep-15f, -0x1.331d5ap-19f, -0x1.30f042p-21f, 0x1.c8eff4p-26f, 0x1.466cf2p-28f } },
    { 0x1.5f70a6p3f, 0x1.458d0ep3f, 0x0p0f, -0x1.ff6546p-3f,
      { 0x1.e7acfp-24f, 0x1.ff6544p-4f, -0x1.0c184ep-8f, -0x1.4b0c5cp-7f, 0x1.941588p-12f, 0x1.4e12bap-12f,
        -0x1.9f33aep-17f, -0x1.63beaap-18f, 0x1.adff88p-23f, 0x1.d08ac4p-25f, -0x1.19b6cep-29f } },
    { 0x1.91d7f8p3f, 0x1.79544p3f, 0x1.04e56cp-26f, 0x0p0f,
      { 0x1.dc13e6p-3f, -0x1.42ff0cp-7f, -0x1.38d1dep-5f, 0x1.a55e9cp-10f, 0x1.e2e17p-10f, -0x1.3dfc2cp-14f,
        -0x1.5ce7fcp-15f, 0x1.bb0bf8p-20f, 0x1.234926p-21f, -0x1.5c6dfap-26f, -0x1.3c8d1ep-28f } },
    { 0x1.c412e2p3f, 0x1.aa5bbp3f, 0x0p0f, 0x1.bf3338p-3f,
      { -0x1.69815ap-24f, -0x1.bf3336p-4f, 0x1.66055p-9f, 0x1.251856p-7f, -0x1.14bc4p-12f, -0x1.2e7de4p-12f,
        0x1.293bd2p-17f, 0x1.4a6088p-18f, -0x1.43fca4p-23f, -0x1.b88dep-25f, 0x1.ba46fp-30f } },
    { 0x1.f66cbep3f, 0x1.ddca14p3f, -0x1.0d8e2ep-25f, 0x0p0f,
      { -0x1.a701dp-3f, 0x1.c54b94p-8f, 0x1.17798ap-5f, -0x1.2a2152p-10f, -0x1.b541f8p-10f, 0x1.cc0bc6p-15f,
        0x1.41f3b4p-15f, -0x1.4b19b6p-20f, -0x1.1223aep-21f, 0x1.0dc476p-26f, 0x1.2e33eap-28f } },
    { 0x1.145564p4f, 0x1.0787b4p4f, 0x0p0f, -0x1.925c7p-3f,
      { 0x1.f5f65ap-24f, 0x1.925c6ep-4f, -0x1.04941cp-9f, -0x1.09463ap-7f, 0x1.97b3d6p-13f, 0x1.14dd3cp-12f,
        -0x1.bf6758p-18f, -0x1.32c4c2p-18f, 0x1.f55ca8p-24f, 0x1.9f1904p-25f, -0x1.5fbf8cp-30f } },
    { 0x1.2d7ed2p4f, 0x1.212314p4f, -0x1.d7982ap-26f, 0x0p0f,
      { 0x1.8077f6p-3f, -0x1.5467ecp-8f, -0x1.fd7c3ap-6f, 0x1.c1b47cp-11f, 0x1.9166c8p-10f, -0x1.5f0142p-15f,
        -0x1.2aa93ap-15f, 0x1.0121d8p-20f, 0x1.016fe8p-21f, -0x1.abf262p-27f, -0x1.1ed1ap-28f } },
    { 0x1.469eb6p4f, 0x1.39da8ep4f, 0x0p0f, 0x1.70c512p-3f,
      { 0x1.4e744p-24f, -0x1.70c512p-4f, 0x1.910dep-10f, 0x1.e7dc0ap-8f, -0x1.3bd77ap-13f, -0x1.003574p-12f,
        0x1.5ec76ep-18f, 0x1.1e5732p-18f, -0x1.8f7e8ep-24f, -0x1.8732dep-25f, 0x1.1d42e4p-30f } },
    { 0x1.5fc616p4f, 0x1.5362dep4f, -0x1.d1810ep-21f, 0x0p0f,
      { -0x1.62d93ap-3f, 0x1.0ba9cep-8f, 0x1.d7073ep-6f, -0x1.62813cp-11f, -0x1.74a948p-10f, 0x1.169568p-15f,
        0x1.170ab4p-15f, -0x1.9c81b2p-21f, -0x1.e4d42p-22f, 0x1.5bd61p-27f, 0x1.10185ep-28f } },
    { 0x1.78e684p4f, 0x1.6c294ep4f, 0x0p0f, -0x1.5664e2p-3f,
      { -0x1.47f6fcp-25f, 0x1.5664e2p-4f, -0x1.40edccp-10f, -0x1.c5e1aep-8f, 0x1.fb8a44p-14f, 0x1.de9bdap-13f,
        -0x1.1becdap-18f, -0x1.0cecb2p-18f, 0x1.46a9b2p-24f, 0x1.71c7f8p-25f, -0x1.d7f61ep-31f } },
    { 0x1.920c96p4f, 0x1.85a3bap4f, -0x1.9fd524p-21f, 0x0p0f,
      { 0x1.4b2a2ep-3f, -0x1.b3298p-9f, -0x1.b8105ep-6f, 0x1.20a3f8p-11f, 0x1.5d18d6p-10f, -0x1.c79d9ep-16f,
        -0x1.0679c6p-15f, 0x1.53a1c2p-21f, 0x1.ca6fcep-22f, -0x1.20e544p-27f, -0x1.02a1dcp-28f } },
};

/* error 4.6e-8 */
static const struct piece j1_pieces[] = {
    { 0x1.d757d2p-1f, 0x0p0f, 0x0p0f, 0x0p0f,
      { 0x1p-1f, -0x1.203844p-47f, -0x1p-4f, -0x1.aae3dap-38f, 0x1.555556p-9f, -0x1.1fa33cp-32f,
        -0x1.c71ab6p-15f, -0x1.b21728p-30f, 0x1.6d20fcp-21f, -0x1.809892p-30f, -0x1.63383ep-28f } },
    { 0x1.6b10ap1f, 0x1.d757d2p0f, 0x0p0f, 0x1.29ea3ep-1f,
      { -0x1.ff613ap-34f, -0x1.a41116p-3f, 0x1.8d1448p-8f, 0x1.c441a2p-7f, -0x1.866722p-12f, -0x1.9e24ecp-12f,
        0x1.34cedep-17f, 0x1.a486cap-18f, -0x1.11021ep-23f, -0x1.0b1348p-24f, 0x1.60e7c2p-30f } },
    { 0x1.253884p2f, 0x1.ea7558p1f, -0x1.4a121ep-24f, 0x0p0f,
      { -0x1.9c6cf6p-2f, 0x1.ae8a3ap-5f, 0x1.b589d2p-5f, -0x1.537544p-8f, -0x1.24b34p-9f, 0x1.6e4c2ap-13f,
        0x1.83a0dcp-15f, -0x1.9794dep-19f, -0x1.33b53ep-21f, 0x1.1455b4p-25f, 0x1.54b83p-28f } },
    { 0x1.8b1adep2f, 0x1.55365cp2f, 0x0p0f, -0x1.626ee8p-2f,
      { 0x1.54ea32p-26f, 0x1.55f6bep-3f, -0x1.3d233ap-7f, -0x1.8c77aap-7f, 0x1.5cdc9ep-11f, 0x1.735768p-12f,
        -0x1.2461d2p-16f, -0x1.7b7e9ep-18f, 0x1.0b0626p-22f, 0x1.e4f3fep-25f, -0x1.4d3568p-29f } },
    { 0x1.f1a93p2f, 0x1.c0ff6p2f, -0x1.8971b6p-23f, 0x0p0f,
      { 0x1.33518cp-2f, -0x1.5e70dcp-6f, -0x1.80c83cp-5f, 0x1.9a4b2ap-9f, 0x1.13fbc8p-9f, -0x1.073584p-13f,
        -0x1.796a9p-15f, 0x1.424e82p-19f, 0x1.3032ccp-21f, -0x1.ceac78p-26f, -0x1.46caa2p-28f } },
    { 0x1.2b5b46p3f, 0x1.11298p3f, 0x0p0f, 0x1.17dbfp-2f,
      { 0x1.038b6ap-23f, -0x1.1404cp-3f, 0x1.4f4dap-8f, 0x1.5c6288p-7f, -0x1.d68a7cp-12f, -0x1.56acb2p-12f,
        0x1.c10bc4p-17f, 0x1.67e4p-18f, -0x1.bbb8cap-23f, -0x1.d2f01cp-25f, 0x1.1cb65ap-29f } },
    { 0x1.5e1252p3f, 0x1.458d0ep3f, -0x1.e8407ap-22f, 0x0p0f,
      { -0x1.ff6546p-3f, 0x1.9224p-7f, 0x1.4b0c5ep-5f, -0x1.f91a9ep-10f, -0x1.f51c24p-10f, 0x1.6b4c9p-14f,
        0x1.63c552p-15f, -0x1.e3664ep-20f, -0x1.25c538p-21f, 0x1.6f9b4cp-26f, 0x1.3deb42p-28f } },
    { 0x1.9079a4p3f, 0x1.769798p3f, 0x0p0f, -0x1.ddceb4p-3f,
      { 0x1.81a416p-25f, 0x1.da521p-4f, -0x1.a9da84p-9f, -0x1.331e74p-7f, 0x1.3e5cdp-12f, 0x1.3885f6p-12f,
        -0x1.494c96p-17f, -0x1.51250ap-18f, 0x1.5ac042p-23f, 0x1.bdc44cp-25f, -0x1.cef082p-30f } },
    { 0x1.c2ff1ap3f, 0x1.aa5bbp3f, -0x1.9de34cp-22f, 0x0p0f,
      { 0x1.bf3338p-3f, -0x1.0c83a2p-7f, -0x1.251858p-5f, 0x1.59eb16p-10f, 0x1.c5bce4p-10f, -0x1.0413d8p-14f,
        -0x1.4a670ap-15f, 0x1.6c3a0cp-20f, 0x1.16ac88p-21f, -0x1.2177d8p-26f, -0x1.316108p-28f } },
    { 0x1.f558f6p3f, 0x1.dba284p3f, 0x0p0f, 0x1.a7f64p-3f,
      { 0x1.0a374ep-24f, -0x1.a60afcp-4f, 0x1.2c1e3cp-9f, 0x1.145066p-7f, -0x1.cca87ep-13f, -0x1.1df81cp-12f,
        0x1.ee8892p-18f, 0x1.3a3004p-18f, -0x1.0efe58p-23f, -0x1.a60ebcp-25f, 0x1.75a0c6p-30f } },
    { 0x1.13e3a6p4f, 0x1.0787b4p4f, -0x1.3f5ee8p-21f, 0x0p0f,
      { -0x1.925c7p-3f, 0x1.86dd32p-8f, 0x1.09463cp-5f, -0x1.fda02ap-11f, -0x1.9f4be6p-10f, 0x1.87798p-15f,
        0x1.32cb02p-15f, -0x1.19d0b6p-20f, -0x1.069f3ap-21f, 0x1.cd0cdep-27f, 0x1.23086cp-28f } },
    { 0x1.2d0d14p4f, 0x1.203f9ap4f, 0x0p0f, -0x1.810f5p-3f,
      { -0x1.baa67ap-26f, 0x1.7fdf98p-4f, -0x1.c3c20ep-10f, -0x1.f98fecp-8f, 0x1.5f653ep-13f, 0x1.080f52p-12f,
        -0x1.80c588p-18f, -0x1.2567a2p-18f, 0x1.afb97cp-24f, 0x1.8ea54p-25f, -0x1.30561p-30f } },
    { 0x1.463de8p4f, 0x1.39da8ep4f, 0x1.d05b28p-22f, 0x0p0f,
      { 0x1.70c512p-3f, -0x1.2ccb0ep-8f, -0x1.e7dc08p-6f, 0x1.8acdc6p-11f, 0x1.805038p-10f, -0x1.32ee3ep-15f,
        -0x1.1e5d28p-15f, 0x1.c11c8ap-21f, 0x1.ef122ep-22f, -0x1.76255p-27f, -0x1.14a7b8p-28f } },
    { 0x1.5f6548p4f, 0x1.52a142p4f, 0x0p0f, 0x1.633e8p-3f,
      { 0x1.9a68f4p-25f, -0x1.627378p-4f, 0x1.63ae0ep-10f, 0x1.d46666p-8f, -0x1.16d4f4p-13f, -0x1.ec0dc2p-13f,
        0x1.34e9aep-18f, 0x1.135698p-18f, -0x1.5fb28ap-24f, -0x1.790a18p-25f, 0x1.f758bp-31f } },
    { 0x1.78924p4f, 0x1.6c294ep4f, 0x1.ea6c56p-23f, 0x0p0f,
      { -0x1.5664e2p-3f, 0x1.e16556p-9f, 0x1.c5e1aep-6f, -0x1.3d36ap-11f, -0x1.66f4ecp-10f, 0x1.f0ddeep-16f,
        0x1.0cf262p-15f, -0x1.6f3b98p-21f, -0x1.d4030ep-22f, 0x1.359ec2p-27f, 0x1.0726b6p-28f } },
    { 0x1.91b852p4f, 0x1.84fb32p4f, 0x0p0f, -0x1.4b71d4p-3f,
      { 0x1.5675e4p-26f, 0x1.4ae246p-4f, -0x1.215e86p-10f, -0x1.b633eep-8f, 0x1.c7f1aap-14f, 0x1.ce01acp-13f,
        -0x1.fcee4cp-19f, -0x1.03c44ap-18f, 0x1.247e04p-24f, 0x1.65aa56p-25f, -0x1.a6f2fp-31f } },
};

/* error 2.8e-8 */
static const struct piece y0_pieces[] = {
    { 0x1.2260bap0f, 0x1.c982ecp-1f, -0x1.cafa06p-27f, 0x0p0f,
      { 0x1.c24372p-1f, -0x1.f7e38ap-2f, 0x1.c3b132p-3f, -0x1.cf18dcp-3f, 0x1.c06912p-3f, -0x1.a39ce8p-3f,
        0x1.93dc44p-3f, -0x1.8babfap-3f, 0x1.93a38ap-3f, -0x1.ba531cp-3f, 0x1.62cf82p-3f } },
    { 0x1.c93beep0f, 0x1.6p0f, 0x0p0f, 0x1.4d8526p-2f,
      { 0x1.fc23d8p-2f, -0x1.5f89cap-2f, 0x1.6a9bdcp-5f, -0x1.a39906p-6f, 0x1.9c66c2p-6f, -0x1.fb092ap-7f,
        0x1.36d532p-7f, -0x1.90204p-8f, 0x1.0a09ap-8f, -0x1.5506f8p-9f, 0x1.18522ap-10f } },
    { 0x1.89e892p1f, 0x1.193beep1f, 0x0p0f, 0x1.0aa484p-1f,
      { -0x1.72e45p-25f, -0x1.0aa484p-2f, 0x1.439faep-5f, 0x1.0d2adep-7f, 0x1.f711dp-11f, -0x1.443e5ep-10f,
        0x1.84ddb4p-12f, -0x1.1aa0e8p-13f, 0x1.e518c4p-15f, -0x1.5f86b8p-16f, 0x1.1b4b58p-18f } },
    { 0x1.2c654p2f, 0x1.fa9534p1f, 0x1.b30ad4p-24f, 0x0p0f,
      { -0x1.9c3426p-2f, 0x1.a09c92p-5f, 0x1.df6d5ap-5f, -0x1.c116fep-8f, -0x1.1e32c2p-9f, 0x1.998202p-13f,
        0x1.ab3256p-15f, -0x1.482af8p-18f, -0x1.41dd26p-22f, -0x1.daa632p-26f, 0x1.9ef2d8p-26f } },
    { 0x1.9080ep2f, 0x1.5b7fe4p2f, 0x0p0f, -0x1.5c7c56p-2f,
      { -0x1.3c781cp-24f, 0x1.5c7c56p-3f, -0x1.564d34p-7f, -0x1.a15d94p-7f, 0x1.b43834p-11f, 0x1.7a892p-12f,
        -0x1.5f6a3cp-16f, -0x1.85b21p-18f, 0x1.55f76p-22f, 0x1.cf202cp-25f, -0x1.571082p-29f } },
    { 0x1.f5d36ap2f, 0x1.c581dcp2f, 0x1.39c84p-24f, 0x0p0f,
      { 0x1.334ccap-2f, -0x1.5aef62p-6f, -0x1.8969c6p-5f, 0x1.b2f14ap-9f, 0x1.1d35e8p-9f, -0x1.26dd6ap-13f,
        -0x1.8177fep-15f, 0x1.6a8a62p-19f, 0x1.34b65p-21f, -0x1.06ecbcp-25f, -0x1.46a6d6p-28f } },
    { 0x1.2d17f8p3f, 0x1.13127ap3f, 0x0p0f, 0x1.15f994p-2f,
      { 0x1.f3ad8cp-24f, -0x1.15f994p-3f, 0x1.58ef2p-8f, 0x1.6395e2p-7f, -0x1.fb14d6p-12f, -0x1.5f889ep-12f,
        0x1.f37d9cp-17f, 0x1.6f751ep-18f, -0x1.f1169p-23f, -0x1.da66ep-25f, 0x1.3e5264p-29f } },
    { 0x1.5f8b44p3f, 0x1.471d74p3f, -0x1.4b7056p-22f, 0x0p0f,
      { -0x1.ff635cp-3f, 0x1.903646p-7f, 0x1.4e667ap-5f, -0x1.0325eep-9f, -0x1.fe2392p-10f, 0x1.7f84cap-14f,
        0x1.6afde2p-15f, -0x1.03fec6p-19f, -0x1.2aef06p-21f, 0x1.8e9bfp-26f, 0x1.425b28p-28f } },
    { 0x1.91c398p3f, 0x1.77f914p3f, 0x0p0f, -0x1.dc14eap-3f,
      { 0x1.aac122p-25f, 0x1.dc14eap-4f, -0x1.b03844p-9f, -0x1.367d7cp-7f, 0x1.4abf1p-12f, 0x1.3d8a5ep-12f,
        -0x1.5cff1ap-17f, -0x1.571184p-18f, 0x1.744efp-23f, 0x1.c5086ap-25f, -0x1.f2be0cp-30f } },
    { 0x1.c422fap3f, 0x1.ab8e1cp3f, 0x1.2879d2p-23f, 0x0p0f,
      { 0x1.bf32a2p-3f, -0x1.0bc2d8p-7f, -0x1.26cab4p-5f, 0x1.5f03e4p-10f, 0x1.caaa76p-10f, -0x1.0c5f0ep-14f,
        -0x1.4f0afcp-15f, 0x1.7d13c4p-20f, 0x1.1ad14ap-21f, -0x1.31c036p-26f, -0x1.35acdcp-28f } },
    { 0x1.f65fb4p3f, 0x1.dcb7d8p3f, 0x0p0f, 0x1.a7022cp-3f,
      { 0x1.d4f806p-25f, -0x1.a7022cp-4f, 0x1.2ee02cp-9f, 0x1.163192p-7f, -0x1.d78034p-13f, -0x1.20f952p-12f,
        0x1.00614ap-17f, 0x1.3e333p-18f, -0x1.1be98cp-23f, -0x1.abc134p-25f, 0x1.898b12p-30f } },
    { 0x1.145ac6p4f, 0x1.0803c8p4f, -0x1.7ff9bep-21f, 0x0p0f,
      { -0x1.925c36p-3f, 0x1.86254ap-8f, 0x1.0a4512p-5f, -0x1.013b38p-10f, -0x1.a24a12p-10f, 0x1.8f913p-15f,
        0x1.35d17ep-15f, -0x1.227b42p-20f, -0x1.099d7ap-21f, 0x1.defe44p-27f, 0x1.267ff2p-28f } },
    { 0x1.2d7a4ap4f, 0x1.20b1c6p4f, 0x0p0f, -0x1.80781cp-3f,
      { -0x1.c2625ep-24f, 0x1.80781cp-4f, -0x1.c6910ap-10f, -0x1.fbe6e2p-8f, 0x1.64f3fep-13f, 0x1.09ff3ep-12f,
        -0x1.8a609cp-18f, -0x1.28270ep-18f, 0x1.bdf956p-24f, 0x1.92dd06p-25f, -0x1.3bf53cp-30f } },
    { 0x1.46a292p4f, 0x1.3a42cep4f, -0x1.402852p-25f, 0x0p0f,
      { 0x1.70c4f6p-3f, -0x1.2c6732p-8f, -0x1.e924b8p-6f, 0x1.8d6c36p-11f, 0x1.8247bp-10f, -0x1.376116p-15f,
        -0x1.206da2p-15f, 0x1.caea84p-21f, 0x1.f36336p-22f, -0x1.80b2f4p-27f, -0x1.1751dep-28f } },
    { 0x1.5fc2c2p4f, 0x1.530254p4f, 0x0p0f, 0x1.62d94ep-3f,
      { 0x1.9503ecp-24f, -0x1.62d94ep-4f, 0x1.65471p-10f, 0x1.d5f85ap-8f, -0x1.1a00fp-13f, -0x1.eeb4ep-13f,
        0x1.3a7b9ap-18f, 0x1.154902p-18f, -0x1.682e2cp-24f, -0x1.7c2acp-25f, 0x1.02d5cep-30f } },
    { 0x1.78e96ap4f, 0x1.6c833p4f, -0x1.4429fcp-23f, 0x0p0f,
      { -0x1.5664d4p-3f, 0x1.e0ee8ep-9f, 0x1.c6c416p-6f, -0x1.3ec49cp-11f, -0x1.6853b2p-10f, 0x1.f6329p-16f,
        0x1.0e6af8p-15f, -0x1.7535a8p-21f, -0x1.d73102p-22f, 0x1.3c35a6p-27f, 0x1.09316p-28f } },
    { 0x1.920a0ap4f, 0x1.854fa4p4f, 0x0p0f, -0x1.4b2a38p-3f,
      { 0x1.46a07ep-23f, 0x1.4b2a38p-4f, -0x1.225c0ep-10f, -0x1.b750d6p-8f, 0x1.cbdca8p-14f, 0x1.cfe924p-13f,
        -0x1.01efeep-18f, -0x1.0531c6p-18f, 0x1.29ddecp-24f, 0x1.68068cp-25f, -0x1.b039fap-31f } },
};

/* error 4.6e-8 */
static const struct piece y1_pieces[] = {
    { 0x1.d93beep0f, 0x1.8p0f, 0x0p0f, -0x1.a6343cp-2f,
      { 0x1.508c6cp-1f, -0x1.ac58dep-4f, 0x1.a8407p-5f, -0x1.4a165cp-4f, 0x1.c8fb5cp-5f, -0x1.266ed4p-5f,
        0x1.8bbf8ap-6f, -0x1.09dcbep-6f, 0x1.6b463p-7f, -0x1.f9c22ap-8f, 0x1.f3b9eep-9f } },
    { 0x1.78549cp1f, 0x1.193beep1f, -0x1.6401b8p-24f, 0x0p0f,
      { 0x1.0aa484p-1f, -0x1.e56f82p-4f, -0x1.0d2af4p-5f, -0x1.3a6e32p-8f, 0x1.e670dp-8f, -0x1.541b96p-9f,
        0x1.17bc2ep-10f, -0x1.0d5cp-11f, 0x1.f75d56p-13f, -0x1.960134p-14f, 0x1.7774fp-16f } },
    { 0x1.239b46p2f, 0x1.d76d4ap1f, 0x0p0f, 0x1.aabb4p-2f,
      { 0x1.8add5cp-25f, -0x1.8b45bcp-3f, 0x1.e146fcp-7f, 0x1.8c5af4p-7f, -0x1.133f54p-11f, -0x1.bf8cccp-12f,
        0x1.21c1dp-15f, 0x1.4bc9f6p-20f, 0x1.191b48p-20f, -0x1.e817bep-22f, 0x1.9519dep-24f } },
    { 0x1.8be0b6p2f, 0x1.5b7fe4p2f, 0x1.d0f606p-23f, 0x0p0f,
      { -0x1.5c7c56p-2f, 0x1.00b9f8p-5f, 0x1.a15d92p-5f, -0x1.10a32ap-8f, -0x1.1be6dcp-9f, 0x1.337c7p-13f,
        0x1.85b9a8p-15f, -0x1.80543ep-19f, -0x1.259268p-21f, 0x1.ab3444p-26f, 0x1.92eddap-28f } },
    { 0x1.f1334p2f, 0x1.bc418ap2f, 0x0p0f, -0x1.36732ep-2f,
      { 0x1.296fdcp-24f, 0x1.3001c8p-3f, -0x1.bf5a32p-8f, -0x1.751e9ep-7f, 0x1.23875ep-11f, 0x1.64f658p-12f,
        -0x1.029804p-16f, -0x1.72e9a8p-18f, 0x1.f272d2p-23f, 0x1.d95d14p-25f, -0x1.31ae1p-29f } },
    { 0x1.2b82b4p3f, 0x1.13127ap3f, 0x1.cc2d36p-22f, 0x0p0f,
      { 0x1.15f994p-2f, -0x1.02b394p-6f, -0x1.6395ep-5f, 0x1.3ced2ap-9f, 0x1.07a678p-9f, -0x1.b50d7p-14f,
        -0x1.6f7bbcp-15f, 0x1.1767d8p-19f, 0x1.2bf3bcp-21f, -0x1.9e1f76p-26f, -0x1.429d7p-28f } },
    { 0x1.5df6p3f, 0x1.43f2eep3f, 0x0p0f, 0x1.00ef38p-2f,
      { 0x1.459fd8p-25f, -0x1.fcdacep-4f, 0x1.06cc1ap-8f, 0x1.4641bcp-7f, -0x1.7fac82p-12f, -0x1.4769e6p-12f,
        0x1.80610ap-17f, 0x1.5cc17ep-18f, -0x1.890dd2p-23f, -0x1.c8e592p-25f, 0x1.016f98p-29f } },
    { 0x1.908fp3f, 0x1.77f914p3f, -0x1.caf37ep-23f, 0x0p0f,
      { -0x1.dc14eap-3f, 0x1.4429fep-7f, 0x1.367d7ep-5f, -0x1.9d6eb2p-10f, -0x1.dc4f9ap-10f, 0x1.315eb4p-14f,
        0x1.57181cp-15f, -0x1.a28c92p-20f, -0x1.1e8856p-21f, 0x1.4606bep-26f, 0x1.380528p-28f } },
    { 0x1.c2ee64p3f, 0x1.a924eep3f, 0x0p0f, -0x1.c075dap-3f,
      { -0x1.02a538p-25f, 0x1.bdeb7p-4f, -0x1.61eed2p-9f, -0x1.229eaap-7f, 0x1.0cbcb6p-12f, 0x1.2aa598p-12f,
        -0x1.1c162ep-17f, -0x1.457d7cp-18f, 0x1.320332p-23f, 0x1.b206ecp-25f, -0x1.9fb36cp-30f } },
    { 0x1.f56666p3f, 0x1.dcb7d8p3f, 0x1.1bd092p-22f, 0x0p0f,
      { 0x1.a7022cp-3f, -0x1.c650b6p-8f, -0x1.163192p-5f, 0x1.26b046p-10f, 0x1.b17602p-10f, -0x1.c0a9bcp-15f,
        -0x1.3e399p-15f, 0x1.3f2cecp-20f, 0x1.0e9b12p-21f, -0x1.01c716p-26f, -0x1.2a4cbp-28f } },
    { 0x1.13de2p4f, 0x1.070a7ap4f, 0x0p0f, 0x1.931a5ap-3f,
      { 0x1.a9cc22p-25f, -0x1.919c8ap-4f, 0x1.02a348p-9f, 0x1.07ced6p-7f, -0x1.900efep-13f, -0x1.1278cep-12f,
        0x1.b259c8p-18f, 0x1.2f75f8p-18f, -0x1.e25f2cp-24f, -0x1.9a2fdp-25f, 0x1.50a328p-30f } },
    { 0x1.2d11b4p4f, 0x1.20b1c6p4f, 0x1.2be3c8p-21f, 0x0p0f,
      { -0x1.80781cp-3f, 0x1.54eda6p-8f, 0x1.fbe6ep-6f, -0x1.be318ep-11f, -0x1.8efee4p-10f, 0x1.59144cp-15f,
        0x1.282d26p-15f, -0x1.f55d74p-21f, -0x1.fdcd12p-22f, 0x1.9e4bc2p-27f, 0x1.1bc5e6p-28f } },
    { 0x1.4639fap4f, 0x1.3971a2p4f, 0x0p0f, -0x1.713fc6p-3f,
      { 0x1.e5fde8p-24f, 0x1.704976p-4f, -0x1.8ef732p-10f, -0x1.e5f53ap-8f, 0x1.37b134p-13f, 0x1.fd3b9cp-13f,
        -0x1.578a5ap-18f, -0x1.1c09b8p-18f, 0x1.849876p-24f, 0x1.83929ep-25f, -0x1.14329ep-30f } },
    { 0x1.5f68aap4f, 0x1.530254p4f, 0x1.24311ap-21f, 0x0p0f,
      { 0x1.62d94ep-3f, -0x1.0bf614p-8f, -0x1.d5f858p-6f, 0x1.6081bp-11f, 0x1.7307bp-10f, -0x1.132bfep-15f,
        -0x1.154ed2p-15f, 0x1.94ea0ep-21f, 0x1.e122aap-22f, -0x1.538dfp-27f, -0x1.0dc3cap-28f } },
    { 0x1.788f5p4f, 0x1.6bcefep4f, 0x0p0f, 0x1.56b98p-3f,
      { -0x1.5ba6e8p-24f, -0x1.560fccp-4f, 0x1.3fb08ap-10f, 0x1.c4914p-8f, -0x1.f69a38p-14f, -0x1.dc5f76p-13f,
        0x1.179072p-18f, 0x1.0b439cp-18f, -0x1.3ff594p-24f, -0x1.6f123p-25f, 0x1.cc805ep-31f } },
    { 0x1.91bae6p4f, 0x1.854fa4p4f, -0x1.f8fbe6p-21f, 0x0p0f,
      { -0x1.4b2a38p-3f, 0x1.b3878ap-9f, 0x1.b750d8p-6f, -0x1.1f6912p-11f, -0x1.5beee6p-10f, 0x1.c36248p-16f,
        0x1.053758p-15f, -0x1.4edb8cp-21f, -0x1.c7ae9cp-22f, 0x1.1b9612p-27f, 0x1.00d68ep-28f } },
};

static float by_piece(const struct piece *piece, float x)
{
    while (x >= piece->end)
        piece++;
    float d = (x - piece->center) - piece->rest;
    float p = piece->p[10];
    for (int i = 9; i >= 0; i--)
        p = __builtin_fmaf(p, d, piece->p[i]);
    return __builtin_fmaf(p, d, piece->base);
}

/* Y0 - 2/pi log(x) J0, and J0, in w = x^2 < 1/2: degree 4, errors 3e-9 and 2.1e-10 */
static float y0_near_zero(float x)
{
    float w = x * x;
    float regular = __builtin_fmaf(__builtin_fmaf(-0x1.3a4808p-17f, w, 0x1.1a5a7cp-11f), w, -0x1.075b1p-6f);
    regular = __builtin_fmaf(__builtin_fmaf(regular, w, 0x1.6bbcb4p-3f), w, -0x1.2e4d6ap-4f);
    float j0 = __builtin_fmaf(__builtin_fmaf(0x1.c17468p-18f, w, -0x1.c7129p-12f), w, 0x1.fffff2p-7f);
    j0 = __builtin_fmaf(__builtin_fmaf(j0, w, -0.25f), w, 1.0f);
    return __builtin_fmaf(TWO_OVER_PI * gpucc_logf(x), j0, regular);
}

/* (Y1 - 2/pi (log(x) J1 - 1/x))/x, and J1/x, in w = x^2 < 1.6: degree 4, errors 7.1e-8 and 1.7e-9 */
static float y1_near_zero(float x)
{
    float w = x * x;
    float regular = __builtin_fmaf(-0x1.01096ep-20f, w, 0x1.2c493ap-14f);
    regular = __builtin_fmaf(__builtin_fmaf(regular, w, -0x1.835aa8p-9f), w, 0x1.bd3972p-5f);
    regular = __builtin_fmaf(regular, w, -0x1.918662p-3f);
    float j1 = __builtin_fmaf(0x1.602436p-21f, w, -0x1.c6d9e4p-15f);
    j1 = __builtin_fmaf(__builtin_fmaf(j1, w, 0x1.5554bep-9f), w, -0x1.fffffep-5f);
    j1 = __builtin_fmaf(j1, w, 0.5f);
    float sum = __builtin_fmaf(TWO_OVER_PI * gpucc_logf(x), j1, regular) * x;
    return sum - TWO_OVER_PI / x;
}

/* ---- from FAR on ---- */

/* sum + b */
static float_pair add_pairs(float_pair sum, float_pair b)
{
    float_pair s = two_sum_f(sum.hi, b.hi);
    s.lo += sum.lo + b.lo;
    return s;
}

/* The phase of the cosine of J_n and the sine of Y_n, x - (2n + 1) pi/4 + shift, for n = 0 or 1, reduced. */
static reduced bessel_phase(float x, float_pair shift, uint32_t order)
{
    reduced r = reduce_in_two_parts(x);
    float_pair phase = { r.value, -r.minus_rest };
    phase = add_pairs(phase, (float_pair){ -0.5f * PIO2_F, -0.5f * PIO2_REST_F });
    phase = add_pairs(phase, shift);
    uint32_t quadrant = r.quadrant - order;
    if (phase.hi < -0.5f * PIO2_F) {
        phase = add_pairs(phase, (float_pair){ PIO2_F, PIO2_REST_F });
        quadrant--;
    }
    phase = fast_two_sum_f(phase.hi, phase.lo);
    return (reduced){ phase.hi, -phase.lo, quadrant };
}

/* x^(1/2) times the modulus, and the phase's shift c1 v + c2 v^3 + b v^5, v = 1/x, with polynomials in w = v^2 <= 1/64:
 * errors 2.1e-10 and, of b, 1.4e-6.  c1 and c2 are those of the asymptotic series. */
static float bessel_far(float x, uint32_t order, uint32_t quarter_turns)
{
    if (x == INFINITY_F)
        return 0.0f;
    float inverse = 1.0f / x;
    float_pair v = { inverse, inverse * __builtin_fmaf(-inverse, x, 1.0f) };
    float_pair cube = mul_pair_f(v, mul_pair_f(v, v));
    float w = inverse * inverse;
    float modulus, b;
    float_pair shift;
    if (order == 0) {
        modulus = __builtin_fmaf(__builtin_fmaf(0x1.ad8c5ap1f, w, -0x1.0765e4p-1f), w, 0x1.a767c8p-4f);
        modulus = __builtin_fmaf(__builtin_fmaf(modulus, w, -0x1.ffff7p-5f), w, 1.0f);
        b = __builtin_fmaf(__builtin_fmaf(-0x1.4c3e18p12f, w, 0x1.a0c4eap8f), w, -0x1.6eb086p4f);
        b = __builtin_fmaf(__builtin_fmaf(b, w, 0x1.a3177ap0f), w, -0x1.ad330cp-3f);
        shift = add_pairs((float_pair){ -0.125f * v.hi, -0.125f * v.lo }, /* c2 = 25/384 */
                          mul_pair_f(cube, (float_pair){ 0x1.0aaaaap-4f, 0x1.555556p-29f }));
    } else {
        modulus = __builtin_fmaf(__builtin_fmaf(-0x1.25a83ep2f, w, 0x1.89cc54p-1f), w, -0x1.8b9ebep-3f);
        modulus = __builtin_fmaf(__builtin_fmaf(modulus, w, 0x1.7fffd2p-3f), w, 1.0f);
        b = __builtin_fmaf(__builtin_fmaf(0x1.951452p12f, w, -0x1.037578p9f), w, 0x1.df6e6ap4f);
        b = __builtin_fmaf(__builtin_fmaf(b, w, -0x1.2f21fcp1f), w, 0x1.7bccb6p-2f);
        shift = add_pairs(mul_pair_f(v, (float_pair){ 0.375f, 0.0f }), /* c2 = -21/128 */
                          mul_pair_f(cube, (float_pair){ -0x1.5p-3f, 0.0f }));
    }
    shift.lo += b * (w * w) * inverse;
    reduced r = bessel_phase(x, shift, order);
    return __builtin_sqrtf(TWO_OVER_PI * inverse) * modulus * sine_of(r, r.quadrant + quarter_turns);
}

/* ---- orders 0 and 1 ---- */

float gpucc_j0f(float x)
{
    float a = __builtin_fabsf(x);
    return a < FAR ? by_piece(j0_pieces, a) : is_nan_f(x) ? x : bessel_far(a, 0, 1);
}

float gpucc_j1f(float x)
{
    float a = __builtin_fabsf(x);
    float result = a < FAR ? by_piece(j1_pieces, a) : is_nan_f(x) ? x : bessel_far(a, 1, 1);
    return flip_sign_f(result, bits_of_float(x));
}

float gpucc_y0f(float x)
{
    if (!(x > 0.0f))
        return x == 0.0f ? -INFINITY_F : NAN_F;
    return x < 0.703125f ? y0_near_zero(x) : x < FAR ? by_piece(y0_pieces, x) : bessel_far(x, 0, 0);
}

float gpucc_y1f(float x)
{
    if (!(x > 0.0f))
        return x == 0.0f ? -INFINITY_F : NAN_F;
    return x < 1.25f ? y1_near_zero(x) : x < FAR ? by_piece(y1_pieces, x) : bessel_far(x, 1, 0);
}

/* ---- other orders ---- */

/* Recurrences of more steps lose too much of float32. */
enum { MANY_STEPS = 1000 };

/* J_n(x), n >= 2, 0 < x <= n, by recurrence from an order where it is nothing, scaled by J0 + 2 J2 + 2 J4 + … = 1;
 * x not so small that a step of it overflows. */
static float jn_downward(int n, float x)
{
    int start = n + 20 + (int)__builtin_sqrtf(40.0f * (float)n);
    start += start & 1;
    float above = 0.0f, value = 0x1p-60f, result = 0.0f, sum = 0.0f;
    for (int k = start; k > 0; k--) {
        float below = __builtin_fmaf((float)(2 * k) / x, value, -above);
        above = value;
        value = below;
        if (__builtin_fabsf(value) > 0x1p60f) {
            value *= 0x1p-60f, above *= 0x1p-60f, result *= 0x1p-60f, sum *= 0x1p-60f;
        }
        sum += k & 1 ? 2.0f * value : 0.0f;
        result = k - 1 == n ? value : result;
    }
    return result / (sum - value);
}

float gpucc_jnf(int n, float x)
{
    float a = __builtin_fabsf(x);
    unsigned order = n < 0 ? -(unsigned)n : (unsigned)n;
    uint32_t sign = order & 1 ? (bits_of_float(x) ^ (n < 0 ? SIGN_BIT_F : 0)) : 0;
    float result;
    if (order > MANY_STEPS)
        return (float)gpucc_jn(n, (double)x);
    if (order < 2 || is_nan_f(x)) {
        result = order ? gpucc_j1f(a) : gpucc_j0f(a);
    } else if (a > (float)order) {
        float below = gpucc_j0f(a);
        result = gpucc_j1f(a);
        for (unsigned k = 1; k < order && a < INFINITY_F; k++) {
            float above = __builtin_fmaf((float)(2 * k) / a, result, -below);
            below = result;
            result = above;
        }
    } else if (a < 0x1p-12f) { /* the first term: (x/2)^n / n! */
        result = 1.0f;
        for (unsigned k = 1; k <= order && result != 0.0f; k++)
            result *= 0.5f * a / (float)k;
    } else {
        result = jn_downward((int)order, a);
    }
    return flip_sign_f(result, sign);
}

float gpucc_ynf(int n, float x)
{
    unsigned order = n < 0 ? -(unsigned)n : (unsigned)n;
    if (order > MANY_STEPS)
        return (float)gpucc_yn(n, (double)x);
    float below = gpucc_y0f(x);
    float result = order ? gpucc_y1f(x) : below;
    for (unsigned k = 1; k < order && result > -INFINITY_F && x < INFINITY_F; k++) {
        float above = __builtin_fmaf((float)(2 * k) / x, result, -below);
        below = result;
        result = above;
    }
    return n < 0 && (order & 1) ? -result : result;
}

/* ---- modified, of the first kind ---- */

/* factor * exp(x) for 8 <= x <= 104, also where only the product is a float */
static float times_exp(float factor, float x)
{
    float shifted = __builtin_fmaf(x, LOG2_E_F, ROUND_MAGIC_F + 254.0f);
    float j = shifted - (ROUND_MAGIC_F + 254.0f);
    float f = __builtin_fmaf(j, -LN2_LO_F, __builtin_fmaf(j, -LN2_HI_F, x));
    return scale_by_halves_f(factor * exp_polynomial_f(f), bits_of_float(shifted));
}

/* I0 of x^2 < 64: degree 13, error 7.77e-9; exp(-x) x^(1/2) I0 of 1/x: degree 8, error 3.21e-8 */
float gpucc_cyl_bessel_i0f(float x)
{
    float a = __builtin_fabsf(x);
    float w = a < 8.0f ? a * a : 64.0f;
    float p = 0x1.ad07dcp-91f;
    p = __builtin_fmaf(p, w, 0x1.e524ccp-83f);
    p = __builtin_fmaf(p, w, 0x1.7cc32ep-73f);
    p = __builtin_fmaf(p, w, 0x1.53141ep-64f);
    p = __builtin_fmaf(p, w, 0x1.0b7fecp-55f);
    p = __builtin_fmaf(p, w, 0x1.521eb8p-47f);
    p = __builtin_fmaf(p, w, 0x1.522b74p-39f);
    p = __builtin_fmaf(p, w, 0x1.02e846p-31f);
    p = __builtin_fmaf(p, w, 0x1.23456ap-24f);
    p = __builtin_fmaf(p, w, 0x1.c71c72p-18f);
    p = __builtin_fmaf(p, w, 0x1.c71c72p-12f);
    p = __builtin_fmaf(p, w, 0x1p-6f);
    p = __builtin_fmaf(p, w, 0x1p-2f);
    p = __builtin_fmaf(p, w, 0x1p0f);
    float large = a < 8.0f ? 8.0f : a < 104.0f ? a : 104.0f; /* at 104, infinity */
    float v = reciprocal_f(large);
    float q = -0x1.0cabb6p4f;
    q = __builtin_fmaf(q, v, 0x1.21fabep4f);
    q = __builtin_fmaf(q, v, -0x1.0c8feap2f);
    q = __builtin_fmaf(q, v, 0x1.43f988p-1f);
    q = __builtin_fmaf(q, v, 0x1.01cdp-7f);
    q = __builtin_fmaf(q, v, 0x1.f65516p-6f);
    q = __builtin_fmaf(q, v, 0x1.cb10d4p-6f);
    q = __builtin_fmaf(q, v, 0x1.98850ep-5f);
    q = __builtin_fmaf(q, v, 0x1.988454p-2f);
    float result = a < 8.0f ? p : times_exp(__builtin_sqrtf(v) * q, large);
    return is_nan_f(x) ? x : result;
}

/* I1(x)/x of x^2 < 64: degree 13, error 1.86e-8; exp(-x) x^(1/2) I1 of 1/x: degree 8, error 2.75e-8 */
float gpucc_cyl_bessel_i1f(float x)
{
    float a = __builtin_fabsf(x);
    float w = a < 8.0f ? a * a : 64.0f;
    float p = 0x1.d896bep-96f;
    p = __builtin_fmaf(p, w, 0x1.3977fep-87f);
    p = __builtin_fmaf(p, w, 0x1.f61b7cp-78f);
    p = __builtin_fmaf(p, w, 0x1.ee6cc8p-69f);
    p = __builtin_fmaf(p, w, 0x1.abd38cp-60f);
    p = __builtin_fmaf(p, w, 0x1.2c915ep-51f);
    p = __builtin_fmaf(p, w, 0x1.522ae2p-43f);
    p = __builtin_fmaf(p, w, 0x1.27e4fp-35f);
    p = __builtin_fmaf(p, w, 0x1.845c8cp-28f);
    p = __builtin_fmaf(p, w, 0x1.6c16c2p-21f);
    p = __builtin_fmaf(p, w, 0x1.c71c72p-15f);
    p = __builtin_fmaf(p, w, 0x1.555556p-9f);
    p = __builtin_fmaf(p, w, 0x1p-4f);
    p = __builtin_fmaf(p, w, 0x1p-1f);
    float large = a < 8.0f ? 8.0f : a < 104.0f ? a : 104.0f; /* at 104, infinity */
    float v = reciprocal_f(large);
    float q = 0x1.b157a6p3f;
    q = __builtin_fmaf(q, v, -0x1.1a65a4p4f);
    q = __builtin_fmaf(q, v, 0x1.08b07ep2f);
    q = __builtin_fmaf(q, v, -0x1.50db42p-1f);
    q = __builtin_fmaf(q, v, -0x1.47f2ccp-6f);
    q = __builtin_fmaf(q, v, -0x1.5b2d36p-5f);
    q = __builtin_fmaf(q, v, -0x1.7eb852p-5f);
    q = __builtin_fmaf(q, v, -0x1.32636ep-3f);
    q = __builtin_fmaf(q, v, 0x1.988454p-2f);
    float result = a < 8.0f ? p * a : times_exp(__builtin_sqrtf(v) * q, large);
    return is_nan_f(x) ? x : flip_sign_f(result, bits_of_float(x));
}
