//! Runs a kernel on a GPU, as cuTile's launcher does: in blocks of shape (1, 1, 1); with clusters and dynamic shared memory
//! where the kernel has them.
//!
//! The driver assembles the PTX. The block's real shape is the kernel's `.reqntid`.

#![expect(unsafe_code, reason = "the CUDA driver is a C library")]

use std::ffi::{CStr, CString, c_void};
use std::ptr;

use cudarc::driver::{DriverError, result, sys};
use tilewright_diagnostics::{Code, Diagnostic, Location};

use super::configuration::Configured;
use super::{Launch, Parameter};

type Problem = Diagnostic<Location>;

/// A GPU that kernels can run on.
#[derive(Debug)]
pub struct Gpu {
    device: sys::CUdevice,
    context: sys::CUcontext,
}

/// Whether there is a GPU with a driver.
pub fn is_present() -> bool {
    library_is_present() && result::init().is_ok() && result::device::get_count().is_ok_and(|count| count > 0)
}

fn library_is_present() -> bool {
    // SAFETY: loads the driver's library, if there is one; the driver has no requirements on when.
    unsafe { sys::is_culib_present() }
}

fn gpu_error(what: &str, error: DriverError) -> Problem {
    let name = error.error_name().map(CStr::to_string_lossy).unwrap_or_default();
    let words = error
        .error_string()
        .map(CStr::to_string_lossy)
        .unwrap_or_default();
    Diagnostic::error(Code::GpuError, format!("{what}: {name}: {words}"))
}

impl Gpu {
    /// The first GPU.
    ///
    /// # Errors
    /// A diagnostic when there is none, or its driver fails.
    pub fn open() -> Result<Self, Problem> {
        let none = |why: String| {
            Diagnostic::error(Code::NoGpu, why).help("run on the simulator with --on cpu, which needs no GPU")
        };
        if !library_is_present() {
            return Err(none("the CUDA driver's library cannot be loaded".to_owned()));
        }
        result::init().map_err(|error| none(gpu_error("the CUDA driver does not start", error).message))?;
        let device = result::device::get(0).map_err(|error| none(gpu_error("no device", error).message))?;
        // SAFETY: `device` comes from the driver; the context is released when `self` is dropped.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(|error| gpu_error("no context", error))?;
        let gpu = Self { device, context };
        // SAFETY: the context is retained until `gpu` is dropped.
        unsafe { result::ctx::set_current(gpu.context) }.map_err(|error| gpu_error("no context", error))?;
        Ok(gpu)
    }

    /// The compute capability times ten: 90 for an H100.
    ///
    /// # Errors
    /// The driver's error.
    pub fn sm(&self) -> Result<u16, Problem> {
        use sys::CUdevice_attribute as Attribute;
        let ask = |attribute| {
            // SAFETY: `device` comes from the driver.
            unsafe { result::device::get_attribute(self.device, attribute) }
                .map_err(|error| gpu_error("the device does not say what it is", error))
        };
        let major = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(u16::try_from(major * 10 + minor).unwrap_or(u16::MAX))
    }

    /// Loads the PTX, runs the kernel once, copies the buffers back, then runs it `repeat` times more.
    ///
    /// Returns the times of these further launches, in milliseconds. Each works on the data left by the previous one.
    ///
    /// # Errors
    /// The driver's error: for the PTX, with the log of its assembler, or for the launch.
    pub fn run(
        &self,
        ptx: &str,
        configured: &Configured,
        launch: &mut Launch,
        repeat: usize,
    ) -> Result<Vec<f32>, Problem> {
        let module = LoadedModule::load(ptx)?;
        let function = module.function(&launch.kernel)?;
        for &(attribute, value) in &configured.function {
            // SAFETY: the function belongs to a loaded module.
            unsafe { result::function::set_function_attribute(function, attribute, value) }
                .map_err(|error| gpu_error("the kernel cannot be launched so", error))?;
        }
        let mut buffers: Vec<Buffer> = Vec::new();
        for at in 0..launch.buffers.len() {
            let data = launch.bytes_on(at, |at| Some(buffers.get(at)?.0));
            buffers.push(Buffer::filled(&data)?);
        }
        let mut values: Vec<Vec<u8>> = launch
            .parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Scalar(bytes) => bytes.clone(),
                Parameter::Pointer { buffer, offset } => {
                    let base = buffers.get(*buffer).map_or(0, |buffer| buffer.0);
                    base.wrapping_add(*offset).to_le_bytes().to_vec()
                }
            })
            .collect();
        let mut pointers: Vec<*mut c_void> =
            values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect();
        let mut attributes: Vec<_> = configured.cluster.into_iter().map(cluster_attribute).collect();
        let [x, y, z] = configured.grid;
        let config = sys::CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: 1,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: configured.dynamic_shared,
            hStream: ptr::null_mut(),
            numAttrs: u32::from(configured.cluster.is_some()),
            attrs: attributes.as_mut_ptr(),
        };
        let mut once = || {
            // SAFETY: the function belongs to a loaded module; there is one value of the right size for each of its
            // parameters; these and the attributes, as many as stated, outlive the call.
            unsafe {
                sys::cuLaunchKernelEx(
                    &raw const config,
                    function,
                    pointers.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }
            .result()
            .map_err(|error| gpu_error("the kernel cannot be launched", error))
        };
        once()?;
        result::ctx::synchronize().map_err(|error| gpu_error("the kernel failed", error))?;
        for (at, buffer) in buffers.iter().enumerate() {
            let mut data = launch
                .buffers
                .get(at)
                .map_or_else(Vec::new, |array| vec![0; array.data.len()]);
            buffer.copy_to(&mut data)?;
            launch.take(at, data, |at| Some(buffers.get(at)?.0));
        }
        let mut times = Vec::with_capacity(repeat.min(1 << 16));
        if repeat > 0 {
            let (start, end) = (Event::new()?, Event::new()?);
            for _ in 0..repeat {
                start.record()?;
                once()?;
                end.record()?;
                times.push(start.until(&end)?);
            }
        }
        Ok(times)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: retained once, by `open`. An error in `drop` cannot be reported.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// The launch attribute for the shape of a cluster.
fn cluster_attribute([x, y, z]: [u32; 3]) -> sys::CUlaunchAttribute {
    sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue {
            clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z },
        },
    }
}

