"""A folder that files are put into whole or not at all: on this machine, or at any address that fsspec knows (s3://…).

A file is written under a temporary name, flushed to the disk and renamed, and its folder is flushed too: nobody ever reads half of one, and what `write` has
returned from is there after a power cut. What is left of a writer that was killed has a name that nothing trusts and nobody can foresee. Object stores put a
file whole by themselves.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from terrors.simulator.terms.errors import WordedError

TEMPORARY = ".tmp-"
AT_ONCE = 8  # files that wait for the disk together
FRESH_SECONDS = 2.0  # a file that was written less than that ago may be written again without its times showing it
FOLDER_MODE, FILE_MODE = 0o775, 0o664  # at most: the umask takes more away, and strangers never write here
WHOLE_BY_THEMSELVES = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "memory"}
POLARS_READS = {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl"}


class FolderError(WordedError):
    """Raised for a folder that cannot be used, in one sentence."""


def sha256(data: bytes) -> str:
    """Return the checksum of a file's content."""
    return hashlib.sha256(data).hexdigest()


SEAL = "checksum"


def _seal(data: dict[str, Any]) -> str:
    return sha256(json.dumps({name: value for name, value in data.items() if name != SEAL}, sort_keys=True).encode())


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return data for a JSON file with a checksum of itself: a digit that changes on the disk is found out."""
    return data | {SEAL: _seal(data)}


def seal_broken(data: dict[str, Any]) -> bool:
    """Whether such data is not what was written. What has no checksum, by an earlier version or edited by hand, cannot be found out."""
    return SEAL in data and data[SEAL] != _seal(data)


def temporary_name(name: str) -> str:
    """Return a name for a file that is being written, which nobody can foresee."""
    return f"{TEMPORARY}{secrets.token_hex(16)}-{name}"


def make_folders(path: Path) -> None:
    """Make a folder and those above it that are missing, so that they are there after a power cut."""
    if path.is_dir():
        return
    make_folders(path.parent)
    with suppress(FileExistsError):  # another writer was faster; if a file is in the way, the next line says so
        path.mkdir(mode=FOLDER_MODE)
    flush_folder(path.parent)


def flush_folder(path: Path) -> None:
    """Let the names in a folder be on the disk. Some file systems have nothing of the kind, and need none."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)


