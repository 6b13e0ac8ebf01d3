import { type Adapter, type Claim, noRemarks, type ParsedResult } from '../adapter.ts';
import { toEvaluation } from '../quality-result.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { mlperfDatasets } from './dataset.ts';

const id = 'mlperf-accuracy';

/** Scores on a scale of 0 to 100. Lengths and counts are printed among them. */
const scores = /^(?:rouge(?:1|2|L|Lsum)|exact_match|gsm8k|mbxp)$/;
const pair = /'([\w-]{1,40})':\s*'?(-?\d{1,15}(?:\.\d{1,20})?)'?/g;
/** Maximum number of lines of a table. */
const linesMax = 30;

const valuesOf = (artifact: ArtifactText, { from, to }: Omit<Claim, 'adapter'>): Map<string, number> =>
  new Map(
    Array.from({ length: to - from + 1 }, (_, at) => artifact.lineAt(from + at)).flatMap((line) =>
      [...line.matchAll(pair)].map(([, name = '', value = '']): [string, number] => [name, Number(value)]),
    ),
  );

/** The Python dictionary that the benchmark's script prints: on one line, or one figure per line. */
function findTables(artifact: ArtifactText): Claim[] {
  return artifact.linesWith("'tokens_per_sample'").flatMap((line): Claim[] => {
    let from = line;
    while (from > Math.max(1, line - linesMax) && !artifact.lineAt(from).includes('{')) from -= 1;
    let to = line;
    while (to < line + linesMax && !artifact.lineAt(to).includes('}')) to += 1;
    const isTable = artifact.lineAt(from).includes('{') && artifact.lineAt(to).includes('}');
    const names = isTable ? [...valuesOf(artifact, { from, to }).keys()] : [];
    return names.some((name) => scores.test(name)) ? [{ adapter: id, from, to }] : [];
  });
}

function toResults(artifact: ArtifactText, claim: Claim): ParsedResult[] {
  const values = valuesOf(artifact, claim);
  const n = values.get('gen_num') ?? values.get('num-samples') ?? null;
  const dataset = n === null ? undefined : mlperfDatasets[n];
  const tokens = values.get('tokens_per_sample');
  return [...values].flatMap(([metric, value]) => {
    if (!scores.test(metric) || value < 0 || value > 100) return [];
    return toEvaluation({
      task: { task: dataset ?? 'mlperf', metric, variant: null, fewShot: null, context: null },
      metric: 'score',
      value: value / 100,
      standardError: null,
      n,
      system: {},
      dataset: dataset === undefined ? null : { value: dataset, origin: 'inferred' },
      extra: tokens === undefined ? {} : { tokens_per_sample: tokens },
      lines: { from: claim.from, to: claim.to },
    });
  });
}

/** The accuracy run of MLPerf Inference: `accuracy.txt`, written by a benchmark's script. */
export const mlperfAccuracy: Adapter = {
  id,
  title: 'MLPerf accuracy',
  kind: 'quality',
  recognises: "a line such as {'rouge1': '44.4542', ..., 'tokens_per_sample': 301.1}",
  command: 'python evaluate-accuracy.py --mlperf-accuracy-file mlperf_log_accuracy.json > accuracy.txt',
  detect: findTables,
  read: (artifact, claim) => {
    const read = readEach(toResults(artifact, claim), claim.from, (result) => ({ result, ignored: [] }));
    return { tool: { name: 'MLPerf accuracy', version: null }, ...read, ...noRemarks };
  },
};
