__device__ inline void taken(float &x) { x = 1; }
