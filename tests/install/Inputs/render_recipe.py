"""render_recipe.py RECIPE: renders the Conda recipe for Linux on x86-64, and prints its packages with their version."""
import importlib.util
import pathlib
import sys

if not importlib.util.find_spec("rattler_build"):
    print("skipped: this needs py-rattler-build")
    sys.exit()

import rattler_build as rattler

recipe = rattler.Stage0Recipe.from_file(pathlib.Path(sys.argv[1]))
variants = rattler.VariantConfig({"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]})
settings = rattler.RenderConfig(rattler.PlatformConfig(target_platform="linux-64", build_platform="linux-64",
                                                       host_platform="linux-64"))
packages = [rendered.recipe.package for rendered in recipe.render(variants, settings)]
print(", ".join(f"{package.name} {package.version}" for package in packages))
