import { createParser } from 'eventsource-parser';

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** The text that one event brings, reasoning left out: clients do not send it back. */
function textOf(data: string): string {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    return '';
  }
  if (!isObject(event)) return '';
  if (event.type === 'response.output_text.delta' && typeof event.delta === 'string') return event.delta;
  // llama.cpp's own API.
  if (typeof event.content === 'string' && typeof event.stop === 'boolean') return event.content;
  const choice: unknown = Array.isArray(event.choices) ? event.choices[0] : null;
  if (!isObject(choice)) return '';
  const delta = isObject(choice.delta) ? choice.delta.content : choice.text;
  return typeof delta === 'string' ? delta : '';
}

/** The text of a streamed answer, from the bytes of its body. */
export function answerText(body: readonly Uint8Array[]): string {
  let text = '';
  const parser = createParser({
    onEvent: ({ data }) => {
      text += textOf(data);
    },
  });
  parser.feed(Buffer.concat(body).toString());
  // An event without its blank line is none, and an answer may end with one.
  parser.reset({ consume: true });
  return text;
}
