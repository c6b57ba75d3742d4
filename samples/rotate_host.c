/* rotated.png and edges.png: a picture through a texture, turned by 30 degrees, and its edges. */
#include "png.h"
#include "rotate.h"
#include "sample.h"

enum { WIDTH = 800, HEIGHT = 600, SQUARE = 50 };

static unsigned char picture[HEIGHT][WIDTH], pixels[HEIGHT][WIDTH];

/* A board of squares with a disc in its middle. */
static void draw(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int u = x - WIDTH / 2, v = y - HEIGHT / 2;
            picture[y][x] = u * u + v * v < 150 * 150 ? 230 : (x / SQUARE + y / SQUARE) % 2 ? 160 : 60;
        }
}

static gpucc_texture *texture_of(gpucc_array *array, gpucc_texture_options options)
{
    gpucc_texture *texture;
    options.size = sizeof options;
    CHECK(gpucc_texture_create(array, &options, &texture));
    return texture;
}

static void save(const char *path, gpucc_array *array)
{
    CHECK(gpucc_array_read(array, pixels, sizeof pixels));
    if (png_write(path, WIDTH, HEIGHT, 1, pixels[0])) {
        perror(path);
        exit(3);
    }
}

int main(int argc, char **argv)
{
    const int64_t shape[] = {HEIGHT, WIDTH};
    gpucc_context *context = sample_context(argc, argv);
    gpucc_launch launch = {.size = sizeof launch, .threads = {WIDTH, HEIGHT}};
    gpucc_array *array;
    draw();
    CHECK(gpucc_array_from_host(context, GPUCC_UINT8, 2, shape, NULL, picture, &array));
    gpucc_texture *from = texture_of(array, (gpucc_texture_options){
        .as_float = 1, .normalized = 1, .filter = GPUCC_FILTER_LINEAR,
        .address = {GPUCC_ADDRESS_BORDER, GPUCC_ADDRESS_BORDER}});
    gpucc_texture *turned = texture_of(array, (gpucc_texture_options){.as_float = 1, .surface = 1});

    CHECK(rotate(context, &launch, gpucc_texture_object(from), 0.8660254f, 0.5f, WIDTH, HEIGHT,
                 gpucc_texture_surface(turned)));
    CHECK(gpucc_texture_read(turned, array));
    save("rotated.png", array);
    EXPECT(pixels[HEIGHT / 2][WIDTH / 2] == 230); /* the disc stays */
    EXPECT(pixels[0][0] == 0);                    /* the corners come from outside */

    CHECK(sobel(context, &launch, gpucc_texture_object(turned), WIDTH, HEIGHT, gpucc_array_data(array)));
    save("edges.png", array);
    EXPECT(pixels[HEIGHT / 2][WIDTH / 2] == 0);
    int steep = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            steep += pixels[y][x] > 127;
    printf("wrote rotated.png and edges.png; %.1f %% of the pixels are edges\n", 100.0 * steep / (WIDTH * HEIGHT));
    gpucc_texture_release(from);
    gpucc_texture_release(turned);
    gpucc_context_destroy(context);
    return 0;
}
