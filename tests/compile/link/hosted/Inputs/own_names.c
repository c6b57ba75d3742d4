double INFINITY = 1.5, NAN = 2;
