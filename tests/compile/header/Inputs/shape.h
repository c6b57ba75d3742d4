#ifndef SHAPE_H
#define SHAPE_H
struct shape {
    float32 width, height;
};
#endif
