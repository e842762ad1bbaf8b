//! What host functions launch.

mod arithmetic;
mod corpus;
mod launches;
mod packing;
mod refused;

use tilewright_diagnostics::{Diagnostic, FileId};
use tilewright_evaluator::host::{Evaluated, HostArgument, HostLaunch, Number, evaluate_host};
use tilewright_grammar::mlir::read_mlir;
use tilewright_irs::core::Origin;

/// A module with a kernel and a function of the host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program<'a> {
    /// The types of the kernel's parameters.
    pub(crate) kernel: &'a [&'a str],
    /// The attributes of the kernel.
    pub(crate) attributes: &'a str,
    /// The ops of the kernel before the last one.
    pub(crate) ops: &'a str,
    /// The parameters of the function, as `%a: i32, %s: !cuda.stream`.
    pub(crate) params: &'a str,
    /// Its ops before the last one.
    pub(crate) body: &'a str,
    pub(crate) arguments: &'a [HostArgument],
}

impl Program<'_> {
    pub(crate) const EMPTY: Self = Program {
        kernel: &[],
        attributes: "",
        ops: "",
        params: "",
        body: "",
        arguments: &[],
    };

    pub(crate) fn text(&self) -> String {
        let params: Vec<_> = self
            .kernel
            .iter()
            .enumerate()
            .map(|(at, ty)| format!("%arg{at}: {ty}"))
            .collect();
        let (kernel, attributes, ops) = (params.join(", "), self.attributes, self.ops);
        let (params, body) = (self.params, self.body);
        format!(
            "module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    cuda.kernel @k({kernel}) attributes {{{attributes}}} {{
      {ops}
      return
    }}
  }}
  func.func @host({params}) -> i32 {{
    %ok = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant 0 : i64
    %stream = cuda.cast %none : i64 -> !cuda.stream
    {body}
    return %ok : i32
  }}
}}
"
        )
    }

    pub(crate) fn evaluated(&self) -> Evaluated {
        let text = self.text();
        let read = read_mlir(&text, FileId(0)).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"));
        let function = read.module.functions().next().expect("a function");
        evaluate_host(&read.module, function, self.arguments, 10_000)
    }

    pub(crate) fn launches(&self) -> Vec<HostLaunch> {
        let launches = self.evaluated().launches;
        launches.unwrap_or_else(|problem| panic!("{}\n{problem:#?}", self.text()))
    }

    /// The only launch.
    pub(crate) fn launch(&self) -> HostLaunch {
        let launches = self.launches();
        let [launch] = launches.as_slice() else {
            panic!("{launches:#?}");
        };
        launch.clone()
    }

    pub(crate) fn problem(&self) -> Diagnostic<Origin> {
        self.evaluated().launches.expect_err(&self.text())
    }
}

/// The ops of a launch in one block of one thread, unless `config` says otherwise, with these operands of these types.
pub(crate) fn launching(values: &str, types: &str) -> String {
    format!(
        "%cfg = cuda.launch_cfg.create<max_attrs = 17 : i32> (blockDim = (%one, %one, %one), dynamicSmemBytes = %none, \
         gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> \
         !cuda.launch_cfg<max_attrs = 17>
    %launched = cuda.launch_ex @kernels::@k<%cfg> ({values}) : !cuda.launch_cfg<max_attrs = 17>, ({types}) -> !cuda.result"
    )
}

/// An argument in memory.
pub(crate) fn view(numbers: &[i64]) -> HostArgument {
    HostArgument::Value {
        address: true,
        numbers: numbers.iter().copied().map(Number::Integer).collect(),
    }
}

/// An argument of numbers.
pub(crate) fn numbers(numbers: &[i64]) -> HostArgument {
    HostArgument::Value {
        address: false,
        numbers: numbers.iter().copied().map(Number::Integer).collect(),
    }
}

/// The numbers of 32 bits that the ops of `body` make and that `values` names.
pub(crate) fn computed(
    params: &str,
    arguments: &[HostArgument],
    body: &str,
    values: &[&str],
    ty: &str,
) -> Vec<i64> {
    let names = values.join(", ");
    let types = vec![ty; values.len()];
    let body = format!("{body}\n    {}", launching(&names, &types.join(", ")));
    let program = Program {
        kernel: &types,
        params,
        arguments,
        body: &body,
        ..Program::EMPTY
    };
    let launch = program.launch();
    assert_eq!(launch.arguments.len(), values.len());
    let number = |bytes: &[u8]| {
        let negative = bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut all = [if negative { 0xFF } else { 0 }; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        i64::from_le_bytes(all)
    };
    launch
        .arguments
        .iter()
        .map(|packed| number(&packed.bytes))
        .collect()
}
