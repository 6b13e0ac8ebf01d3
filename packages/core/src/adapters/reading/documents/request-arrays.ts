import { z } from 'zod';
import type { Fault } from '../../../errors.ts';
import type { RequestRecord } from '../../../records.ts';
import { shiftDecimal } from '../figures/numbers.ts';

const isSeconds = (value: unknown) => value === null || typeof value === 'number';
const isTokens = (value: unknown) => value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
const isText = (value: unknown) => value === null || typeof value === 'string';

/** A list whose items are read once and not copied: there may be millions. */
function listOf<T>(isItem: (value: unknown) => boolean, what: string) {
  const isList = (value: unknown) => Array.isArray(value) && value.every(isItem);
  return z.custom<T[]>(isList, `expected a list of ${what}`).optional();
}

/** Lists with an entry for each request, including failed ones, in the format of clients derived from vLLM's. */
export const requestArraysShape = {
  input_lens: listOf<number | null>(isTokens, 'token counts'),
  output_lens: listOf<number | null>(isTokens, 'token counts'),
  ttfts: listOf<number | null>(isSeconds, 'seconds'),
  itls: listOf<(number | null)[]>((value) => Array.isArray(value) && value.every(isSeconds), 'lists of seconds'),
  errors: listOf<string | null>(isText, 'texts'),
  start_times: listOf<number | null>(isSeconds, 'seconds'),
};

const RequestArraysSchema = z.object(requestArraysShape);
export type RequestArrays = z.infer<typeof RequestArraysSchema>;

/** The kind of failure. The text contains paths and addresses of the client's machine. */
function toError(text: string): string {
  return /(?:^|\n|\.)([A-Z]\w{2,60}(?:Error|Exception|Timeout))\b/.exec(text)?.[1] ?? 'failed';
}

/** Errors for lists that do not have one entry per request. */
export function arrayFaults(arrays: RequestArrays, line: number): Fault[] {
  const lengths = Object.keys(requestArraysShape).flatMap((name) => {
    const list = arrays[name as keyof RequestArrays]; // the shape and the type have the same keys
    return list === undefined ? [] : [{ name, length: list.length }];
  });
  const [first] = lengths;
  return lengths
    .filter(({ length }) => length !== first?.length)
    .map(({ name, length }) => ({
      code: 'lists_unequal',
      line,
      pointer: `/${name}`,
      message: `/${name} has ${length} entries, but /${first?.name} has ${first?.length}: each should have one for every request.`,
    }));
}

/** The gaps of one request in seconds, if all of them are numbers. */
function toGaps(gaps: readonly (number | null)[] | undefined): number[] | null {
  const finite = gaps?.filter((gap): gap is number => gap !== null && Number.isFinite(gap) && gap >= 0);
  return finite === undefined || finite.length !== gaps?.length ? null : finite;
}

/**
 * One record for each request; null if the lists are missing or have no latencies. A request failed if it has an error, or
 * neither output nor a first token. A first token at 0 s was not measured, because the response was not streamed.
 */
export function toRequests(arrays: RequestArrays): RequestRecord[] | null {
  const { input_lens, output_lens, ttfts, itls, errors, start_times } = arrays;
  if (ttfts === undefined || output_lens === undefined || ttfts.length === 0) return null;
  return ttfts.map((first, index): RequestRecord => {
    const outputTokens = output_lens[index] ?? null;
    const error = errors?.[index] ?? '';
    const isFailed = error !== '' || (outputTokens === 0 && !first);
    const gaps = toGaps(itls?.[index]);
    const isStreamed = first !== null && first > 0 && Number.isFinite(first) && !isFailed;
    const isWhole = isStreamed && gaps !== null && (gaps.length > 0 || outputTokens === 1);
    const e2eS = isWhole ? gaps.reduce((sum, gap) => sum + gap, first) : null;
    return {
      sentS: start_times?.[index] ?? null,
      inputTokens: input_lens?.[index] ?? null,
      cachedTokens: null,
      outputTokens: isFailed ? null : outputTokens,
      maxTokens: null,
      ttftMs: isStreamed ? shiftDecimal(first, 3) : null,
      e2eMs: e2eS === null ? null : shiftDecimal(e2eS, 3),
      gapsMs: isWhole ? gaps.map((gap) => shiftDecimal(gap, 3)) : null,
      error: isFailed ? (error === '' ? 'failed' : toError(error)) : null,
    };
  });
}
