#include "peer_opencl.h"

#include <stdio.h>
#include <stdlib.h>

#if WITH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static char name[512];
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem arrays[SCENE_PARAMETERS];

static void must(cl_int error, const char *call)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "%s gave error %d\n", call, error);
    exit(1);
}

static bool find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < 8; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS) {
            char platform[128], version[256];
            must(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof platform, platform, NULL),
                 "clGetPlatformInfo");
            must(clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL),
                 "clGetPlatformInfo");
            snprintf(name, sizeof name, "%s, %s", platform, version);
            return true;
        }
    return false;
}

static void build(const char *text)
{
    cl_int error;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    must(error, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &error);
    must(error, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    must(error, "clCreateProgramWithSource");
    must(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
}

bool opencl_open(const char *path)
{
    char text[1 << 15];
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    if (size == 0) {
        fprintf(stderr, "cannot read '%s'\n", path);
        exit(1);
    }
    if (!find_device())
        return false;
    build(text);
    return true;
}

const char *opencl_name(void)
{
    return name;
}

void opencl_begin(const struct scene *scene)
{
    cl_int error;
    kernel = clCreateKernel(program, scene->shape->name, &error);
    must(error, "clCreateKernel");
    for (int i = 0; i < scene->parameter_count; i++) {
        const struct scene_parameter *p = &scene->parameters[i];
        if (p->bytes != 0) {
            arrays[i] =
                clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, p->bytes, p->contents, &error);
            must(error, "clCreateBuffer");
        }
        must(p->bytes != 0 ? clSetKernelArg(kernel, (cl_uint)i, sizeof arrays[i], &arrays[i])
                           : clSetKernelArg(kernel, (cl_uint)i, sizeof p->number, &p->number),
             "clSetKernelArg");
    }
}

void opencl_launch(const struct scene *scene)
{
    const size_t local[2] = {scene->shape->block[0], scene->shape->block[1]};
    const size_t global[2] = {local[0] * scene->grid[0], local[1] * scene->grid[1]};
    const cl_uint dimensions = local[1] * scene->grid[1] > 1 ? 2 : 1;
    must(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, global, local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    must(clFinish(queue), "clFinish");
}

void opencl_read(const struct scene *scene, int parameter, void *data)
{
    must(clEnqueueReadBuffer(queue, arrays[parameter], CL_TRUE, 0, scene->parameters[parameter].bytes, data, 0, NULL,
                             NULL),
         "clEnqueueReadBuffer");
}

void opencl_end(void)
{
    for (int i = 0; i < SCENE_PARAMETERS; i++) {
        if (arrays[i])
            clReleaseMemObject(arrays[i]);
        arrays[i] = NULL;
    }
    clReleaseKernel(kernel);
}

#else

bool opencl_open(const char *path)
{
    (void)path;
    return false;
}

const char *opencl_name(void)
{
    return "";
}

void opencl_begin(const struct scene *scene)
{
    (void)scene;
}

void opencl_launch(const struct scene *scene)
{
    (void)scene;
}

void opencl_read(const struct scene *scene, int parameter, void *data)
{
    (void)scene;
    (void)parameter;
    (void)data;
}

void opencl_end(void)
{
}

#endif
