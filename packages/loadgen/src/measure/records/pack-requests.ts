import type { RequestBytes } from '../engine.ts';

/** Puts the bytes of all requests into memory that every thread sends from. */
export function packRequests(requests: readonly Uint8Array[]): RequestBytes {
  const offsets = new Float64Array(requests.length + 1);
  requests.forEach((request, row) => {
    offsets[row + 1] = (offsets[row] ?? 0) + request.length;
  });
  const memory = new SharedArrayBuffer(offsets[requests.length] ?? 0);
  const bytes = new Uint8Array(memory);
  requests.forEach((request, row) => {
    bytes.set(request, offsets[row]);
  });
  return { memory, offsets };
}
