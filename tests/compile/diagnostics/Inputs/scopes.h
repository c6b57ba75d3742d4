static float in_header(float x) { (::g(x)); return x; }
