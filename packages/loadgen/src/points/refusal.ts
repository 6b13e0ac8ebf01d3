import type { LoadRecord, RequestRecord } from '../measure/records/load-record.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import { quoteServer } from './failure-words.ts';

/** Why a server cannot hold a point: its context or its limit of a request is too small. */
export interface Refusal {
  /** Null if the server accepted the requests, and stated the error in a response. */
  status: number | null;
  /** A sentence without a full stop, with the server's own words. */
  reason: string;
}

/** A request that counts a prompt was refused. */
export class PromptRefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.name = 'PromptRefusedError';
    this.refusal = refusal;
  }
}

/** Of credentials, missing paths and rate limits, whose messages also speak of limits and tokens. */
const otherStatuses = [401, 403, 404, 429];

/** How servers say that a request exceeds their context: llama.cpp, vLLM, SGLang, LM Studio, OpenAI and others. */
const contextWords = [
  /context[ _-]?(size|length|window|limit)[^.]*(exceed|too (small|long|large)|larger|longer)/i,
  /(exceed|greater|larger|longer|too (long|large|big)|maximum|overflow)[^.]*context[ _-]?(size|length|window|limit)/i,
];
/** How they say that it has too many tokens. Errors of a proxy about timeouts have similar words, but another status. */
const lengthWords = [
  /(maximum|max)[ _-]?(model|sequence|input|prompt|total|num)[ _-]?(length|len|tokens)/i,
  /(prompt|input|sequence)[^.]*(too (long|large)|exceeds?|longer than|must be <=?)/i,
  /request (is |was )?too (long|large)/i,
  /\b(tokens?|inputs)\b[^.]*(must be <=?|must have less than|must not exceed|should not exceed|exceeds? the (maximum|limit))/i,
];

/**
 * Reads whether a server refused a request because it is too long.
 *
 * @param message the server's own words, without the status
 */
export function refusalOf(status: number | null, message: string): Refusal | null {
  if (status !== null && otherStatuses.includes(status)) return null;
  const words = (status ?? 500) >= 500 ? contextWords : [...contextWords, ...lengthWords];
  if (status !== 413 && !words.some((word) => word.test(message))) return null;
  const said = quoteServer(message).replace(/\.$/, '');
  const how = status === null ? 'The server ended the responses with an error' : `The server returned ${status}`;
  return { status, reason: said === '' ? how : `${how}: "${said}"` };
}

const isOurs = ({ outcome }: RequestRecord) => outcome === 'cancelled' || outcome === 'dropped';
const stating: readonly RequestRecord['outcome'][] = ['http_4xx', 'http_5xx', 'error_event'];

/** Why the server cannot hold a measured point; null unless every request that ended was refused for its length. */
export function refusalOfRecord({ requests }: Pick<LoadRecord, 'requests'>): Refusal | null {
  const refusals = requests
    .filter((request) => !isOurs(request))
    .map(({ outcome, status, outcome_detail }) => {
      const said = (outcome_detail ?? '').replace(/^status \d+(: )?/, '');
      return stating.includes(outcome) ? refusalOf(outcome === 'error_event' ? null : status, said) : null;
    });
  const [first = null] = refusals;
  return refusals.every((refusal) => refusal !== null) ? first : null;
}

/** Why the server cannot hold a point whose prompts could not be made; null for other errors. */
export function refusalOfError(error: unknown): Refusal | null {
  if (error instanceof PromptRefusedError) return error.refusal;
  if (!(error instanceof CalibrationError) || error.code !== 'prompt_cut') return null;
  return { status: null, reason: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}` };
}
