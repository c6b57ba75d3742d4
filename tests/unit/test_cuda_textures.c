/* Textures on libcuda's stand-in: their copies, and that nothing is left of them. */
#include "fake_cuda.h"
#include "cuda_scene.h"
#include "expect.h"

static gpucc_context *context;

static void begin(void)
{
    context = open_context();
}

static void end(void)
{
    close_context(context);
}

TestSuite(cuda_textures, .init = begin, .fini = end);

static gpucc_status make(bool linear, gpucc_texture **out)
{
    gpucc_array *array;
    const float texels[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    const int64_t shape[] = {2, 6};
    const gpucc_texture_options options = {.size = sizeof options, .linear = linear, .surface = !linear};
    gpucc_status status =
        gpucc_array_from_host(context, GPUCC_FLOAT32, linear ? 1 : 2, shape + linear, NULL, texels, &array);
    if (status)
        return status;
    status = gpucc_texture_create(array, &options, out);
    gpucc_array_release(array);
    return status;
}

Test(cuda_textures, are_freed_by_their_release)
{
    for (int linear = 0; linear < 2; linear++) {
        gpucc_texture *texture;
        OK(make(linear, &texture));
        cr_assert(gpucc_texture_object(texture) != 0);
        cr_assert((gpucc_texture_surface(texture) != 0) == !linear);
        gpucc_texture_release(texture);
    }
    gpucc_texture_release(NULL);
}

Test(cuda_textures, are_freed_with_their_context)
{
    gpucc_texture *texture;
    OK(make(false, &texture));
    OK(make(true, &texture));
}

Test(cuda_textures, survive_a_round_trip)
{
    float texels[2][6], wanted[2][6] = {{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    gpucc_texture *texture;
    gpucc_array *array;
    const int64_t shape[] = {2, 6}, strides[] = {4, 8};
    OK(make(false, &texture));
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, shape, &array));
    OK(gpucc_texture_read(texture, array));
    OK(gpucc_array_read(array, texels, sizeof texels));
    cr_assert(memcmp(texels, wanted, sizeof texels) == 0);
    gpucc_array_release(array);
    float columns[6][2];
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, strides, columns, GPUCC_MEMORY_HOST, &array));
    OK(gpucc_texture_read(texture, array));
    cr_assert(columns[0][0] == 1 && columns[0][1] == 7 && columns[5][1] == 12);
    gpucc_array_release(array);
}
