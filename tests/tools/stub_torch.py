"""A `torch` without a computation: tensors with a shape, strides and a type, enough to launch kernels with.

`install()` puts it in the place of `torch`, so that tests of kernels can be run for their launches alone, where there
is no GPU and no PyTorch. Tensors hold zeros that nobody touches; comparisons of results do nothing.
"""

import ctypes
import math
import sys
import types

import ml_dtypes
import numpy as np

# name: element type of the storage, the type's number in DLPack
DTYPES = {
    "bool": (np.bool_, 6), "uint8": (np.uint8, 1), "uint16": (np.uint16, 1), "uint32": (np.uint32, 1),
    "uint64": (np.uint64, 1), "int8": (np.int8, 0), "int16": (np.int16, 0), "int32": (np.int32, 0),
    "int64": (np.int64, 0), "float16": (np.float16, 2), "float32": (np.float32, 2), "float64": (np.float64, 2),
    "bfloat16": (ml_dtypes.bfloat16, 4), "float8_e4m3fn": (ml_dtypes.float8_e4m3fn, 10),
    "float8_e5m2": (ml_dtypes.float8_e5m2, 12), "float8_e8m0fnu": (ml_dtypes.float8_e8m0fnu, 14),
    "float4_e2m1fn_x2": (np.uint8, 17), "complex32": (np.uint32, 5), "complex64": (np.complex64, 5),
    "complex128": (np.complex128, 5),
}
ALIASES = {"float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64",
           "short": "int16"}
# where the memory of all tensors would begin
BASE = 0x7F00_0000_0000


class DType:
    def __init__(self, name, element, code):
        self.name, self.element, self.code = name, np.dtype(element), code
        self.itemsize = self.element.itemsize
        self.is_floating_point = code in (2, 4, 10, 12, 14, 17)
        self.is_complex = code == 5

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return (_dtype, (self.name,))


def _dtype(name):
    return ALL[name]


ALL = {name: DType(name, *rest) for name, rest in DTYPES.items()}


class Shape(tuple):
    def numel(self):
        return math.prod(self)


class Tensor:
    """A view of an array of zeros; `start` is where its memory begins."""

    def __init__(self, array, dtype, start=None):
        self.array, self.dtype = array, dtype
        self.start = address(array) if start is None else start
        self.device, self.requires_grad, self.grad, self.is_cuda = Device("cuda:0"), False, None, True

    shape = property(lambda self: Shape(self.array.shape))
    ndim = property(lambda self: self.array.ndim)
    T = property(lambda self: self.of(self.array.T))
    mT = property(lambda self: self.of(np.swapaxes(self.array, -1, -2)))
    data = property(lambda self: self)
    real = property(lambda self: self)
    itemsize = property(lambda self: self.dtype.itemsize)
    is_floating_point = lambda self: self.dtype.is_floating_point
    dim = lambda self: self.array.ndim
    numel = nelement = lambda self: self.array.size
    element_size = lambda self: self.dtype.itemsize
    data_ptr = lambda self: BASE + address(self.array) - self.start
    storage_offset = lambda self: (address(self.array) - self.start) // self.dtype.itemsize
    is_contiguous = lambda self, **_: self.array.flags.c_contiguous
    item = lambda self: self.array.reshape(-1)[0].item() if self.array.size else 0
    tolist = lambda self: self.array.tolist()
    numpy = lambda self, **_: self.array
    size = lambda self, dim=None: self.shape if dim is None else self.shape[dim]

    def of(self, array):
        """A view of the same memory."""
        return Tensor(array, self.dtype, self.start)

    def stride(self, dim=None):
        strides = tuple(stride // self.dtype.itemsize for stride in self.array.strides)
        return strides if dim is None else strides[dim]

    def view(self, *shape):
        if len(shape) == 1 and isinstance(shape[0], DType):
            return Tensor(self.array.view(shape[0].element), shape[0], self.start)
        return self.reshape(*shape)

    def reshape(self, *shape):
        return self.like(self.array.reshape(flat(shape)))

    def like(self, array):
        """A view where it is one, memory of its own otherwise."""
        shared = np.may_share_memory(array, self.array)
        return self.of(array) if shared else Tensor(array, self.dtype)

    def transpose(self, a, b):
        return self.of(np.swapaxes(self.array, a, b))

    def permute(self, *dims):
        return self.of(self.array.transpose(flat(dims)))

    t = lambda self: self.T

    def unsqueeze(self, dim):
        return self.of(np.expand_dims(self.array, dim))

    def squeeze(self, dim=None):
        return self.of(np.squeeze(self.array, dim))

    def flatten(self, start=0, end=-1):
        shape = list(self.shape)
        end %= len(shape)
        return self.reshape(shape[:start] + [math.prod(shape[start:end + 1])] + shape[end + 1:])

    def expand(self, *shape):
        shape = [self.shape[i - len(flat(shape))] if n == -1 else n for i, n in enumerate(flat(shape))]
        return self.of(np.broadcast_to(self.array, shape))

    def as_strided(self, size, stride, offset=0):
        strides = [n * self.dtype.itemsize for n in stride]
        return self.of(np.lib.stride_tricks.as_strided(self.array, size, strides))

    def to(self, *args, dtype=None, **_):
        dtype = next((a for a in args if isinstance(a, DType)), dtype) or self.dtype
        dtype = next((a.dtype for a in args if isinstance(a, Tensor)), dtype)
        return self if dtype is self.dtype else zeros(self.shape, dtype=dtype)

    type = to

    def contiguous(self, **_):
        return self if self.is_contiguous() else zeros(self.shape, dtype=self.dtype)

    def chunk(self, count, dim=0):
        return [self.of(part) for part in np.array_split(self.array, count, dim)]

    def __getitem__(self, index):
        return self.like(self.array[native(index)])

    def __setitem__(self, index, value):
        pass

    def __len__(self):
        return len(self.array)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        return True

    __index__ = __int__ = lambda self: int(self.item())
    __float__ = lambda self: float(self.item())

    def __matmul__(self, other):
        a, b = self.shape, other.shape
        batch = np.broadcast_shapes(a[:-2], b[:-2])
        return zeros((*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ())), dtype=self.dtype)

    matmul = mm = bmm = __matmul__

    def __dlpack__(self, **_):
        return capsule(self)

    def __dlpack_device__(self):
        return (2, 0)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return ELEMENTWISE.get(name) or (lambda *args, **options: reduced(self, *args, **options))


