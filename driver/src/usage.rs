//! What kernels use of a multiprocessor, as `ptxas -v` reports it.

/// What a kernel uses of a multiprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernel's name.
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of spill stores per thread.
    pub spill_stores: u32,
    /// Bytes of spill loads per thread.
    pub spill_loads: u32,
    /// Bytes of stack frame per thread.
    pub stack: u32,
    /// Bytes of static shared memory per block.
    pub shared: u32,
}

/// The kernels in a report.
pub(crate) fn read(report: &str) -> Vec<Usage> {
    let mut found: Vec<Usage> = Vec::new();
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            found.push(Usage {
                kernel,
                ..Usage::default()
            });
            continue;
        }
        let Some(usage) = found.last_mut() else { continue };
        let facts = line.rsplit(": ").next().unwrap_or(line);
        for fact in facts.split(", ") {
            let words: Vec<&str> = fact.split_whitespace().collect();
            match words.as_slice() {
                [count, "bytes", "stack", "frame"] => set(&mut usage.stack, count),
                [count, "bytes", "spill", "stores"] => set(&mut usage.spill_stores, count),
                [count, "bytes", "spill", "loads"] => set(&mut usage.spill_loads, count),
                [count, "bytes", "smem"] => set(&mut usage.shared, count),
                ["Used", count, "registers"] => set(&mut usage.registers, count),
                _ => {}
            }
        }
    }
    found
}

fn set(field: &mut u32, count: &str) {
    if let Ok(count) = count.parse() {
        *field = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_ptxas_is_read() {
        let report = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'matmul' for 'sm_80'\n\
            ptxas info    : Function properties for matmul\n    \
            128 bytes stack frame, 208 bytes spill stores, 120 bytes spill loads\n\
            ptxas info    : Used 255 registers, used 1 barriers, 128 bytes cumulative stack size, 32768 bytes smem, 424 bytes cmem[0]\n\
            ptxas info    : Compile time = 309.417 ms\n\
            ptxas info    : Compiling entry function 'b' for 'sm_80'\n\
            ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0]\n";
        let matmul = Usage {
            kernel: "matmul".to_owned(),
            registers: 255,
            spill_stores: 208,
            spill_loads: 120,
            stack: 128,
            shared: 32768,
        };
        let other = Usage {
            kernel: "b".to_owned(),
            registers: 8,
            ..Usage::default()
        };
        assert_eq!(read(report), [matmul, other]);
        assert_eq!(read("ptxas fatal   : out of luck\n"), []);
    }
}
