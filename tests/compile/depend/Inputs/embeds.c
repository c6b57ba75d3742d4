static const char a[] = {
#embed "first.h"
};
