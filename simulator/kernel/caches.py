"""Whose the cache is: compiled code in it is executed, and notes in it are believed, so it has to be the user's own."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def cache_root() -> Path:
    """Return the folder of all caches: the user's own, or a temporary one where that cannot be written or is somebody else's. What lies in it is executed."""
    chosen = os.environ.get("TERRORS_CACHE")
    home = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "terrors"
    for folder in (home, Path(tempfile.gettempdir()) / f"terrors-cache-{os.getuid() if hasattr(os, 'getuid') else 'user'}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not made_own(folder):
                print(f"{folder}: this cache is not used, since others can write to it or have; delete it, or let TERRORS_CACHE name another.", file=sys.stderr)
                continue
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    fresh = tempfile.mkdtemp(prefix="terrors-cache-")
    os.environ["TERRORS_CACHE"] = fresh  # for processes started from here
    return Path(fresh)


def made_own(folder: Path) -> bool:
    """Whether a folder is the user's own, so that nobody else can have put anything into it; others' right to write there is taken away."""
    if not hasattr(os, "getuid"):
        return True
    about, me = folder.stat(), os.getuid()
    if about.st_uid != me or folder.lstat().st_uid != me:  # the second is the link's, if it is one
        return False
    if about.st_mode & 0o022:
        folder.chmod(about.st_mode & 0o700)
        return all(path.lstat().st_uid == me for path in folder.rglob("*"))
    return True
