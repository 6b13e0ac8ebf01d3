import { readAnswerDocument } from '../../wire/answer-document.ts';
import type { StreamFacts } from '../../wire/token-stream.ts';
import type { WireFailure } from '../../wire/transport.ts';
import type { Outcome } from './load-record.ts';
import { withoutMarkup } from './without-markup.ts';

/** What is known of a request once it is over. */
export interface Ending {
  /** We gave it up ourselves. */
  givenUp: 'timeout' | 'stalled' | 'cancelled' | null;
  status: number | null;
  /** The coding of the answer if it had one. */
  encoding: string | null;
  failure: WireFailure | null;
  facts: StreamFacts;
  /** Maximum output tokens in the request; null if it states none. */
  maxTokens: number | null;
  /** The first bytes of an answer that was no event stream; null where it was one. */
  text: string | null;
}

export interface Verdict {
  outcome: Outcome;
  detail: string | null;
}

const verdict = (outcome: Outcome, detail: string | null = null): Verdict => ({ outcome, detail });

/** The message within the JSON of a refusal, else its text. Of an HTML page, its title. */
export function messageIn(text: string): { isError: boolean; message: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return { isError: false, message: text };
    const error = 'error' in body ? body.error : body;
    if (typeof error === 'string') return { isError: true, message: error };
    if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
      return { isError: 'error' in body || 'object' in body, message: error.message };
    if ('detail' in body) return { isError: true, message: JSON.stringify(body.detail) };
  } catch {
    // Not JSON.
  }
  return { isError: false, message: withoutMarkup(text) };
}

function refused(status: number, text: string | null): Verdict {
  const { message } = messageIn(text ?? '');
  return verdict(status >= 500 ? 'http_5xx' : 'http_4xx', `status ${status}${message === '' ? '' : `: ${message}`}`);
}

/** Some servers count the end of the sequence, or a template's tokens, beyond what was asked. */
const beyondAskedMax = 1.1;

/**
 * The output tokens of usage if they are plausible; otherwise null, and chunks are counted instead. More than requested
 * would let a server claim any speed. Fewer than the chunks only make it slower, and may be true: a server may
 * send a token in parts.
 */
export function believedTokens({ facts, maxTokens }: Pick<Ending, 'facts' | 'maxTokens'>): number | null {
  const { outputTokens: stated } = facts.usage;
  if (stated === null || (stated === 0 && facts.chunkCount > 0)) return null;
  return maxTokens !== null && stated > beyondAskedMax * maxTokens + 1 ? null : stated;
}

/** What is unusual about the usage of a sound answer; null if nothing is. */
function usageNote(ending: Ending): string | null {
  const { facts, maxTokens } = ending;
  const { outputTokens: stated } = facts.usage;
  if (stated === null) return null;
  if (believedTokens(ending) === null)
    return stated === 0
      ? `usage states 0 tokens for ${facts.chunkCount} chunks of text: chunks are counted`
      : `usage states ${stated} tokens, more than the maximum of ${maxTokens}: chunks are counted`;
  return stated < facts.chunkCount ? `usage states ${stated} tokens for ${facts.chunkCount} chunks of text` : null;
}

/** What came of a stream that was read to its end. */
function ended(ending: Ending): Verdict {
  const { facts, failure } = ending;
  if (failure !== null && facts.doneAt === null) return verdict('disconnected', failure.detail);
  if (facts.chunkCount === 0)
    return verdict('empty', facts.eventCount > 1 ? `none of the ${facts.eventCount} events has text` : null);
  if (failure !== null) return verdict('ok', 'the body did not end after [DONE]');
  if (facts.doneAt === null && facts.finishReason === null)
    return verdict('truncated', 'neither [DONE] nor a finish reason');
  return verdict('ok', usageNote(ending) ?? (facts.doneAt === null ? 'no [DONE]' : null));
}

/** How a request ended whose answer is one JSON document, of a status 2xx or of none. */
export function judgeDocument(ending: Ending, text: string): Verdict {
  const { status, encoding, givenUp, failure } = ending;
  if (encoding !== null) return verdict('encoded', `content coding ${encoding}`);
  if (status !== null && (status < 200 || status >= 300)) return refused(status, text);
  if (givenUp !== null) return verdict(givenUp);
  if (failure !== null) return verdict(failure.kind === 'unreadable' ? 'bad_event' : 'disconnected', failure.detail);
  const document = readAnswerDocument(text);
  if (document === null) return verdict('bad_event', 'the response is not JSON');
  if (document.isWhole) return verdict('ok');
  const { isError, message } = messageIn(text);
  return isError ? verdict('error_event', message) : verdict('empty');
}

/** How a request ended. The server's own error takes precedence over our classification. */
export function judgeEnding(ending: Ending): Verdict {
  const { status, encoding, failure, facts, text, givenUp } = ending;
  if (encoding !== null) return verdict('encoded', `content coding ${encoding}`);
  if (status !== null && (status < 200 || status >= 300)) return refused(status, text);
  if (facts.error !== null) return verdict('error_event', facts.error);
  if (facts.badEvent !== null) return verdict('bad_event', facts.badEvent);
  if (givenUp === 'stalled' && facts.doneAt !== null && facts.chunkCount > 0)
    return verdict('ok', 'the body did not end after [DONE]');
  if (givenUp !== null) return verdict(givenUp);
  if (failure?.kind === 'unreadable') return verdict('bad_event', failure.detail);
  if (text !== null && text.trim() !== '') {
    const { isError, message } = messageIn(text);
    return isError ? verdict('error_event', message) : verdict('bad_event', 'the response is not an event stream');
  }
  return ended(ending);
}