def address(array):
    return array.__array_interface__["data"][0]


def flat(shape):
    """`f(2, 3)` and `f((2, 3))` mean the same."""
    shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    return tuple(int(n) for n in (shape if isinstance(shape, (tuple, list)) else (shape,)))


def native(index):
    if isinstance(index, tuple):
        return tuple(native(i) for i in index)
    return index.array if isinstance(index, Tensor) else index


def zeros(*shape, dtype=None, size=None, **_):
    dtype = dtype or ALL["float32"]
    shape = flat(shape) if size is None else tuple(size)
    return Tensor(np.zeros(shape, dtype.element), dtype)


def broadcast(self, *others, dtype=None, **_):
    """The result of an op on each element."""
    tensors = [x for x in (self, *others) if isinstance(x, Tensor)]
    shape = np.broadcast_shapes(*(x.shape for x in tensors))
    floats = [x for x in tensors if x.dtype.is_floating_point]
    return zeros(shape, dtype=dtype or (floats or tensors)[0].dtype)


def compared(self, *others, **_):
    return broadcast(self, *others, dtype=ALL["bool"])


def reduced(self, *args, dim=None, axis=None, keepdim=False, dtype=None, **_):
    """The result of an unknown method: of the same shape, or without the dimensions that it names."""
    dim = axis if dim is None else dim
    if dim is None or not isinstance(self, Tensor):
        return self
    dims = {d % self.ndim for d in (dim if isinstance(dim, (tuple, list)) else (dim,))}
    kept = [n if i not in dims else 1 for i, n in enumerate(self.shape) if keepdim or i not in dims]
    return zeros(tuple(kept), dtype=dtype or self.dtype)


ELEMENTWISE = {}
for _name in ("add radd sub rsub mul rmul truediv rtruediv floordiv mod pow rpow and or xor lshift rshift neg invert "
              "abs iadd isub imul").split():
    setattr(Tensor, f"__{_name}__", broadcast)
for _name in "lt le gt ge eq ne".split():
    setattr(Tensor, f"__{_name}__", compared)
Tensor.__hash__ = object.__hash__
for _name, _target in {**ALIASES, **{name: name for name in ALL}}.items():
    setattr(Tensor, _name, lambda self, dtype=ALL[_target]: self.to(dtype))
for _name in "cpu cuda clone detach zero_ fill_ normal_ uniform_ random_ requires_grad_ copy_".split():
    setattr(Tensor, _name, lambda self, *_, **__: self)


class Device:
    def __init__(self, name="cuda:0", index=0):
        self.type, self.index = "cuda", 0

    def __eq__(self, other):
        return isinstance(other, Device)

    def __hash__(self):
        return 0


