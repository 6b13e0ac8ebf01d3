import { nothingRecorded, type RequestRecord } from '../../records.ts';
import { maxFaults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { type ReportFigures, readFigure } from '../reading/figures/report-figures.ts';

/** The requests of a run. */
export interface RequestList {
  requests: RequestRecord[];
  /** Of successful requests; null if one of them lacks the value. */
  outputTokens: number | null;
  /** True if the program excluded some requests from its statistics because their times were too short to distinguish. */
  isFiltered: boolean;
}

const used = new Set([
  ...['ttft', 'tpot', 'e2e_latency', 'output_latency', 'output_inference_speed', 'total_tokens'],
  ...['num_input_tokens', 'num_output_tokens', 'input_throughput', 'output_throughput', 'error_code', 'error_message'],
]);

/** An HTTP status. The message may contain an address or a prompt. */
function toError(code: JsonValue | undefined): string | null {
  if (code === null || code === undefined || code === 0) return null;
  return Number.isSafeInteger(code) ? `error ${String(code)}` : 'failed';
}

/** Reads `individual_request_metrics`, with latencies in seconds (`places` 3) or ms (0). Errors are added to the list. */
export function readRequestList(figures: ReportFigures, items: readonly JsonValue[], places: 0 | 3): RequestList {
  const list: RequestList = { requests: [], outputTokens: 0, isFiltered: false };
  for (const [index, item] of items.entries()) {
    if (figures.faults.length >= maxFaults) break;
    const pointer = `/individual_request_metrics/${index}`;
    if (!isObject(item)) {
      const message = `${pointer}: expected an object`;
      figures.faults.push({ code: 'value_invalid', line: figures.line, pointer, message });
      continue;
    }
    const read = (name: string) => readFigure(figures, item[name], `${pointer}/${name}`);
    const toMs = (name: string) => {
      const value = read(name);
      return value === null || value === 0 ? null : shiftDecimal(value, places);
    };
    for (const name of Object.keys(item)) if (!used.has(name)) figures.ignored.add(name);
    const error = toError(item.error_code);
    if (error !== null) {
      list.requests.push({ ...nothingRecorded, error });
      continue;
    }
    const outputTokens = read('num_output_tokens');
    if ((item.tpot ?? null) === null && (outputTokens ?? 0) > 1) list.isFiltered = true;
    list.outputTokens = list.outputTokens === null || outputTokens === null ? null : list.outputTokens + outputTokens;
    list.requests.push({
      ...nothingRecorded,
      inputTokens: read('num_input_tokens'),
      outputTokens,
      ttftMs: outputTokens === 0 ? null : toMs('ttft'),
      e2eMs: toMs('e2e_latency'),
    });
  }
  return list;
}

/** The items of a list; empty if it is not a list. */
export function itemsOf(value: JsonObject): readonly JsonValue[] {
  const { individual_request_metrics: items } = value;
  return Array.isArray(items) ? items : [];
}
