"""The few calls of the CUDA driver that the GPU scripts need, launched as cuTile Python's launcher does:
block (1, 1, 1), no dynamic shared memory, arguments in entry order."""

import ctypes as C

_cuda = C.CDLL("libcuda.so.1")


def check(status, what):
    if status:
        name = C.c_char_p()
        _cuda.cuGetErrorName(status, C.byref(name))
        raise RuntimeError(f"{what}: {name.value.decode() if name.value else status}")


class Kernel:
    """A kernel of a PTX text or a cubin; PTX goes through the driver's JIT."""

    def __init__(self, image: bytes, name: str):
        log = C.create_string_buffer(1 << 16)
        keys = (C.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (C.c_void_p * 2)(C.cast(log, C.c_void_p), C.c_void_p(len(log)))
        self.module = C.c_void_p()
        data = image if image.startswith(b"\x7fELF") else image + b"\0"
        status = _cuda.cuModuleLoadDataEx(C.byref(self.module), data, 2, keys, values)
        check(status, f"loading {name}: {log.value.decode(errors='replace')}")
        self.function = C.c_void_p()
        check(_cuda.cuModuleGetFunction(C.byref(self.function), self.module, name.encode()), name)

    def attribute(self, number: int) -> int:
        value = C.c_int()
        check(_cuda.cuFuncGetAttribute(C.byref(value), number, self.function), "attribute")
        return value.value

    @property
    def registers(self) -> int:
        return self.attribute(4)

    @property
    def threads(self) -> int:
        return self.attribute(0)

    def prepare(self, grid, args):
        """A function that launches on the given stream. `args` are ctypes values."""
        grid = tuple(grid) + (1,) * (3 - len(grid))
        pointers = (C.c_void_p * len(args))(*[C.cast(C.pointer(a), C.c_void_p) for a in args])

        def launch(stream=None, _keep=args):
            check(_cuda.cuLaunchKernel(self.function, *grid, 1, 1, 1, 0, stream, pointers, None), "launch")

        return launch


def unload(kernel):
    """Gives back the module of a kernel that is not used any more."""
    check(_cuda.cuModuleUnload(kernel.module), "unloading")


def flatten_array(tensor):
    """An array as cuTile Python passes it: pointer, extents, strides (in elements, i32)."""
    shape, strides = list(tensor.shape), list(tensor.stride())
    return [C.c_uint64(tensor.data_ptr())] + [C.c_int32(n) for n in shape + strides]
