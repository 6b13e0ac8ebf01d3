/**
 * A request as the journal has it. Its gaps are 32-bit whole microseconds in base64: that takes a hundredth of the time of
 * decimal text, and the journal is written while tokens arrive.
 */
type PackedRequest = { itl_us?: unknown };

/** Adds the gaps of a request to what the native format has of it besides; null for none. */
export const packRequest = <Row extends object>(
  row: Row,
  gaps: Uint32Array<ArrayBuffer> | null,
): Row & PackedRequest =>
  gaps === null
    ? row
    : { ...row, itl_us: Buffer.from(gaps.buffer, gaps.byteOffset, gaps.byteLength).toString('base64') };

/** A request of a journal in the native format. One without packed gaps is as it was written. */
export function unpackRequest(request: unknown): unknown {
  if (typeof request !== 'object' || request === null) return request;
  const { itl_us: packed, ...row }: PackedRequest = request;
  if (typeof packed !== 'string') return request;
  const bytes = Buffer.from(packed, 'base64');
  const itl_ms = Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readUInt32LE(4 * place) / 1000);
  return { ...row, itl_ms };
}
