/* What two of the sources include. */
#ifndef NAME
#define NAME ""
#endif
