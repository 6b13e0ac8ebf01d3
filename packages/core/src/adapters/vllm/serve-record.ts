import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { RequestRecord } from '../../records.ts';
import { noFacts, noResult, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { dropEmptyResponses } from '../reading/documents/empty-responses.ts';
import { hasAny, type JsonObject } from '../reading/documents/json-records.ts';
import {
  arrayFaults,
  type RequestArrays,
  requestArraysShape,
  toRequests,
} from '../reading/documents/request-arrays.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import { argumentsOf } from './arguments.ts';
import { inMilliseconds, numberAt, type RecordFigures, readFigures } from './record.ts';
import { loadUnknown, speculation, toDefinitions, toEngine, toServingLoad } from './serving.ts';
import { isSweep, readSweep } from './sweep.ts';

const ArraysSchema = z.looseObject(requestArraysShape);
const arrayNames = Object.keys(requestArraysShape);

/** Facts that are read from a record. `label` is free text, and `tokenizer_id` may be a path. */
const facts = new Set([
  ...Object.keys(requestArraysShape),
  'date',
  'backend',
  'endpoint_type',
  'model_id',
  'num_prompts',
  'request_rate',
  'burstiness',
  'max_concurrency',
  'failed_requests',
  'ramp_up_strategy',
  'ramp_up_start_rps',
  'ramp_up_end_rps',
  'mode',
  'version',
  'vllm_version',
  'run_number',
  'good_completed',
  // Nonzero only for audio.
  'rtfx',
]);

function textAt(fields: JsonObject, key: string): string | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'string' && value !== '' && value.length <= 300 && !isMissing(value) ? value : null;
}

/** A limit: null for none (`"inf"`, `Infinity`, null), undefined if the key is absent or has any other value. */
function limitAt(fields: JsonObject, key: string): number | null | undefined {
  const value = Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (value === null || value === Number.POSITIVE_INFINITY) return null;
  if (typeof value === 'string') return /^inf(?:inity)?$/i.test(value) ? null : (parseNumber(value) ?? undefined);
  return typeof value === 'number' && value > 0 ? value : undefined;
}

interface Requests {
  records: RequestRecord[] | null;
  arrays: RequestArrays;
}

function readRequests(fields: JsonObject, line: number, faults: Fault[]): Requests | null {
  if (!hasAny(fields, arrayNames)) return null;
  const parsed = ArraysSchema.safeParse(fields);
  const found = parsed.success ? arrayFaults(parsed.data, line) : toFaults(parsed.error, line);
  const texts = fields.generated_texts;
  const lengths = parsed.success ? (parsed.data.ttfts ?? parsed.data.output_lens) : undefined;
  if (Array.isArray(texts) && lengths !== undefined && texts.length !== lengths.length) {
    const message = `/generated_texts has ${texts.length} entries, but there are ${lengths.length} requests.`;
    found.push({ code: 'lists_unequal', line, pointer: '/generated_texts', message });
  }
  for (const fault of found) faults.push(fault);
  return parsed.success && found.length === 0 ? { records: toRequests(parsed.data), arrays: parsed.data } : null;
}

/** Failed requests in versions that did not count them: requested minus completed. */
function addFailures(fields: JsonObject, { metrics, notes }: RecordFigures, sent: number | undefined): void {
  const listed = fields.failed_requests;
  if (Array.isArray(listed) && !metrics.has('requests_failed')) metrics.set('requests_failed', listed.length);
  const ok = metrics.get('requests_ok');
  if (metrics.has('requests_failed') || sent === undefined || ok === undefined || ok > sent) return;
  metrics.set('requests_failed', sent - ok);
  if (ok === sent) return;
  const message = `${sent} requests were planned and ${ok} completed; the others count as failed, because this version does not report failures.`;
  notes.push({ code: 'failures_derived', severity: 'info', message, evidence: { num_prompts: sent, requests_ok: ok } });
}

/** How the requests were sent. Ramps and conversations do not map to a load level. */
function readLoad(fields: JsonObject, metrics: ReadonlyMap<MetricName, number>, sent: number | undefined) {
  const ramp = textAt(fields, 'ramp_up_strategy');
  const turns = textAt(fields, 'mode') === 'multi_turn';
  if (ramp !== null || turns) {
    const message = turns
      ? 'Requests were turns of conversations.'
      : `The request rate was raised while it ran (${ramp}).`;
    return { load: null, notes: [loadUnknown({}, `${message} No supported load mode describes that.`)] };
  }
  const burstiness = limitAt(fields, 'burstiness');
  const rate = limitAt(fields, 'request_rate');
  // The cap option did not exist before October 2024.
  const cap = Object.hasOwn(fields, 'max_concurrency') ? limitAt(fields, 'max_concurrency') : null;
  const asked = { rate, cap, burstiness: burstiness ?? null, sent: sent ?? 0 };
  const { load, notes } = toServingLoad(asked, metrics);
  const unknown = loadUnknown({}, 'The record does not state how the requests were sent.');
  return { load, notes: load === null ? [...notes, unknown] : notes };
}

