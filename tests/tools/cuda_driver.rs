//! A CUDA driver without a GPU, for the test of `tilewright run`: memory of the device is that of the process, and a launch adds two
//! vectors, as the kernel `vector_add` of the examples does. Launches of a kernel `empty` do nothing. Attributes of functions and
//! launches are printed on standard error. A library by itself, compiled by the test.

#![allow(non_snake_case)]

use std::alloc::{alloc, Layout};
use std::ffi::{c_char, c_int, c_uint, c_void, CStr};

/// Each launch takes half a millisecond.
const MILLISECONDS: f32 = 0.5;

macro_rules! succeeds {
    ($($name:ident($($arg:ident: $ty:ty),*) $body:block)*) => {$(
        /// # Safety
        /// As the function of this name in the driver's interface.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> c_int {
            $(let _ = $arg;)*
            $body
            0
        }
    )*};
}

/// An address that stands for an object of the driver.
const HANDLE: *mut c_void = 8 as *mut c_void;
/// The kernel `empty`.
const EMPTY: *mut c_void = 16 as *mut c_void;

/// `CUlaunchConfig`.
#[repr(C)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: *mut c_void,
    attributes: *const Attribute,
    count: c_uint,
}

/// `CUlaunchAttribute`, as far as its value is a shape.
#[repr(C)]
pub struct Attribute {
    id: c_int,
    pad: c_int,
    shape: [c_uint; 3],
    rest: [c_uint; 13],
}

succeeds! {
    cuInit(flags: c_uint) {}
    cuDeviceGetCount(count: *mut c_int) { *count = 1; }
    cuDeviceGet(device: *mut c_int, ordinal: c_int) { *device = 0; }
    // The compute capability is 9.0.
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) { *value = if attribute == 75 { 9 } else { 0 }; }
    cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) { *context = HANDLE; }
    cuDevicePrimaryCtxRelease_v2(device: c_int) {}
    cuCtxSetCurrent(context: *mut c_void) {}
    cuCtxSynchronize() {}
    cuModuleLoadDataEx(module: *mut *mut c_void, image: *const c_void, count: c_uint, options: *mut c_int, values: *mut *mut c_void) {
        *module = HANDLE;
    }
    cuModuleUnload(module: *mut c_void) {}
    cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) {
        *function = if CStr::from_ptr(name) == c"empty" { EMPTY } else { HANDLE };
    }
    cuFuncSetAttribute(function: *mut c_void, attribute: c_int, value: c_int) {
        eprintln!("function attribute {attribute} = {value}");
    }
    cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        *address = alloc(Layout::from_size_align(bytes, 256).expect("a layout")) as u64;
    }
    // The process ends soon.
    cuMemFree_v2(address: u64) {}
    cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) { from.copy_to(to as *mut u8, bytes); }
    cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) { (from as *const u8).copy_to(to, bytes); }
    cuEventCreate(event: *mut *mut c_void, flags: c_uint) { *event = HANDLE; }
    cuEventRecord(event: *mut c_void, stream: *mut c_void) {}
    cuEventSynchronize(event: *mut c_void) {}
    cuEventElapsedTime_v2(time: *mut f32, start: *mut c_void, end: *mut c_void) { *time = MILLISECONDS; }
    cuEventElapsedTime(time: *mut f32, start: *mut c_void, end: *mut c_void) { *time = MILLISECONDS; }
    cuEventDestroy_v2(event: *mut c_void) {}
    cuLaunchKernelEx(config: *const Config, function: *mut c_void, parameters: *mut *mut c_void, extra: *mut *mut c_void) {
        let config = &*config;
        for at in 0..config.count as usize {
            let Attribute { id, shape, .. } = &*config.attributes.add(at);
            eprintln!("launch attribute {id} = {shape:?}");
        }
        if function == EMPTY {
            eprintln!("grid {:?}, block {:?}, {} bytes", config.grid, config.block, config.shared);
            return 0;
        }
        // Pointer, extent and stride of each array.
        let pointer = |at: usize| *(*parameters.add(at) as *const *mut f32);
        let extent = *(*parameters.add(1) as *const i32) as usize;
        for at in 0..extent {
            *pointer(6).add(at) = *pointer(0).add(at) + *pointer(3).add(at);
        }
    }
}
