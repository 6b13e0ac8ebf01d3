/** A posted form, or an error: the body is too large or not a form. */
export type PostedForm = { form: FormData; refusal: null } | { form: null; refusal: 'too_large' | 'malformed' };

/** Reads a body up to a number of bytes; null if it is larger. Stops reading at the limit. */
async function readBody(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > bytesMax) return null;
    chunks.push(chunk);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

/** Reads a form up to a number of bytes. Returns errors as results. */
export async function readForm(request: Request, bytesMax: number): Promise<PostedForm> {
  const body = await readBody(request, bytesMax);
  if (body === null) return { form: null, refusal: 'too_large' };
  const type = request.headers.get('content-type') ?? '';
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => null);
  return form === null ? { form, refusal: 'malformed' } : { form, refusal: null };
}

/** The text of a field; empty if it is missing or a file. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Removes the carriage returns that browsers add to the lines of a text box. */
export const asWritten = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Whether a page of another site posted this, by `Sec-Fetch-Site`: the visitor may not know about it. Only browsers send the
 * header, and pages cannot change it. A request without it does not come from a page.
 */
export function isFromElsewhere(request: Request): boolean {
  const from = request.headers.get('sec-fetch-site');
  return from === 'cross-site' || from === 'same-site';
}
