"""How the rules get to machine code, in a third of the time and a sixth faster: what Numba is told beyond its options.

Numba makes every function ready to be called: it links in all that the function calls, optimises the whole of it and makes machine code of that. But nobody
calls a rule from Python. So a rule is only translated, into the compiler's intermediate language (LLVM's); the door that it is linked into optimises
it together with everything else, once.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from llvmlite.binding import Linkage
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.np import arrayobj, linalg

# Numba writes out the types of the arguments before each of its thirty passes, for whoever may listen. A game's is long, so it is written once.
types.Record.__repr__ = functools.cache(types.Record.__repr__)


def _without_scipy() -> None:
    """Load Numba's functions of arrays without SciPy's linear algebra, which takes a quarter of a start: only sums of products would be quicker with it."""
    before = linalg.ensure_blas

    def refuse() -> None:
        raise ImportError

    linalg.ensure_blas = refuse
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = before


_without_scipy()


_rare: set[str] = set()  # names of rules, as the compiler spells them


def call_rare(module: str, name: str) -> None:
    """Note that a rule is seldom needed."""
    _rare.add("".join(f"{len(part)}{part}" for part in (module.rpartition(".")[2], name)) + "B")


@contextmanager
def indices_from_the_front() -> Iterator[None]:
    """Let indices count from the front only. Numba asks of each signed one whether it is negative: a ninth of the time of a game.

    Python's `a[-1]` then means what lies before `a`, so rules must not write it; the build with bounds checks refuses it.
    """
    before = arrayobj.fix_integer_index
    arrayobj.fix_integer_index = _plain_index
    try:
        yield
    finally:
        arrayobj.fix_integer_index = before


def _plain_index(context: Any, builder: Any, index_type: Any, index: Any, size: Any) -> Any:
    return context.cast(builder, index, index_type, types.intp if index_type.signed else types.uintp)


class EntryLibrary(JITCodeLibrary):
    """The library of a function that is called from outside, with all rules that it needs; made to be fast."""

    def _optimize_final_module(self) -> None:
        self._keep_to_itself()
        self._set_rare_rules_apart()
        super()._optimize_final_module()

    def _set_rare_rules_apart(self) -> None:
        """Keep what is seldom needed out of the way of what always is, so that more of that fits into the processor's cache of instructions."""
        for function in self._final_module.functions:
            if not function.is_declaration and any(name in function.name for name in _rare):
                for attribute in ("noinline", "cold", "optsize"):
                    function.add_function_attribute(attribute)

    def _keep_to_itself(self) -> None:
        """Hide the rules from other code: then the compiler puts what has a single caller into that caller, and games are a fifteenth faster.

        It may change what a rule takes, too. But the loader looks for functions by their names in all that is loaded, so these have names of their own.
        """
        own = hashlib.sha256(self._final_module.as_bitcode()).hexdigest()[:16]
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage is Linkage.linkonce_odr:
                function.linkage = Linkage.internal
                function.name += f".{own}"


class StrategyLibrary(EntryLibrary):
    """The library of a strategy. It has many cases and few loops: made small it is faster, since it shares the processor's caches with the rules."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.add_function_attribute("optsize")
        super()._optimize_final_module()


class QuickEntryLibrary(EntryLibrary):
    """The library of a function that is called step by step, with all rules that it needs; made to be there soon. It is slower by a sixth."""

    def _optimize_final_module(self) -> None:
        self._keep_to_itself()
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap")
        passes.run(self._final_module, builder)


class RuleLibrary(JITCodeLibrary):
    """The library of a rule with all rules that it needs, to be linked in elsewhere; never optimised, never made machine code."""

    @property
    def codegen(self) -> Any:
        """The code generator, in which machine code would look for things."""
        return _Nowhere()

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, since there is no machine code."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _Nowhere:
    def set_env(self, *_: Any) -> None:
        pass


def _compiler(library: type[JITCodeLibrary], from_the_front: bool = True) -> type[CompilerBase]:
    """Return Numba's compiler, its last step but one into a library of that sort. `from_the_front`: whether indices are taken as they are."""

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Translate(NativeLowering):
        _name = f"translate_into_{library.__name__}"

        def run_pass(self, state: Any) -> bool:
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            with indices_from_the_front() if from_the_front else nullcontext():
                return super().run_pass(state)

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[Any]:
            steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
            steps.passes = [(Translate if step is NativeLowering else step, words) for step, words in steps.passes]
            steps.finalize()
            return [steps]

    return Compiler


EntryCompiler, QuickEntryCompiler, RuleCompiler = _compiler(EntryLibrary), _compiler(QuickEntryLibrary), _compiler(RuleLibrary)
StrategyCompiler = _compiler(StrategyLibrary, from_the_front=False)  # its author may write a[-1]
