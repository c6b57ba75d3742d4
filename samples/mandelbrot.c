#include <gpucc.h>

/* After how many steps of z² + c, from 0, c = real + i imaginary leaves the circle of radius 2; 0 where it has not
 * after 255.  A row of real parts and a column of imaginary ones make a picture. */
vectorize(uint8(float32, float32))
uint8 mandelbrot(float real, float imaginary)
{
    float x = 0, y = 0;
    for (int step = 1; step <= 255; step++) {
        float squares_apart = x * x - y * y;
        y = 2 * x * y + imaginary;
        x = squares_apart + real;
        if (x * x + y * y > 4)
            return (uint8)step;
    }
    return 0;
}
