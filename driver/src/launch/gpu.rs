//! Runs a kernel on a GPU, as cuTile's launcher does: in blocks of shape (1, 1, 1) unless the launch says another; with clusters and dynamic shared memory
//! where the kernel has them.
//!
//! The driver assembles the PTX. The block's real shape is the kernel's `.reqntid`.

#![expect(unsafe_code, reason = "the CUDA driver is a C library")]

use std::ffi::{CStr, CString, c_void};
use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::{DriverError, result, sys};
use tilewright_diagnostics::{Code, Diagnostic, Location};
use tilewright_irs::ptx::Target;

use super::configuration::Configured;
use super::{Launch, Parameter};
use crate::targets;

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
        let none = |why: String| Diagnostic::error(Code::NoGpu, why);
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

    /// Its name, such as `NVIDIA H200`.
    ///
    /// # Errors
    /// The driver's error.
    pub fn name(&self) -> Result<String, Problem> {
        result::device::get_name(self.device)
            .map_err(|error| gpu_error("the device does not say what it is", error))
    }

    /// Its target: the supported one, if there is one.
    ///
    /// # Errors
    /// The driver's error.
    pub fn target(&self) -> Result<Target, Problem> {
        use sys::CUdevice_attribute as Attribute;
        let ask = |attribute| {
            // SAFETY: `device` comes from the driver.
            unsafe { result::device::get_attribute(self.device, attribute) }
                .map_err(|error| gpu_error("the device does not say what it is", error))
        };
        let major = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let sm = u16::try_from(major * 10 + minor).unwrap_or(u16::MAX);
        let mut supported = targets::SUPPORTED.iter().copied();
        Ok(supported.find(|target| target.sm == sm).unwrap_or(Target::sm(sm)))
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
        let arrays = Arrays::of(self, launch)?;
        let kernel = Loaded::of(Image::Ptx(ptx), configured, launch, &arrays)?;
        kernel.run()?;
        arrays.take(launch)?;
        (0..repeat).map(|_| kernel.time(1)).collect()
    }
}

/// The arrays of a launch, in the memory of a GPU.
#[derive(Debug)]
pub struct Arrays<'g> {
    buffers: Vec<Buffer>,
    gpu: PhantomData<&'g Gpu>,
}

impl<'g> Arrays<'g> {
    /// Those of the launch, with their contents.
    ///
    /// # Errors
    /// The driver's error.
    pub fn of(_: &'g Gpu, launch: &Launch) -> Result<Self, Problem> {
        let mut buffers: Vec<Buffer> = Vec::new();
        for at in 0..launch.buffers.len() {
            let data = launch.bytes_on(at, |at| Some(buffers.get(at)?.0));
            buffers.push(Buffer::filled(&data)?);
        }
        Ok(Self {
            buffers,
            gpu: PhantomData,
        })
    }

    fn address(&self, at: usize) -> Option<u64> {
        Some(self.buffers.get(at)?.0)
    }

    /// Gives them the contents again that the launch says.
    ///
    /// # Errors
    /// The driver's error.
    pub fn fill(&self, launch: &Launch) -> Result<(), Problem> {
        let mut buffers = self.buffers.iter().enumerate();
        buffers.try_for_each(|(at, buffer)| buffer.fill(&launch.bytes_on(at, |at| self.address(at))))
    }

    /// Copies their contents to the launch.
    ///
    /// # Errors
    /// The driver's error.
    pub fn take(&self, launch: &mut Launch) -> Result<(), Problem> {
        for (at, buffer) in self.buffers.iter().enumerate() {
            let length = launch.buffers.get(at).map_or(0, |array| array.data.len());
            let mut data = vec![0; length];
            buffer.copy_to(&mut data)?;
            launch.take(at, data, |at| self.address(at));
        }
        Ok(())
    }
}

/// Code for a GPU.
#[derive(Clone, Copy, Debug)]
pub enum Image<'a> {
    /// Which the driver assembles.
    Ptx(&'a str),
    /// Which ptxas has assembled.
    Cubin(&'a [u8]),
}

/// A kernel on a GPU, with its arguments, which can be launched any number of times.
#[derive(Debug)]
pub struct Loaded<'a> {
    module: LoadedModule,
    function: sys::CUfunction,
    configured: Configured,
    values: Vec<Vec<u8>>,
    start: Event,
    end: Event,
    arrays: PhantomData<&'a Buffer>,
}

impl<'a> Loaded<'a> {
    /// Loads the kernel of a launch. Its pointers are to these arrays.
    ///
    /// # Errors
    /// The driver's error; for PTX, with the log of its assembler.
    pub fn of(
        image: Image<'_>,
        configured: &Configured,
        launch: &Launch,
        arrays: &'a Arrays<'_>,
    ) -> Result<Self, Problem> {
        let module = LoadedModule::load(image)?;
        let function = module.function(&launch.kernel)?;
        for &(attribute, value) in &configured.function {
            // SAFETY: the function belongs to a loaded module.
            unsafe { result::function::set_function_attribute(function, attribute, value) }
                .map_err(|error| gpu_error("the kernel cannot be launched so", error))?;
        }
        let value = |parameter: &Parameter| {
            let bytes = parameter.bytes_on(|buffer| Some(arrays.address(buffer).unwrap_or(0)));
            bytes.unwrap_or_default()
        };
        Ok(Self {
            module,
            function,
            configured: configured.clone(),
            values: launch.parameters.iter().map(value).collect(),
            start: Event::new()?,
            end: Event::new()?,
            arrays: PhantomData,
        })
    }

