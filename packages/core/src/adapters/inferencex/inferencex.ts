import { type Adapter, noRemarks, type ParsedResult } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import {
  hasAll,
  type JsonObject,
  type JsonRecord,
  type Likeness,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { readServingRecord } from '../vllm/serve-record.ts';
import { readInferencexRecord } from './record.ts';
import { toPublishedName } from './system.ts';

const id = 'inferencex';

/** The object that its copy of vLLM's client writes: the same keys, and always two percentiles that vLLM omits. */
function isClientRecord(value: JsonObject): boolean {
  return (
    hasAll(value, ['num_prompts', 'model_id', 'best_of', 'request_goodput:', 'completed', 'duration']) &&
    Object.keys(value).some((key) => key.startsWith('p90_')) &&
    Object.keys(value).some((key) => key.startsWith('p99.9_'))
  );
}

function likeness(value: JsonObject): Likeness {
  const isAggregate = hasAll(value, ['hw', 'framework', 'precision', 'tput_per_gpu']);
  return isAggregate || isClientRecord(value) ? 'whole' : null;
}

const findRuns = recordFinder(likeness);

const earliest = 1e9;
const latest = 4e9;

/** A record of the client. Its backend is the protocol, which every engine supports. */
function readClientRecord({ value, from, to }: JsonRecord): { result: ParsedResult; ignored: Iterable<string> } {
  const { result, ignored } = readServingRecord(value, { from, to });
  const start = value.benchmark_start_time_unix;
  const isTime = typeof start === 'number' && start > earliest && start < latest;
  const times = new Set(['benchmark_start_time_unix', 'benchmark_end_time_unix']);
  const named = modelFacts(toPublishedName(typeof value.model_id === 'string' ? value.model_id : null), 'stated');
  return {
    result: {
      ...result,
      system: { ...result.system, ...named, engine: null, engineVersion: null },
      measuredAt: isTime ? new Date(Math.floor(shiftDecimal(start, 3))).toISOString() : null,
    },
    ignored: ignored.filter((name) => !times.has(name)),
  };
}

/**
 * Results of InferenceX, formerly InferenceMAX: the client's record of one configuration, its aggregate (an object, or an
 * array of merged ones), and the aggregate of agentic conversations. Aggregates use seconds and per-GPU rates, with input
 * and output combined unless stated.
 *
 * Written by https://github.com/SemiAnalysisAI/InferenceX (`utils/process_result.py`).
 */
export const inferencex: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'JSON objects with hw, framework, precision and tput_per_gpu, or the record of its client with p99.9 figures',
  command: 'InferenceX writes agg_*.json for each configuration of a sweep',
  detect: (artifact) => toClaims(id, findRuns(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findRuns(artifact), claim), claim.from, (record) => {
      const { value, from, to } = record;
      return isClientRecord(value) ? readClientRecord(record) : readInferencexRecord(value, { from, to });
    });
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
