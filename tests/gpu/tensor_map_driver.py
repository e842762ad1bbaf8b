"""Tensor maps as `tensor_maps.py` describes them, and two that judge them: the CUDA driver, and the documents read a
second time, which stands in for the driver where there is none.

A description is a dictionary of the mode and the keys in `COMMON` and `AREA`. Run as a program, this answers lines of the
standard input with the driver's statuses."""

import ctypes as C
import json
import signal
import subprocess
import sys

TYPES = ["UINT8", "UINT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16",
         "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B", "16U6_ALIGN16B"]
BITS = dict(zip(TYPES, [8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6]))
GAPS = {"16U4_ALIGN16B", "16U6_ALIGN16B"}
PACKED = GAPS | {"16U4_ALIGN8B"}
INTERLEAVES = ["NONE", "16B", "32B"]
SWIZZLES = ["NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"]
SPAN = dict(zip(SWIZZLES, [1 << 40, 32, 64, 128, 128, 128, 128]))
PROMOTIONS = ["NONE", "L2_64B", "L2_128B", "L2_256B"]
FILLS = ["NONE", "NAN_REQUEST_ZERO_FMA"]
WIDTHS = ["W", "W128"]

COMMON = ["map_address", "data_type", "address", "dims", "strides", "steps", "interleave", "swizzle", "l2", "fill"]
AREA = {"tiled": ["box"],
        "im2col": ["lower", "upper", "channels", "pixels"],
        "im2col-wide": ["lower", "upper", "channels", "pixels", "width"]}
LISTS = {"dims", "strides", "steps", "box"}


def corner_is_list(mode):
    return mode == "im2col"


def line(d):
    """The text form, which `layouts/tests/support/tensor_map_questions.rs` documents."""
    text = lambda value: " ".join(map(str, value)) if isinstance(value, list) else str(value)  # noqa: E731
    return " ; ".join([d["mode"]] + [text(d[key]) for key in COMMON + AREA[d["mode"]]])


def parse(text):
    mode, *fields = [field.strip() for field in text.split(";")]
    names = {"data_type", "interleave", "swizzle", "l2", "fill", "width"}
    d = {"mode": mode}
    for key, field in zip(COMMON + AREA[mode], fields, strict=True):
        if key in names:
            d[key] = field
        elif key in LISTS or (key in ("lower", "upper") and corner_is_list(mode)):
            d[key] = [int(entry) for entry in field.split()]
        else:
            d[key] = int(field)
    return d