    fn launch(&self) -> Result<(), Problem> {
        let mut pointers: Vec<*mut c_void> = self
            .values
            .iter()
            .map(|value| value.as_ptr().cast_mut().cast())
            .collect();
        let mut attributes = attributes(&self.configured);
        let ([x, y, z], [block_x, block_y, block_z]) = (self.configured.grid, self.configured.block);
        let config = sys::CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: block_x,
            blockDimY: block_y,
            blockDimZ: block_z,
            sharedMemBytes: self.configured.dynamic_shared,
            hStream: ptr::null_mut(),
            numAttrs: u32::try_from(attributes.len()).unwrap_or(u32::MAX),
            attrs: attributes.as_mut_ptr(),
        };
        // SAFETY: the function belongs to a loaded module; there is one value of the right size for each of its parameters, which
        // the driver only reads; these and the attributes, as many as stated, outlive the call.
        unsafe {
            sys::cuLaunchKernelEx(
                &raw const config,
                self.function,
                pointers.as_mut_ptr(),
                ptr::null_mut(),
            )
        }
        .result()
        .map_err(|error| gpu_error("the kernel cannot be launched", error))
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// The driver's error.
    pub fn run(&self) -> Result<(), Problem> {
        self.launch()?;
        result::ctx::synchronize().map_err(|error| gpu_error("the kernel failed", error))
    }

    /// The bytes of a variable of its module, which are zero from now on.
    ///
    /// # Errors
    /// The driver's error.
    pub fn take_variable(&self, name: &str) -> Result<Vec<u8>, Problem> {
        let text = CString::new(name)
            .map_err(|_| Diagnostic::error(Code::GpuError, "the variable's name holds a zero byte"))?;
        let wrong = |error| gpu_error(&format!("variable `{name}`"), error);
        // SAFETY: the module is loaded.
        let (address, length) = unsafe { result::module::get_global(self.module.0, text) }.map_err(wrong)?;
        let mut data = vec![0; length];
        // SAFETY: the variable has this many bytes.
        unsafe {
            result::memcpy_dtoh_sync(&mut data, address).map_err(wrong)?;
            result::memset_d8_sync(address, 0, length).map_err(wrong)?;
        }
        Ok(data)
    }

    /// Runs it so many times, one after the other, and returns the milliseconds of all together.
    ///
    /// # Errors
    /// The driver's error.
    pub fn time(&self, count: usize) -> Result<f32, Problem> {
        self.start.record()?;
        for _ in 0..count {
            self.launch()?;
        }
        self.end.record()?;
        self.start.until(&self.end)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: retained once, by `open`. An error in `drop` cannot be reported.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// The launch attributes.
fn attributes(configured: &Configured) -> Vec<sys::CUlaunchAttribute> {
    use sys::CUlaunchAttributeID as Id;
    let attribute = |id, value| sys::CUlaunchAttribute {
        id,
        pad: [0; 4],
        value,
    };
    let cluster = configured.cluster.map(|[x, y, z]| {
        let shape = sys::CUlaunchAttributeValue {
            clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z },
        };
        attribute(Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, shape)
    });
    let cooperative = configured.cooperative.then(|| {
        let yes = sys::CUlaunchAttributeValue { cooperative: 1 };
        attribute(Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, yes)
    });
    let programmatic = configured.programmatic.then(|| {
        let yes = sys::CUlaunchAttributeValue {
            programmaticStreamSerializationAllowed: 1,
        };
        attribute(Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, yes)
    });
    cluster
        .into_iter()
        .chain(cooperative)
        .chain(programmatic)
        .collect()
}

#[derive(Debug)]
struct LoadedModule(sys::CUmodule);

impl LoadedModule {
    fn load(image: Image<'_>) -> Result<Self, Problem> {
        use sys::CUjit_option as Jit;
        const LOG: usize = 1 << 16;
        let text;
        let (image, what) = match image {
            Image::Ptx(ptx) => {
                text = CString::new(ptx)
                    .map_err(|_| Diagnostic::error(Code::GpuError, "the PTX holds a zero byte"))?;
                (text.as_ptr().cast(), "PTX")
            }
            Image::Cubin(bytes) => (bytes.as_ptr().cast(), "cubin"),
        };
        let mut log = vec![0u8; LOG];
        let mut options = [
            Jit::CU_JIT_ERROR_LOG_BUFFER,
            Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG)];
        let mut module = ptr::null_mut();
        // SAFETY: a text ends with a zero, and a cubin says its length; each of the two options has a value of its type, and the
        // log has the stated length.
        let status = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                image,
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        status.result().map_err(|error| {
            let log = CStr::from_bytes_until_nul(&log)
                .map(CStr::to_string_lossy)
                .unwrap_or_default();
            let mut problem = gpu_error(&format!("the driver refuses the {what}"), error);
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
#[derive(Debug)]
struct Buffer(sys::CUdeviceptr);

impl Buffer {
    fn filled(data: &[u8]) -> Result<Self, Problem> {
        // The driver refuses an allocation of zero bytes.
        // SAFETY: freed once, when the buffer is dropped.
        let address = unsafe { result::malloc_sync(data.len().max(1)) };
        let buffer = Self(address.map_err(|error| gpu_error("device memory", error))?);
        buffer.fill(data)?;
        Ok(buffer)
    }

    fn fill(&self, data: &[u8]) -> Result<(), Problem> {
        // SAFETY: the buffer was allocated with this many bytes.
        unsafe { result::memcpy_htod_sync(self.0, data) }
            .map_err(|error| gpu_error("copying to the device", error))
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

#[derive(Debug)]
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
