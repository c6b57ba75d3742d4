"""lit's format for the tests of this repository: those that only compile are not run again where they have passed before
(green.py).  A test only compiles if its RUN lines call gpucc without a subcommand, and read nothing outside their folder.

With GPUCC_SLOW those of slow.txt run by turns (shares.py)."""
import os
import pathlib
import re

import lit.formats
import lit.Test

import green
import shares

RUN = re.compile(r"\bRUN: *(.*)")
SUBCOMMAND = re.compile(r"%gpucc +(run|bench|test|inspect|devices)\b|%S/\.\.")
KNOWN = re.compile(r"%(gpucc|exits|s|S|t|T|version|llvm|ptxas)\b|%%|%[0-9]*[dsxX]\b")

SETTING = re.compile(r"GPUCC_|PATH$|LC_ALL$|\w+SAN_OPTIONS$") # lit adds folders of its own


def only_compiles(text):
    runs = RUN.findall(text)
    return not any(SUBCOMMAND.search(line) or "%" in KNOWN.sub("", line) for line in runs)


class Format(lit.formats.ShTest):
    def __init__(self, gpucc, *tools):
        super().__init__(execute_external=False)
        self.gpucc, self.tools = gpucc, tools
        slow = shares.slow()
        self.left_out = set(slow) - set(shares.selected(slow, "GPUCC_SLOW"))

    def key(self, source, config):
        settings = sorted(item for item in config.environment.items() if SETTING.match(item[0]))
        features = sorted(config.available_features)
        programs = [green.program_hash(tool) for tool in self.tools if tool]
        return green.key("compiles", green.compiler_hash(self.gpucc), *programs, green.source_hash(source), features, settings)

    def execute(self, test, lit_config):
        source = pathlib.Path(test.getSourcePath())
        if source in self.left_out:
            return lit.Test.Result(lit.Test.UNSUPPORTED, "A slow test, in another run's share.")
        if not green.FOLDER or not only_compiles(source.read_text(errors="replace")):
            return super().execute(test, lit_config)
        key = self.key(source, test.config)
        if green.is_known(key):
            return lit.Test.Result(lit.Test.PASS, "It has passed before.")
        result = super().execute(test, lit_config)
        if result.code == lit.Test.PASS:
            green.remember(key)
        return result
