#define INCLUDED