class Managed(ctypes.Structure):
    """DLManagedTensor of DLPack."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
                ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


KEPT = []
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)


def capsule(tensor):
    numbers = ctypes.c_int64 * max(1, tensor.ndim)
    shape, strides = numbers(*tensor.shape), numbers(*tensor.stride())
    lanes, bits = (2, 4) if tensor.dtype.name == "float4_e2m1fn_x2" else (1, 8 * tensor.dtype.itemsize)
    managed = Managed(tensor.data_ptr(), 2, 0, tensor.ndim, tensor.dtype.code, bits, lanes, shape, strides, 0,
                      None, ctypes.cast(FREE, ctypes.c_void_p))
    # nobody frees what the capsule points to
    KEPT.append((managed, shape, strides))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(managed), b"dltensor", None)


class Anything:
    """Whatever else a test wants of torch: takes every call, has every attribute."""

    def __call__(self, *args, **options):
        tensor = next((a for a in args if isinstance(a, Tensor)), None)
        return self if tensor is None else reduced(tensor, *args[1:], **options)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __iter__(self):
        return iter(())

    def __mro_entries__(self, bases):
        return (object,)


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Anything()


def tensor(value, dtype=None, **_):
    if isinstance(value, Tensor):
        return value.to(dtype) if dtype else value
    array = np.asarray(value, dtype.element if dtype else None)
    if dtype is None:
        dtype = ALL["bool" if array.dtype == bool else "int64" if array.dtype.kind in "iu" else "float32"]
    return Tensor(array.astype(dtype.element), dtype)


def cat(tensors, dim=0, **_):
    shape = list(tensors[0].shape)
    shape[dim] = sum(t.shape[dim] for t in tensors)
    return zeros(shape, dtype=tensors[0].dtype)


def stack(tensors, dim=0, **_):
    shape = list(tensors[0].shape)
    shape.insert(dim % (len(shape) + 1), len(tensors))
    return zeros(shape, dtype=tensors[0].dtype)


def arange(*limits, dtype=None, **_):
    integers = all(isinstance(n, int) for n in limits)
    dtype = dtype or ALL["int64" if integers else "float32"]
    return Tensor(np.arange(*limits).astype(dtype.element), dtype)


def randint(*args, size=None, dtype=None, **_):
    shape = size if size is not None else next(a for a in args if isinstance(a, (tuple, list, Shape)))
    return zeros(tuple(shape), dtype=dtype or ALL["int64"])


def install():
    """Makes `import torch` import this."""
    torch = sys.modules["torch"] = Module("torch")
    names = {name: ALL[target] for name, target in ALIASES.items()} | ALL
    names |= {"dtype": DType, "Tensor": Tensor, "Size": Shape, "device": Device,
              "view_as_real": view_as_real, "view_as_complex": view_as_complex, "tensor": tensor, "as_tensor": tensor,
              "cat": cat, "concatenate": cat, "stack": stack, "arange": arange, "randint": randint}
    for name in "zeros ones empty rand randn randperm".split():
        names[name] = zeros
    for name in "zeros_like ones_like empty_like rand_like randn_like full_like".split():
        names[name] = lambda like, *_, dtype=None, **__: zeros(like.shape, dtype=dtype or like.dtype)
    names["full"] = lambda shape, value, dtype=None, **_: zeros(tuple(shape), dtype=dtype)
    names["as_strided"] = Tensor.as_strided
    for name in "matmul mm bmm reshape permute transpose squeeze unsqueeze flatten".split():
        names[name] = getattr(Tensor, name)
    for name in "add sub mul div where maximum minimum pow broadcast_to".split():
        names[name] = lambda *args, **_: broadcast(*args)
    names["promote_types"] = lambda a, b: a if a.is_floating_point or a.itemsize > b.itemsize else b
    names["is_floating_point"] = lambda x: x.dtype.is_floating_point
    names["is_tensor"] = lambda x: isinstance(x, Tensor)
    names["cuda"] = submodule("torch.cuda", is_available=lambda: True, device_count=lambda: 1,
                              get_device_capability=lambda *_: (10, 0), current_device=lambda: 0)
    names["testing"] = submodule("torch.testing", make_tensor=lambda *shape, dtype, **_: zeros(*shape, dtype=dtype),
                                 assert_close=lambda *_, **__: None)
    for name in ("nn", "nn.functional", "nn.attention", "multiprocessing", "distributed", "backends", "fft",
                 "distributed._symmetric_memory", "autograd", "utils", "library"):
        submodule(f"torch.{name}")
    for name, value in names.items():
        setattr(torch, name, value)
    torch.__version__ = "0"
    torch.autograd.Function = Function


def submodule(name, **contents):
    module = sys.modules[name] = Module(name)
    parent, _, own = name.rpartition(".")
    setattr(sys.modules[parent], own, module)
    for key, value in contents.items():
        setattr(module, key, value)
    return module


class Function:
    """torch.autograd.Function."""

    @classmethod
    def apply(cls, *args):
        return cls.forward(Anything(), *args)


def view_as_real(value):
    return zeros((*value.shape, 2), dtype=ALL["float32"])


def view_as_complex(value):
    return zeros(value.shape[:-1], dtype=ALL["complex64"])
