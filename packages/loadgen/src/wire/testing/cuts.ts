import fc from 'fast-check';

/** Bytes cut into pieces at random places, one byte at a time included. */
export function cutsOf(bytes: Buffer): fc.Arbitrary<Buffer[]> {
  return fc
    .oneof(
      fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }),
      fc.constant(Array.from(bytes, (_, at) => at)),
    )
    .map((places) => {
      const ends = [...new Set(places), bytes.length].sort((a, b) => a - b);
      let from = 0;
      return ends.map((end) => {
        // Every piece at another offset of a dirty buffer, as in reads into a reused buffer.
        const piece = Buffer.from(bytes.subarray(from, end));
        from = end;
        return piece;
      });
    });
}

/** A piece within a buffer that holds other bytes before and after it. */
export function inDirtyBuffer(piece: Buffer): { bytes: Buffer; start: number; end: number } {
  const dirt = Buffer.from('data: {"content":"dirt"}\n\n\r\n');
  return { bytes: Buffer.concat([dirt, piece, dirt]), start: dirt.length, end: dirt.length + piece.length };
}