struct LoadedModule(sys::CUmodule);

impl LoadedModule {
    fn load(ptx: &str) -> Result<Self, Problem> {
        use sys::CUjit_option as Jit;
        const LOG: usize = 1 << 16;
        let text =
            CString::new(ptx).map_err(|_| Diagnostic::error(Code::GpuError, "the PTX holds a zero byte"))?;
        let mut log = vec![0u8; LOG];
        let mut options = [
            Jit::CU_JIT_ERROR_LOG_BUFFER,
            Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG)];
        let mut module = ptr::null_mut();
        // SAFETY: the text ends with a zero; each of the two options has a value of its type, and the log has the stated
        // length.
        let status = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        status.result().map_err(|error| {
            let log = CStr::from_bytes_until_nul(&log)
                .map(CStr::to_string_lossy)
                .unwrap_or_default();
            let mut problem = gpu_error("the driver refuses the PTX", error);
            problem.notes.extend(log.lines().map(str::to_owned));
            problem
        })?;
        Ok(Self(module))
    }

    fn function(&self, name: &str) -> Result<sys::CUfunction, Problem> {
        let text = CString::new(name)
            .map_err(|_| Diagnostic::error(Code::GpuError, "the kernel's name holds a zero byte"))?;
        // SAFETY: the module is loaded.
        unsafe { result::module::get_function(self.0, text) }
            .map_err(|error| gpu_error(&format!("kernel `{name}`"), error))
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // SAFETY: loaded once. An error in `drop` cannot be reported.
        let _ = unsafe { result::module::unload(self.0) };
    }
}

/// Memory of the device.
struct Buffer(sys::CUdeviceptr);

impl Buffer {
    fn filled(data: &[u8]) -> Result<Self, Problem> {
        // The driver refuses an allocation of zero bytes.
        // SAFETY: freed once, when the buffer is dropped.
        let address = unsafe { result::malloc_sync(data.len().max(1)) };
        let buffer = Self(address.map_err(|error| gpu_error("device memory", error))?);
        // SAFETY: the buffer has room for all of `data`.
        unsafe { result::memcpy_htod_sync(buffer.0, data) }
            .map_err(|error| gpu_error("copying to the device", error))?;
        Ok(buffer)
    }

    fn copy_to(&self, data: &mut [u8]) -> Result<(), Problem> {
        // SAFETY: the buffer was allocated with this many bytes.
        unsafe { result::memcpy_dtoh_sync(data, self.0) }
            .map_err(|error| gpu_error("copying from the device", error))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated once. An error in `drop` cannot be reported.
        let _ = unsafe { result::free_sync(self.0) };
    }
}

struct Event(sys::CUevent);

impl Event {
    fn new() -> Result<Self, Problem> {
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        event.map(Self).map_err(|error| gpu_error("an event", error))
    }

    fn record(&self) -> Result<(), Problem> {
        // SAFETY: the event is alive; the null stream is the default one.
        unsafe { result::event::record(self.0, ptr::null_mut()) }
            .map_err(|error| gpu_error("an event", error))
    }

    /// Waits for a later event and returns the milliseconds between the two.
    fn until(&self, end: &Self) -> Result<f32, Problem> {
        // SAFETY: both events are alive and recorded.
        unsafe {
            result::event::synchronize(end.0)
                .and_then(|()| result::event::elapsed(self.0, end.0))
                .map_err(|error| gpu_error("the kernel failed", error))
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once. An error in `drop` cannot be reported.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}
