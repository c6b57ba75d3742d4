#include "second.h"
