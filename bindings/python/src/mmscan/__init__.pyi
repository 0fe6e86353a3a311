from types import TracebackType
from typing import Any, Literal, TypedDict, overload

from numpy import int64
from numpy.typing import ArrayLike, DTypeLike, NDArray

__version__: str

_Op = Literal["plus", "max", "min", "mul", "logaddexp", "and", "or", "xor"]
_Kind = Literal["inclusive", "exclusive", "offsets"]
_Array = NDArray[Any]

class _Info(TypedDict):
    version: str
    cpu: str
    isa: str
    engines: list[str]
    threads: int
    openmp: str

def cumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None) -> _Array: ...
def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None) -> _Array: ...
def nancumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None) -> _Array: ...
def nancumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None) -> _Array: ...
def cumulative_sum(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    include_initial: bool = False,
) -> _Array: ...
def cumulative_prod(
    x: ArrayLike, /, *, axis: int | None = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    include_initial: bool = False,
) -> _Array: ...
@overload
def cummax(
    a: ArrayLike, axis: int | None = None, out: _Array | None = None, return_indices: Literal[False] = False
) -> _Array: ...
@overload
def cummax(
    a: ArrayLike, axis: int | None = None, out: _Array | None = None, *, return_indices: Literal[True]
) -> tuple[_Array, NDArray[int64]]: ...
@overload
def cummin(
    a: ArrayLike, axis: int | None = None, out: _Array | None = None, return_indices: Literal[False] = False
) -> _Array: ...
@overload
def cummin(
    a: ArrayLike, axis: int | None = None, out: _Array | None = None, *, return_indices: Literal[True]
) -> tuple[_Array, NDArray[int64]]: ...
def logcumsumexp(a: ArrayLike, axis: int | None = None, out: _Array | None = None) -> _Array: ...
def scan(
    a: ArrayLike, op: _Op = "plus", *, axis: int = -1, kind: _Kind = "inclusive", reverse: bool = False,
    init: Any = None, dtype: DTypeLike | None = None, out: _Array | None = None, return_total: bool = False,
    skip_nan: bool = False, accurate: bool = False, reproducible: bool = False,
    monotone: bool = False, checked: bool = False,
    starts: ArrayLike | None = None, flags: ArrayLike | None = None, keys: ArrayLike | None = None,
) -> Any: ...
def recurrence(
    a: ArrayLike, x: ArrayLike, *, axis: int = -1, init: ArrayLike | None = None, reverse: bool = False,
    out: _Array | None = None,
) -> _Array: ...
@overload
def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, zi: None = None) -> _Array: ...
@overload
def lfilter(b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int, zi: ArrayLike) -> tuple[_Array, _Array]: ...
@overload
def lfilter(
    b: ArrayLike, a: ArrayLike, x: ArrayLike, axis: int = -1, *, zi: ArrayLike
) -> tuple[_Array, _Array]: ...
def integral(
    image: ArrayLike, dtype: DTypeLike | None = None, border: bool = True, squares: bool = False, channels: bool = False
) -> _Array: ...
def info() -> _Info: ...
def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...

class patch_numpy:
    def __init__(self) -> None: ...
    def __enter__(self) -> patch_numpy: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> bool: ...
