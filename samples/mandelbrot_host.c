/* mandelbrot.png: one ufunc call on a row of real parts and a column of imaginary ones. */
#include "mandelbrot.h"
#include "png.h"
#include "sample.h"

enum { WIDTH = 1200, HEIGHT = 800 };

static unsigned char steps[HEIGHT][WIDTH], pixels[HEIGHT][WIDTH][3];

static void colour(unsigned char pixel[3], int n)
{
    pixel[0] = (unsigned char)(n * 3 > 255 ? 255 : n * 3);
    pixel[1] = (unsigned char)(n * 9 > 255 ? 255 : n * 9);
    pixel[2] = (unsigned char)(n ? 80 + n * 175 / 255 : 0);
}

int main(int argc, char **argv)
{
    float real[WIDTH], imaginary[HEIGHT];
    gpucc_context *context = sample_context(argc, argv);
    for (int x = 0; x < WIDTH; x++)
        real[x] = -2.25f + 3.0f * (float)x / WIDTH;
    for (int y = 0; y < HEIGHT; y++)
        imaginary[y] = -1.0f + 2.0f * (float)y / HEIGHT;
    gpucc_array *row = sample_matrix(context, 1, WIDTH, real), *column = sample_matrix(context, HEIGHT, 1, imaginary);
    gpucc_array *result = NULL;
    CHECK(mandelbrot(context, row, column, &result));
    CHECK(gpucc_array_read(result, steps, sizeof steps));

    int inside = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            inside += steps[y][x] == 0;
            colour(pixels[y][x], steps[y][x]);
        }
    EXPECT(steps[HEIGHT / 2][WIDTH * 3 / 4] == 0); /* the origin is in the set */
    EXPECT(steps[0][0] == 1);                      /* the corner is not */
    if (png_write("mandelbrot.png", WIDTH, HEIGHT, 3, pixels[0][0])) {
        perror("mandelbrot.png");
        return 3;
    }
    /* The set's area is about 1.507. */
    printf("wrote mandelbrot.png; the set's area is about %.2f\n", inside * 3.0 * 2.0 / (WIDTH * HEIGHT));
    gpucc_context_destroy(context);
    return 0;
}
