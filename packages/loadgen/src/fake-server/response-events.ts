import type { AnswerEvents, Asked } from './events.ts';
import { textOfTokens } from './events.ts';
import type { FakeOptions } from './options.ts';

/** Writes the events of one answer of `/v1/responses`, each with its name and number. */
export class ResponseEventWriter implements AnswerEvents {
  readonly #asked: Asked;
  readonly #options: FakeOptions;
  readonly #id: string;
  #number = 0;
  #usage: number | null = null;

  constructor(asked: Asked, options: FakeOptions, id: string) {
    this.#asked = asked;
    this.#options = options;
    this.#id = id;
  }

  frame(data: string): string {
    return `data: ${data}\n\n`;
  }

  comment(): string {
    return ': ping\n\n';
  }

  role(): string {
    return this.#event('response.created', `"response":${this.#response('in_progress')}`);
  }

  chunk(first: number, count: number): string {
    const kind = first < this.#options.reasoningTokens ? 'reasoning_text' : 'output_text';
    const text = textOfTokens(this.#options, first, count);
    return this.#event(`response.${kind}.delta`, `"item_id":"${this.#id}","output_index":0,"delta":"${text}"`);
  }

  finish(): string {
    return this.#event('response.output_text.done', `"item_id":"${this.#id}","output_index":0`);
  }

  /** Part of the last event. */
  usage(tokens: number): string {
    this.#usage = tokens;
    return '';
  }

  done(): string {
    return this.#event('response.incomplete', `"response":${this.#response('incomplete')}`);
  }

  whole(): string {
    this.#usage = this.#asked.tokens;
    return this.#response('incomplete');
  }

  #event(type: string, fields: string): string {
    return `event: ${type}\n${this.frame(`{"type":"${type}",${fields},"sequence_number":${this.#number++}}`)}`;
  }

  #response(status: string): string {
    const { promptTokens } = this.#asked;
    const { cachedTokens } = this.#options;
    const isOver = status === 'incomplete';
    return JSON.stringify({
      id: this.#id,
      object: 'response',
      status,
      model: this.#asked.model,
      error: null,
      incomplete_details: isOver ? { reason: 'max_output_tokens' } : null,
      output: [],
      usage:
        isOver && this.#usage !== null
          ? {
              input_tokens: promptTokens,
              output_tokens: this.#usage,
              total_tokens: promptTokens + this.#usage,
              ...(cachedTokens >= 0 && { input_tokens_details: { cached_tokens: cachedTokens } }),
            }
          : null,
    });
  }
}
