/* Included by two of the sources. */
#ifndef NAME
#define NAME ""
#endif