/** Facts to store as extras. An infinite burstiness, which no number represents, spaces the requests evenly. */
function toExtra(fields: JsonObject): Record<string, string | number> {
  const date = textAt(fields, 'date');
  const ramp = textAt(fields, 'ramp_up_strategy');
  const rate = (key: string) => (typeof fields[key] === 'number' && Number.isFinite(fields[key]) ? fields[key] : null);
  const [start, end] = ramp === null ? [null, null] : [rate('ramp_up_start_rps'), rate('ramp_up_end_rps')];
  const rtfx = rate('rtfx') ?? 0;
  return {
    ...(date !== null && /^\d{8}-\d{6}$/.test(date) ? { local_date: date } : {}),
    ...(fields.burstiness === Number.POSITIVE_INFINITY ? { arrivals: 'evenly spaced' } : {}),
    ...(ramp === null ? {} : { ramp_up: ramp }),
    ...(start === null ? {} : { ramp_up_start_rps: start }),
    ...(end === null ? {} : { ramp_up_end_rps: end }),
    ...(textAt(fields, 'mode') === 'multi_turn' ? { mode: 'multi_turn' } : {}),
    ...(rtfx > 0 ? { rtfx } : {}),
  };
}

export interface ServingRecord {
  result: ParsedResult;
  tool: { name: string; version: string | null };
  ignored: string[];
}

/** The Rust client has additional keys. */
const isRust = (fields: JsonObject) => Array.isArray(fields.failed_requests) || Object.hasOwn(fields, 'steady_state');

function toolOf(fields: JsonObject): ServingRecord['tool'] {
  const name = isRust(fields) ? 'vllm-bench' : isSweep(fields) ? 'vllm bench sweep serve' : 'vllm bench serve';
  return { name, version: textAt(fields, 'vllm_version') };
}

/**
 * Reads one result object of vLLM's serving benchmark, from JSON or from a row of a sweep's table. `lines` are 1-based and
 * inclusive. Throws `ArtifactError` with all its errors.
 */
export function readServingRecord(record: JsonObject, lines: { from: number; to: number }): ServingRecord {
  const fields = inMilliseconds(record);
  const faults: Fault[] = [];
  const figures = readFigures(fields, lines.from, faults);
  const sent = numberAt(fields, 'num_prompts', lines.from, faults);
  const read = readRequests(fields, lines.from, faults);
  if (faults.length > 0) throw new ArtifactError(faults);
  const { metrics, extra, rest } = figures;
  checkMeasured(metrics, lines.from, sent ?? null);
  addFailures(fields, figures, sent);
  const requests = read?.records ?? null;
  const empty = read === null || requests === null ? null : dropEmptyResponses(figures, requests, read.arrays);
  const { load, notes } = readLoad(fields, metrics, sent);
  const sweep = readSweep(fields, rest);
  const engine = toEngine(textAt(fields, 'backend') ?? textAt(fields, 'endpoint_type'));
  const version = engine === null ? null : textAt(fields, 'version');
  const ignored = rest.filter((key) => !facts.has(key) && !sweep.used.has(key));
  const allNotes: ReaderNote[] = [...figures.notes, ...(empty === null ? [] : [empty]), ...notes];
  const named = modelFacts(argumentsOf(fields).text('model_id'), 'stated');
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...named,
      quantization: sweep.system.quantization ?? named.quantization,
      engine: engine === null ? null : { value: engine, origin: 'inferred' },
      engineVersion: version === null ? null : { value: version, origin: 'inferred' },
      parallelism: sweep.system.parallelism,
      features: { ...speculation(extra), ...sweep.system.features },
    },
    scenario: { ...noScenario, ...sweep.scenario },
    load,
    repetition: sweep.repetition,
    metrics: Object.fromEntries(metrics),
    definitions: toDefinitions(metrics.keys()),
    requests,
    extra: { ...extra, ...toExtra(fields) },
    notes: allNotes,
    lines,
  };
  return { result, tool: toolOf(fields), ignored };
}
