import { z } from 'zod';
import { toModelName } from '../reading/context/model-name.ts';
import { countNames, type JsonObject, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import type { OllamaRun } from './run.ts';

const nanoseconds = z.number().int().nonnegative().nullish();
const tokens = z.number().int().nonnegative().nullish();

const ResponseSchema = z.looseObject({
  model: z.string().max(500),
  created_at: z.string().max(100).nullish(),
  total_duration: nanoseconds,
  load_duration: nanoseconds,
  prompt_eval_count: tokens,
  prompt_eval_duration: nanoseconds,
  eval_count: z.number().int().positive(),
  eval_duration: z.number().int().positive(),
});
const known = new Set(Object.keys(ResponseSchema.shape));
const required = ['model', 'total_duration', 'eval_count', 'eval_duration'];

/** API responses. For a stream, the last line, which is the only one with figures. */
export const findOllamaResponses = recordFinder((value) => {
  const found = countNames(value, required);
  return found === required.length ? 'whole' : found === 3 && Object.hasOwn(value, 'eval_count') ? 'likely' : null;
});

/** A time in UTC, in milliseconds; null for anything else. */
function toInstant(text: string | null | undefined): string | null {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,3})?\d{0,9}Z$/.exec(text ?? '');
  const instant = found === null ? '' : `${found[1]}${found[2] ?? ''}Z`;
  return found !== null && !Number.isNaN(Date.parse(instant)) ? instant : null;
}

const toMs = (ns: number | null | undefined) => (ns == null ? null : shiftDecimal(ns, -6));
const toRate = (count: number | null | undefined, ns: number | null | undefined) =>
  count == null || ns == null || ns === 0 || count === 0 ? null : (count * 1e9) / ns;

/** The model that answered, by its requested name. */
export function modelOf({ model }: JsonObject): OllamaRun['model'] {
  const name = typeof model === 'string' ? toModelName(model.replace(/:latest$/, '')) : null;
  return name === null ? null : { value: name, origin: 'stated' };
}

/** Reads a response without its text. Throws `ArtifactError` if it is not in Ollama's format. */
export function readOllamaResponse({ value, from, to }: JsonRecord): Omit<OllamaRun, 'model'> {
  const data = parseAt(ResponseSchema, value, from);
  return {
    from,
    to,
    totalMs: toMs(data.total_duration),
    loadMs: toMs(data.load_duration),
    promptTokens: data.prompt_eval_count ?? null,
    promptTokS: toRate(data.prompt_eval_count, data.prompt_eval_duration),
    outputTokens: data.eval_count,
    outputTokS: toRate(data.eval_count, data.eval_duration),
    measuredAt: toInstant(data.created_at),
    ignored: Object.keys(data).filter((name) => !known.has(name)),
  };
}
