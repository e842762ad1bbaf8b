//! Control flow, grid coordinates, and debugging.

use crate::core::{Flag, Region, Value};
use crate::cuda_tile::constraint::Constraint::{AnyTile, I1Scalar, I1Tile, IntScalar, Token};
use crate::cuda_tile::declare::tile_ops;
use crate::cuda_tile::verify;
use crate::cuda_tile::version::Version::V13_2;

tile_ops! {
    /// Control flow, grid coordinates, and debugging.
    pub enum ControlOp in Control {
        /// Counted loop from the lower bound up to the upper one, exclusive.
        For "for" = 0x29 since V13_1, Loop {
            lower_bound: Value [of(IntScalar)],
            upper_bound: Value [of(IntScalar)],
            step: Value [of(IntScalar)],
            init_values: Vec<Value>,
            /// The bounds are compared as unsigned numbers.
            unsigned_cmp: Flag [since(V13_2)],
            body: Region,
        } -> * [result_values: Any],
        checks [verify::control::for_loop],
        "@";

        /// Conditional.
        If "if" = 0x32 since V13_1, Regions {
            condition: Value [of(I1Scalar)],
            then_region: Region,
            else_region: Region,
        } -> * [results: Any],
        checks [verify::control::branch],
        "@";

        /// Loop that ends with `break` or `return`.
        Loop "loop" = 0x41 since V13_1, Loop + Writes(Control) {
            init_values: Vec<Value>,
            body: Region,
        } -> * [result_values: Any],
        checks [verify::control::endless_loop],
        "@";

        /// Leaves the innermost loop with its results.
        Break "break" = 0x0A since V13_1, LeavesLoop {
            operands: Vec<Value>,
        } -> 0 [],
        checks [verify::control::break_out],
        "(?operands:{operands} : {T operands})";

        /// Continues with the next iteration of the innermost loop.
        Continue "continue" = 0x11 since V13_1, LeavesLoop {
            operands: Vec<Value>,
        } -> 0 [],
        checks [verify::control::continue_on],
        "(?operands:{operands} : {T operands})";

        /// Ends a region and passes values to the op around it.
        Yield "yield" = 0x6D since V13_1, Terminator {
            operands: Vec<Value>,
        } -> 0 [],
        checks [verify::control::yield_up],
        "(?operands:{operands} : {T operands})";

        /// Ends the kernel.
        Return "return" = 0x5C since V13_1, LeavesFunction {
            operands: Vec<Value>,
        } -> 0 [],
        checks [verify::control::return_from],
        "(?operands:{operands} : {T operands})";

        /// Coordinates of this tile block.
        GetTileBlockId "get_tile_block_id" = 0x30 since V13_1, Pure [free] {} -> 3 [block_id_x: I32Scalar, block_id_y: I32Scalar = block_id_x, block_id_z: I32Scalar = block_id_x],
        checks [],
        ": {T block_id_x}";

        /// Size of the launch grid.
        GetNumTileBlocks "get_num_tile_blocks" = 0x2E since V13_1, Pure [free] {} -> 3 [grid_size_x: I32Scalar, grid_size_y: I32Scalar = grid_size_x, grid_size_z: I32Scalar = grid_size_x],
        checks [],
        ": {T grid_size_x}";

        /// Stops the program with a message if an element is false.
        Assert "assert" = 0x05 since V13_1, Writes(Output, Control) {
            condition: Value [of(I1Tile)],
            /// What is said when it fails.
            message: String,
        } -> 0 [],
        checks [],
        "{condition}, {message} : {T condition}";

        /// Prints values, formatted as by C's `printf`.
        PrintTko "print_tko" = 0x55 since V13_1, Writes(Output) {
            args: Vec<Value> [of(AnyTile)],
            token: Option<Value> [of(Token), since(V13_2)],
            /// The text to print, with a format such as `%d` for each argument.
            str: String,
        } -> 1 [result_token: Token since V13_2],
        checks [verify::printing::print],
        "{str}(?args:, {args})(?token: token={token})(?args: : {T args}) -> {T result_token}";
    }
}