def write_whole(path: Path, data: bytes) -> None:
    """Put a file there, whole, in the place of one that was there before; when this returns, it is on the disk. OSError if it cannot be."""
    make_folders(path.parent)
    temporary = path.with_name(temporary_name(path.name))
    try:
        # O_EXCL: neither a file nor a link that somebody has put there is written into.
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        flush_folder(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def open_folder(address: str | Path) -> Folder:
    """Return the folder at a path or an address."""
    text = str(address)
    scheme, _, rest = text.partition("://")
    if "://" in text and not rest.strip("/"):
        raise FolderError(f"{text}: this address names no folder; give it one, for instance s3://bucket/run.")
    if not rest or len(scheme) < 2:
        return Folder(Path(text))
    return Folder(Path(rest)) if scheme in ("file", "local") else RemoteFolder(text, scheme)


class Folder:
    """A folder of this machine's file system, a shared one included."""

    def __init__(self, path: Path) -> None:
        """Take the path; nothing is made yet."""
        self.path = path
        self.address = str(path)

    @property
    def everywhere(self) -> str:
        """The address that means this folder also to a worker that was started elsewhere."""
        return str(self.path.absolute())

    def _failed(self, error: OSError, name: str) -> FolderError:
        where = self.path / name if name else self.path
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return FolderError(f"{where}: there is no space left on that disk; make room, or give an --out on another one.")
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return FolderError(f"{where}: this place cannot be written to; give another --out, or the right to write there.")
        if error.errno in (errno.ENOTDIR, errno.EEXIST):
            return FolderError(f"{where}: there is a file where a folder is needed; give another --out.")
        return FolderError(f"{where}: {error.strerror or error}; give another --out if that cannot be mended.")

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole and lasting; one that was there before is replaced."""
        try:
            write_whole(self.path / name, data)
        except OSError as error:
            raise self._failed(error, name) from None

    def write_all(self, files: Mapping[str, bytes]) -> None:
        """Put files there, by name, each whole and lasting. Most of that is waiting for the disk: they wait together."""
        with ThreadPoolExecutor(AT_ONCE) as writers:
            for _ in writers.map(self.write, files.keys(), files.values()):
                pass

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if there is none."""
        try:
            return (self.path / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise FolderError(f"{self.path / name}: it cannot be read ({error.strerror or error}); mend that, or take it away.") from None

    def size(self, name: str) -> int | None:
        """Return the number of bytes of a file; None if there is none."""
        try:
            return (self.path / name).stat().st_size
        except OSError:
            return None

    def state(self, name: str) -> list[int | str] | None:
        """Return what changes whenever a file is written to: size, times, place. None if there is no such file, or its times are too fresh to tell."""
        try:
            found = (self.path / name).stat()
        except OSError:
            return None
        fresh = time.time() - max(found.st_mtime, found.st_ctime) < FRESH_SECONDS
        return None if fresh else [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev]

    def names(self, inside: str = "") -> list[str]:
        """Return the files in the folder, or in one inside it, by name, temporary ones left out."""
        return [name for name in self._all(inside) if not name.rsplit("/", 1)[-1].startswith(TEMPORARY)]

    def _all(self, inside: str) -> list[str]:
        place = self.path / inside
        try:
            return sorted(str((Path(inside) / p.name).as_posix()) for p in place.iterdir() if p.is_file()) if place.is_dir() else []
        except OSError as error:
            raise self._failed(error, inside) from None

    def anything(self) -> list[str]:
        """Return everything in the folder, folders included."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise FolderError(f"{self.path}: this is a file and not a folder; give another --out.")
            return sorted(p.name for p in self.path.iterdir()) if self.path.is_dir() else []
        except OSError as error:
            raise self._failed(error, "") from None

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        try:
            (self.path / name).unlink()
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise self._failed(error, name) from None

    def remove_all(self, inside: str) -> None:
        """Take a folder away, with all that is in it; never through a link that leads out of here."""
        if (self.path / inside).parent.resolve().is_relative_to(self.path.resolve()):
            shutil.rmtree(self.path / inside, ignore_errors=True)

    def sweep(self, folders: tuple[str, ...]) -> None:
        """Take away what a killed writer has left behind."""
        for inside in ("", *folders):
            for name in self._all(inside):
                if name.rsplit("/", 1)[-1].startswith(TEMPORARY):
                    self.remove(name)

    def free_bytes(self) -> int | None:
        """Return how much room there is; None if that cannot be known."""
        with suppress(OSError):
            return shutil.disk_usage(self.path).free
        return None

    def lock(self) -> Any:
        """Keep others from writing here, until it is closed or this process ends. FolderError if somebody else is at it."""
        import fcntl

        try:
            make_folders(self.path)
            file = open(self.path / ".lock", "a+")  # noqa: SIM115  it is held open
        except OSError as error:
            raise self._failed(error, "") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise FolderError(f"{self.path}: another process is writing here; wait for it, or give another --out.") from None
        return file

    def scan(self, names: list[str]) -> pl.LazyFrame:
        """Return Parquet files as one table, read when it is needed."""
        return pl.scan_parquet([self.path / name for name in names], glob=False)


class RemoteFolder(Folder):
    """A folder that fsspec reaches."""

    def __init__(self, address: str, scheme: str) -> None:
        """Connect to the folder."""
        try:
            import fsspec
        except ImportError:
            raise FolderError(f"{address}: an address needs fsspec; install it with: pip install dask distributed fsspec.") from None
        self.scheme = scheme
        self.address = address.rstrip("/")
        self.path = Path(self.address)
        try:
            self.files, self.root = fsspec.core.url_to_fs(self.address)
        except (ImportError, ValueError) as error:
            raise FolderError(f"{address}: this address cannot be opened: {error}") from None

    @property
    def everywhere(self) -> str:
        """The address, which is the same everywhere."""
        return self.address

    def _at(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole."""
        try:
            if self.scheme in WHOLE_BY_THEMSELVES:
                self.files.pipe_file(self._at(name), data)
                return
            folder, _, last = self._at(name).rpartition("/")
            temporary = f"{folder}/{temporary_name(last)}"
            self.files.makedirs(folder, exist_ok=True)
            self.files.pipe_file(temporary, data)
            self.files.mv(temporary, self._at(name))
        except OSError as error:
            raise self._failed(error, name) from None

    def read(self, name: str) -> bytes | None:
        """Return a file's content; None if there is none."""
        try:
            return self.files.cat_file(self._at(name))
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int | None:
        """Return the number of bytes of a file; None if there is none."""
        try:
            return int(self.files.size(self._at(name)))
        except (OSError, TypeError):
            return None

    def state(self, name: str) -> list[int | str] | None:
        """Return what the store says of a file's version; None if there is no such file."""
        try:
            return [str(self.files.ukey(self._at(name)))]
        except (OSError, NotImplementedError):
            return None

    def _all(self, inside: str) -> list[str]:
        try:
            found = self.files.ls(self._at(inside), detail=True)
        except FileNotFoundError:
            return []
        names = [entry["name"].rsplit("/", 1)[-1] for entry in found if entry["type"] == "file"]
        return sorted(f"{inside}/{name}" if inside else name for name in names)

    def anything(self) -> list[str]:
        """Return everything in the folder, folders included."""
        try:
            return sorted(entry["name"].rstrip("/").rsplit("/", 1)[-1] for entry in self.files.ls(self.root, detail=True))
        except FileNotFoundError:
            return []

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        with suppress(FileNotFoundError):
            self.files.rm_file(self._at(name))

    def remove_all(self, inside: str) -> None:
        """Take a folder away, with all that is in it."""
        with suppress(FileNotFoundError):
            self.files.rm(self._at(inside), recursive=True)

    def free_bytes(self) -> int | None:
        """Return None: the room is not known."""
        return None

    def lock(self) -> Any:
        """Return a lock that keeps nobody out, since an object store has none: two writers of one plan write the same files."""
        import io

        return io.BytesIO()

    def scan(self, names: list[str]) -> pl.LazyFrame:
        """Return Parquet files as one table: by Polars itself where it knows the store, else through fsspec."""
        if self.scheme in POLARS_READS:
            return pl.scan_parquet([f"{self.address}/{name}" for name in names], glob=False)
        return pl.scan_parquet([self.read(name) or b"" for name in names])
