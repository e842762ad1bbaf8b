//! `mma`, `ldmatrix`, `stmatrix` and `movmatrix` of a warp.

use crate::block::{Block, Stop};
use crate::execute::write;
use crate::fault::FaultKind;
use crate::matrix::{MatrixLoad, MatrixStore, Product};
use crate::program::{Place, Pointer, Source, Target};
use crate::row::Row;
use crate::shared::Access;
use crate::warp::Warp;

/// Size of a matrix row, to which one lane points, in bytes.
const ROW: u64 = 16;

impl Block<'_> {
    /// Requires that all 32 lanes execute this together, and that none has exited.
    pub(crate) fn whole_warp(warp: &Warp, active: u32) -> Result<(), Stop> {
        if warp.live != u32::MAX {
            return Err(FaultKind::DivergentBarrier {
                here: warp.live,
                wanted: u32::MAX,
            }
            .into());
        }
        if active != u32::MAX {
            return Err(Stop::Gather(u32::MAX));
        }
        Ok(())
    }

    pub(crate) fn product(
        &mut self,
        warp: &mut Warp,
        product: &Product,
        d: &[Target],
        [a, b, c]: [&[Source]; 3],
        scales: [Source; 2],
        active: u32,
    ) -> Result<(), Stop> {
        Self::whole_warp(warp, active)?;
        let a = self.read_rows(warp, a, active)?;
        let b = self.read_rows(warp, b, active)?;
        let c = self.read_rows(warp, c, active)?;
        let scales = [
            self.read_row(warp, scales[0], active)?,
            self.read_row(warp, scales[1], active)?,
        ];
        let rows = product.compute(&a, &b, &c, [&scales[0], &scales[1]]);
        for (d, row) in d.iter().zip(&rows) {
            write(warp, *d, active, |lane| row[lane]);
        }
        Ok(())
    }

    /// The rows of each matrix are at the addresses of consecutive lanes.
    pub(crate) fn load_matrix(
        &mut self,
        warp: &mut Warp,
        form: MatrixLoad,
        d: &[Target],
        pointer: Pointer,
        active: u32,
    ) -> Result<(), Stop> {
        Self::whole_warp(warp, active)?;
        let matrices = d.len() / form.registers();
        let lanes = form.rows() * matrices;
        let used = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
        let addresses = self.addresses_in(Place::Shared, warp, pointer, ROW, used)?;
        for (matrix, d) in d.chunks(form.registers()).enumerate() {
            let mut rows = vec![[0; ROW as usize]; form.rows()];
            for (row, bytes) in rows.iter_mut().enumerate() {
                let lane = matrix * form.rows() + row;
                for (at, half) in bytes.chunks_mut(8).enumerate() {
                    let word = self
                        .here
                        .shared
                        .load(
                            (warp.party, &mut self.clocks[usize::from(warp.party)]),
                            addresses[lane] + 8 * at as u64,
                            8,
                            Access::Plain,
                        )
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                    half.copy_from_slice(&word.to_le_bytes());
                }
            }
            for (d, row) in d.iter().zip(form.fragments(&rows)) {
                write(warp, *d, active, |lane| row[lane]);
            }
        }
        Ok(())
    }

    pub(crate) fn store_matrix(
        &mut self,
        warp: &mut Warp,
        form: MatrixStore,
        pointer: Pointer,
        values: &[Source],
        active: u32,
    ) -> Result<(), Stop> {
        Self::whole_warp(warp, active)?;
        let values: Vec<Row> = self.read_rows(warp, values, active)?;
        let lanes = MatrixStore::ROWS * values.len();
        let used = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
        let addresses = self.addresses_in(Place::Shared, warp, pointer, ROW, used)?;
        for (matrix, register) in values.iter().enumerate() {
            for (row, bytes) in form.rows(register).iter().enumerate() {
                let lane = matrix * MatrixStore::ROWS + row;
                for (at, half) in bytes.chunks(8).enumerate() {
                    let word = crate::memory::little_endian(half);
                    self.here
                        .shared
                        .store(
                            (warp.party, &mut self.clocks[usize::from(warp.party)]),
                            addresses[lane] + 8 * at as u64,
                            8,
                            word,
                            Access::Plain,
                        )
                        .map_err(|kind| Stop::Fault(kind, Some(lane)))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn transpose(
        &mut self,
        warp: &mut Warp,
        d: Target,
        a: Source,
        active: u32,
    ) -> Result<(), Stop> {
        Self::whole_warp(warp, active)?;
        let rows = MatrixStore::M8n8 { transposed: false }.rows(&self.read_row(warp, a, active)?);
        for row in (MatrixLoad::M8n8 { transposed: true }).fragments(&rows) {
            write(warp, d, active, |lane| row[lane]);
        }
        Ok(())
    }
}
