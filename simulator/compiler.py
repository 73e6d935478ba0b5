"""How the rules reach machine code in a quarter of the time: what is told to Numba beyond its options.

Numba makes every function ready to be called: it links in all that the function calls, optimises the whole of it and makes machine code of that. But nobody
calls a rule from Python. So a rule is only translated (to the compiler's intermediate language, LLVM IR); what links it in optimises it with
everything else, once.
"""

from __future__ import annotations

import functools
from typing import Any

from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

# Numba writes out the types of the arguments before each of its thirty passes, for whoever may listen. A game's is long, so it is written once.
types.Record.__repr__ = functools.cache(types.Record.__repr__)


class _Nowhere:
    """Where a rule's machine code would be."""

    def set_env(self, *_: Any) -> None:
        """There is nothing that could look anything up."""


class RuleLibrary(JITCodeLibrary):
    """A rule and what it calls, to be linked in elsewhere; never optimised, never made machine code."""

    @property
    def codegen(self) -> Any:
        """Nowhere."""
        return _Nowhere()

    def get_pointer_to_function(self, name: str) -> int:
        """Nowhere: there is no machine code."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class TranslateRule(NativeLowering):
    """Numba's last pass but one, with that library."""

    _name = "translate_rule"

    def run_pass(self, state: Any) -> bool:
        """Translate."""
        state.library = RuleLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().run_pass(state)


class RuleCompiler(CompilerBase):
    """Numba's passes, with that last one."""

    def define_pipelines(self) -> list[Any]:
        """All passes, in their order."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(TranslateRule if one is NativeLowering else one, words) for one, words in passes.passes]
        passes.finalize()
        return [passes]
