/** A form as it was posted; or why there is none: more bytes than may be read, or no form at all. */
export type PostedForm = { form: FormData; refusal: null } | { form: null; refusal: 'too_large' | 'malformed' };

/** A body up to a number of bytes; null where there are more, which are not read. */
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

/** Reads a form of this many bytes at most. Whatever is wrong with it is an answer too. */
export async function readForm(request: Request, bytesMax: number): Promise<PostedForm> {
  const body = await readBody(request, bytesMax);
  if (body === null) return { form: null, refusal: 'too_large' };
  const type = request.headers.get('content-type') ?? '';
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => null);
  return form === null ? { form, refusal: 'malformed' } : { form, refusal: null };
}

/** The text of a field; empty where there is none, or a file in its place. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** Browsers send lines of a box with carriage returns that nobody wrote. */
export const asWritten = (text: string): string => text.replaceAll('\r\n', '\n');

/**
 * Whether a browser says that a page of another site posted this: then its visitor may know nothing of it. Browsers alone
 * send the header, and pages cannot change it; what sends none is no page.
 */
export function isFromElsewhere(request: Request): boolean {
  const from = request.headers.get('sec-fetch-site');
  return from === 'cross-site' || from === 'same-site';
}