class Driver:
    """The CUDA driver: `encode` gives a description's status, 0 for success."""

    def __init__(self):
        self.cuda = cuda = C.CDLL("libcuda.so.1")
        array, signed, u32, choice = C.c_void_p, C.c_int, C.c_uint32, C.c_int
        # tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides
        start = [array, choice, u32, C.c_void_p, array, array]
        signatures = {
            # boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill
            "cuTensorMapEncodeTiled": start + [array, array] + [choice] * 4,
            # pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn, elementStrides, as above
            "cuTensorMapEncodeIm2col": start + [array, array, u32, u32, array] + [choice] * 4,
            # as above, with corners by value, and interleave, mode, swizzle, l2Promotion, oobFill
            "cuTensorMapEncodeIm2colWide": start + [signed, signed, u32, u32, array] + [choice] * 5,
            "cuInit": [C.c_uint],
            "cuDriverGetVersion": [C.c_void_p],
            "cuDeviceGet": [C.c_void_p, signed],
            "cuDeviceGetName": [C.c_char_p, signed, signed],
            "cuDeviceGetAttribute": [C.c_void_p, signed, signed],
            "cuDevicePrimaryCtxRetain": [C.c_void_p, signed],
            "cuCtxSetCurrent": [C.c_void_p],
            "cuMemAlloc_v2": [C.c_void_p, C.c_size_t],
            "cuGetErrorName": [signed, C.c_void_p],
        }
        self.missing = set()
        for name, arguments in signatures.items():
            try:
                function = getattr(cuda, name)
            except AttributeError:
                self.missing.add(name)
                continue
            function.argtypes, function.restype = arguments, C.c_int
        self.check(cuda.cuInit(0), "cuInit")
        number, context, self.base = C.c_int(), C.c_void_p(), C.c_uint64()
        self.check(cuda.cuDriverGetVersion(C.byref(number)), "cuDriverGetVersion")
        self.version = number.value
        self.check(cuda.cuDeviceGet(C.byref(number), 0), "cuDeviceGet")
        device, name = number.value, C.create_string_buffer(256)
        self.check(cuda.cuDeviceGetName(name, 256, device), "cuDeviceGetName")
        capability = []
        for attribute in (75, 76):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
            self.check(cuda.cuDeviceGetAttribute(C.byref(number), attribute, device), "capability")
            capability.append(number.value)
        self.capability = tuple(capability)
        self.name = f"{name.value.decode()}, compute capability {capability[0]}.{capability[1]}, driver {self.version}"
        self.check(cuda.cuDevicePrimaryCtxRetain(C.byref(context), device), "cuDevicePrimaryCtxRetain")
        self.check(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        self.check(cuda.cuMemAlloc_v2(C.byref(self.base), 1 << 21), "cuMemAlloc")
        self.base = self.base.value
        # Descriptors lie at `map_address` modulo 4096 in here.
        self.room = C.create_string_buffer(3 * 4096)
        self.page = -(-C.addressof(self.room) // 4096) * 4096

    def check(self, status, what):
        if status:
            raise RuntimeError(f"{what}: {self.status_name(status)}")

    def status_name(self, status):
        if status is None:
            return "no such function"
        name = C.c_char_p()
        self.cuda.cuGetErrorName(status, C.byref(name))
        return name.value.decode() if name.value else str(status)

    def encode(self, d):
        # Longer than any rank asked, so that a wrong rank reads nothing that is not there.
        def array(kind, values):
            return (kind * 16)(*values)

        dims, strides = array(C.c_uint64, d["dims"]), array(C.c_uint64, d["strides"])
        steps = array(C.c_uint32, d["steps"])
        start = [self.page + d["map_address"] % 4096, TYPES.index(d["data_type"]), len(d["dims"]), d["address"], dims,
                 strides]
        interleave, swizzle = INTERLEAVES.index(d["interleave"]), SWIZZLES.index(d["swizzle"])
        end = [swizzle, PROMOTIONS.index(d["l2"]), FILLS.index(d["fill"])]
        if d["mode"] == "tiled":
            return self.cuda.cuTensorMapEncodeTiled(*start, array(C.c_uint32, d["box"]), steps, interleave, *end)
        pixels = [d["channels"], d["pixels"], steps, interleave]
        if d["mode"] == "im2col":
            corners = [array(C.c_int, d["lower"]), array(C.c_int, d["upper"])]
            return self.cuda.cuTensorMapEncodeIm2col(*start, *corners, *pixels, *end)
        if "cuTensorMapEncodeIm2colWide" in self.missing:
            return None
        return self.cuda.cuTensorMapEncodeIm2colWide(*start, d["lower"], d["upper"], *pixels, WIDTHS.index(d["width"]),
                                                     *end)


class Guarded:
    """The driver in a process of its own, which starts anew where the driver crashes: a refusal with a name of its own."""

    def __init__(self):
        self.names, self.crashes = {0: "CUDA_SUCCESS", None: "no such function"}, 0
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        about = self.process.stdout.readline()
        if not about:
            raise RuntimeError("the driver's process did not start")
        about = json.loads(about)
        if self.crashes == 0:
            self.name, self.base, self.capability = about["name"], about["base"], tuple(about["capability"])

    def encode(self, d):
        self.process.stdin.write(line(d) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if answer:
            status, name = json.loads(answer)
            self.names[status] = name
            return status
        status = self.process.wait()
        self.names[status] = f"crash: {signal.Signals(-status).name}" if status < 0 else f"exit: {status}"
        self.crashes += 1
        if self.crashes > 40:
            raise RuntimeError(f"the driver crashes often, at last for: {line(d)}")
        self.start()
        return status

    def status_name(self, status):
        return self.names[status]


def main():
    driver = Driver()
    print(json.dumps({"name": driver.name, "base": driver.base, "capability": driver.capability}), flush=True)
    names = {}
    for text in sys.stdin:
        status = driver.encode(parse(text))
        if status not in names:
            names[status] = driver.status_name(status)
        print(json.dumps([status, names[status]]), flush=True)


if __name__ == "__main__":
    main()
