import type { Fault } from '../../errors.ts';
import type { Adapter } from '../adapter.ts';
import { ArtifactError, maxResults, tooManyResults } from '../errors.ts';
import { noteIgnored } from '../plain-facts.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import type { JsonDocument } from '../reading/documents/json-documents.ts';
import { hasAll, isObject, type JsonObject, within } from '../reading/documents/json-records.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { toNativeDocument } from './document.ts';
import { readNativeDocuments } from './native.ts';

const id = 'inferboard-results';

const isResult = (value: JsonValue | undefined): value is JsonObject =>
  isObject(value) &&
  hasAll(value, ['kind', 'system', 'scenario', 'load', 'metrics', 'derived', 'definitions', 'submission_id']);

/** Results in the formats of the API: one result, a page, a submission, or a list of them. */
function resultsOf(value: JsonValue): JsonObject[] {
  if (isResult(value)) return [value];
  const list = Array.isArray(value) ? value : isObject(value) ? (value.data ?? value.results) : null;
  return Array.isArray(list) && isResult(list[0]) ? list.filter(isResult) : [];
}

const findDocuments = cachedPerArtifact((artifact) =>
  artifact.json.documents
    .map((document) => ({ ...document, results: resultsOf(document.value) }))
    .filter(({ results }) => results.length > 0),
);

/** Fields that the native format uses. */
const used = new Set([
  'tool',
  'kind',
  'system',
  'scenario',
  'workload',
  'measured_lengths',
  'load',
  'repetition',
  'metrics',
  'definitions',
  'repeats',
  'ranges',
  'limits',
  'measured_at',
]);

/** Whether a result is in the short form, which lacks figures and facts. */
const isShort = ({ system }: JsonObject) => isObject(system) && system.label === undefined;

const toolOf = ({ tool }: JsonObject) => JSON.stringify(tool ?? null);

/**
 * Results as returned by the API and its export, so that the results of one board can be imported into another. Only
 * measured figures are read; derived values, findings and decisions are computed again.
 */
export const inferboardResults: Adapter = {
  id,
  title: 'Inferboard results',
  kind: 'serving',
  recognises: 'results of this API as JSON: objects with metrics, derived, definitions and submission_id',
  command: 'curl -o results.jsonl "$URL/v1/results.jsonl"',
  detect: (artifact) => findDocuments(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const faults: Fault[] = [];
    const documents: JsonDocument[] = [];
    const tools = new Set<string>();
    const ignored = new Set<string>();
    for (const { results, from, to } of within(findDocuments(artifact), claim)) {
      if (documents.length + results.length > maxResults) throw tooManyResults(from);
      if (results.some(isShort)) {
        const message = `The document on line ${from} is a short response: its results lack figures and facts.`;
        faults.push({
          code: 'results_short',
          line: from,
          message,
          hint: 'Request it with full=true, or send /v1/results.jsonl.',
        });
        break;
      }
      for (const result of results) {
        tools.add(toolOf(result));
        for (const name of Object.keys(result)) if (!used.has(name)) ignored.add(name);
        documents.push({ value: toNativeDocument(result), from, to });
      }
      if (tools.size > 1) {
        const message = `The document on line ${from} has results of several tools.`;
        faults.push({ code: 'tools_mixed', line: from, message, hint: 'Send them as lines: /v1/results.jsonl.' });
        break;
      }
    }
    if (faults.length > 0) throw new ArtifactError(faults);
    return { ...readNativeDocuments(artifact, documents), ignored: noteIgnored(ignored) };
  },
};
