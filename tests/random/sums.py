"""Loops that add several sums to one place, under conditions of their own: the order of the stores counts.

LLVM 19's loop vectoriser got it wrong where such a function stands out of line (compiler/bridge/last_stores.h).
"""
TYPES = "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"
COUNT = 48  # elements


def _statement(rng, fields, locals):
    """With `locals` it stores what a variable has added up; the store is unconditional, or there is no vector loop."""
    place = f"o->{rng.choice(fields)}"
    if locals:
        value = rng.choice(("a[i]", "a[i]", "i", f"a[i] * {rng.randrange(2, 8)}"))
        return f"        {place} = {rng.choice(locals)} {rng.choice(('+=', '+=', '^=', '|='))} {value};\n"
    condition = rng.choice(("", "", f"if (a[i] & {rng.choice((1, 2, 4, 6))}) ", f"if (a[i] > {rng.randrange(9)}u) ",
                            "if (a[i] == (k & 7)) "))
    value = rng.choice(("a[i]", "a[i]", f"a[i] * {rng.randrange(2, 8)}", "i", f"{rng.randrange(1, 9)}", "(a[i] ^ i)"))
    return f"        {condition}{place} {rng.choice(('+=',) * 6 + ('-=', '^=', '|='))} {value};\n"


def function(rng, name):
    """Its text, and the statement that calls it and gives what it has added up."""
    types = [rng.choice(TYPES) for _ in range(rng.choice((1, 1, 2, 3)))]
    fields = [f"m{n}" for n in range(len(types))]
    element, restrict = rng.choice(TYPES), rng.choice(("restrict ", "restrict ", ""))
    locals = [f"s{n}" for n in range(3)] if rng.random() < 0.5 else []
    restrict = "" if locals else restrict
    element = types[0] if locals else element
    local = f"    {types[0]} {', '.join(f'{v} = {rng.randrange(9)}' for v in locals)};\n" if locals else ""
    statements = "".join(_statement(rng, fields[:1] if rng.random() < 0.5 else fields, locals)
                         for _ in range(rng.randrange(2, 6)))
    line = rng.choice(("OUT_OF_LINE", "OUT_OF_LINE", "static"))
    text = (f"typedef struct {{ {' '.join(f'{t} {f};' for t, f in zip(types, fields))} }} {name}_sums;\n"
            f"{line} UNUSED void {name}(unsigned n, {name}_sums *{restrict}o, const {element} *{restrict}a,"
            " unsigned k)\n"
            f"{{\n{local}    for (unsigned i = 0; i < n; i++) {{\n{statements}    }}\n}}\n")
    length = rng.choice((str(COUNT), f"{COUNT} - (k & 15)"))
    place = rng.choice((f"{name}_sums s; {name}_sums *const o = &s;", f"{name}_sums *const o = ({name}_sums *)values;"))
    first = " ".join(f"o->{f} = {rng.randrange(9)};" for f in fields)
    mixed = " ".join(f"h = MIX_{t}(h, o->{f});" for t, f in zip(types, fields))
    call = (f"    {{ {place} {element} a[{COUNT}]; for (unsigned i = 0; i < {COUNT}; i++) a[i] = (bytes[i] ^ k) & 15;\n"
            f"      {first} {name}({length}, o, a, k); {mixed} }}\n    GIVE()\n")
    return text, call
