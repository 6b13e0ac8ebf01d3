/** A request body as an object. */
export type Body = Record<string, unknown>;

/** The body in the bytes of a request, with its head or without. */
export function bodyOf(request: Uint8Array): Body {
  const text = Buffer.from(request).toString();
  const headEnd = text.indexOf('\r\n\r\n');
  return JSON.parse(headEnd < 0 ? text : text.slice(headEnd + 4)) as Body;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * The body of the next turn: what was sent before, the answer that came, and what the turn adds, in the messages of a
 * chat, the input of a response or the text of a completion.
 */
export function continueBody(before: Body, answer: string, next: Body): Body {
  if (typeof before.prompt === 'string') return { ...next, prompt: `${before.prompt}${answer}\n\n${next.prompt}` };
  const key = 'input' in before ? 'input' : 'messages';
  return { ...next, [key]: [...listOf(before[key]), { role: 'assistant', content: answer }, ...listOf(next[key])] };
}
