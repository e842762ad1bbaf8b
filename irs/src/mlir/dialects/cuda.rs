//! Launches of kernels, and what ends one.

use super::PLAIN_ARROW;
use crate::core::Value;
use crate::mlir::attribute::{Attribute, SymbolRef};
use crate::mlir::declare::mlir_ops;

/// `[%config] %a : T, T`
const OF_CONFIG: &str = "[{launch_cfg}] {value}{@} : {T ..}";

mlir_ops! {
    /// Launches.
    pub enum CudaOp: "cuda" in Cuda {
        /// Ends a kernel.
        Return "return" { inputs: Vec<Value> } -> 0 Written, Terminator, Other, "{@}(?inputs: {inputs} : {T inputs})";
        /// An integer as a stream, or a result as an integer.
        Cast "cast" { src: Value } -> 1 Written, Pure, Other, PLAIN_ARROW;
        /// Begins to describe a launch: its block, its dynamic shared memory, its grid and its stream.
        LaunchCfgCreate "launch_cfg.create" {
            block_x["blockDimX"]: Value, block_y["blockDimY"]: Value, block_z["blockDimZ"]: Value, shared["dynamicSmemBytes"]: Value,
            grid_x["gridDimX"]: Value, grid_y["gridDimY"]: Value, grid_z["gridDimZ"]: Value, stream: Value, max_attributes["maxNumAttrs"]: i32,
        } -> 1 Written, Anything, Other, "<max_attrs = {maxNumAttrs} : i32> (blockDim = ({blockDimX}, {blockDimY}, {blockDimZ}), dynamicSmemBytes = {dynamicSmemBytes}, gridDim = ({gridDimX}, {gridDimY}, {gridDimZ}), stream = {stream}){@} : {T ..} -> {R}";
        /// Says the extents of its clusters.
        LaunchCfgClusterDim "launch_cfg.cluster_dim" { launch_cfg: Value, x["clusterDimX"]: Value, y["clusterDimY"]: Value, z["clusterDimZ"]: Value }
            -> 0 Written, Anything, Other, "[{launch_cfg}] ({clusterDimX}, {clusterDimY}, {clusterDimZ}){@} : {T ..}";
        /// Says whether its blocks wait for each other.
        LaunchCfgCooperative "launch_cfg.cooperative" { launch_cfg: Value, value: Value } -> 0 Written, Anything, Other, OF_CONFIG;
        /// Says whether it may begin before the grid before it has ended.
        LaunchCfgProgrammatic "launch_cfg.programmatic_stream_serialization_allowed" { launch_cfg: Value, value: Value } -> 0 Written, Anything, Other, OF_CONFIG;
        /// Launches a kernel.
        LaunchEx "launch_ex" {
            launch_cfg: Value, inputs: Vec<Value>, arg_attrs: Option<Attribute>, assume_kernel["assume_kernel_attr"]: Option<Attribute>,
            callee: SymbolRef, res_attrs: Option<Attribute>,
        } -> 1 Written, Anything, Other, " {callee}<{launch_cfg}> ({inputs}){@} : {T launch_cfg}, ({T inputs}) -> {R}";
        /// Returns from the function if the result of a launch is an error.
        ReturnIfError "return_if_error" { inputs: Vec<Value> } -> 0 Written, Anything, Other, super::PLAIN_OPERANDS;
    }
}
