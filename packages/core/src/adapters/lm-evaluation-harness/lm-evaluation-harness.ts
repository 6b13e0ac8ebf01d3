import { type Adapter, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { numberOf, stated, toEvaluation } from '../quality-result.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import {
  isObject,
  type JsonObject,
  type JsonRecord,
  type Likeness,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';

const id = 'lm-evaluation-harness';

/** `exact_match,strict-match`: a metric and the filter that extracted the answers from the output. */
const figureKey = /^([A-Za-z][\w@.-]{0,60}),([\w.-]{1,60})$/;
/** Scores on a scale of 0 to 100. */
const inPoints = /^(?:bleu|chrf|rouge)/i;
const earliest = 1e9;
const latest = 4e9;

const hasFigures = (value: JsonValue | undefined) =>
  isObject(value) && Object.entries(value).some(([key, figure]) => figureKey.test(key) && typeof figure === 'number');

function likeness(value: JsonObject): Likeness {
  const { results } = value;
  if (!isObject(results) || !('configs' in value || 'versions' in value || 'n-shot' in value)) return null;
  return Object.values(results).some(hasFigures) ? 'whole' : null;
}

const findReports = recordFinder(likeness);

/** `pretrained=org/name,dtype=auto`, or the same as an object. */
function argumentOf(given: JsonValue | undefined, names: readonly string[]): string | null {
  const pairs = isObject(given)
    ? Object.entries(given)
    : typeof given === 'string'
      ? given
          .split(',')
          .map((part): [string, string] => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)])
      : [];
  const found = pairs.find(([name, value]) => names.includes(name) && typeof value === 'string' && value !== '');
  return typeof found?.[1] === 'string' ? found[1] : null;
}

function toSystem(report: JsonObject): Partial<SystemFacts> {
  const config = isObject(report.config) ? report.config : {};
  const named = typeof report.model_name === 'string' && report.model_name !== '' ? report.model_name : null;
  const model = argumentOf(config.model_args, ['pretrained', 'model']) ?? named;
  const source = typeof report.model_source === 'string' ? report.model_source : config.model;
  // Other sources are protocols, or libraries that do not serve.
  return { model: stated(model), engine: stated(source === 'vllm' || source === 'sglang' ? source : null) };
}

interface Figure {
  report: JsonRecord;
  task: string;
  metric: string;
  filter: string;
  value: number;
}

/** All figures of a report by task. Deviations are read with their figures. */
function figuresOf(report: JsonRecord): Figure[] {
  const { results } = report.value;
  if (!isObject(results)) return [];
  return Object.entries(results).flatMap(([task, figures]) =>
    !isObject(figures)
      ? []
      : Object.entries(figures).flatMap(([key, value]): Figure[] => {
          const [, metric = '', filter = ''] = figureKey.exec(key) ?? [];
          if (metric === '' || metric.endsWith('_stderr') || typeof value !== 'number') return [];
          return [{ report, task, metric, filter, value }];
        }),
  );
}

const fieldOf = (report: JsonObject, name: string, task: string): JsonValue | undefined => {
  const table = report[name];
  return isObject(table) ? table[task] : undefined;
};

/** Our metric for a figure; null for figures that are neither shares of a full score nor perplexities. */
function measureOf({ report, task, metric, value }: Figure): { metric: 'score' | 'perplexity'; scale: number } | null {
  if (/(?:^|_)perplexity$/.test(metric)) return value > 0 ? { metric: 'perplexity', scale: 1 } : null;
  const better = fieldOf(report.value, 'higher_is_better', task);
  if (isObject(better) && better[metric] === false) return null;
  const scale = inPoints.test(metric) && value > 1 ? 0.01 : 1;
  return value >= 0 && value * scale <= 1 ? { metric: 'score', scale } : null;
}

function toResult(figure: Figure): ParsedResult | null {
  const { task, metric, filter, value, report } = figure;
  const measure = measureOf(figure);
  if (measure === null) return null;
  const whole = report.value;
  const samples = fieldOf(whole, 'n-samples', task);
  const n = isObject(samples) ? numberOf(samples.effective) : null;
  const figures = fieldOf(whole, 'results', task);
  const error = isObject(figures) ? numberOf(figures[`${metric}_stderr,${filter}`]) : null;
  const date = numberOf(whole.date);
  return toEvaluation({
    task: {
      task,
      metric,
      variant: filter === 'none' ? null : filter,
      fewShot: numberOf(fieldOf(whole, 'n-shot', task)),
      context: null,
    },
    metric: measure.metric,
    value: value * measure.scale,
    standardError: error === null ? null : error * measure.scale,
    n,
    system: toSystem(whole),
    measuredAt: date !== null && date > earliest && date < latest ? new Date(date * 1000).toISOString() : null,
    lines: { from: report.from, to: report.to },
  });
}

/** Evaluations of EleutherAI's lm-evaluation-harness: `results_*.json`. */
export const lmEvaluationHarness: Adapter = {
  id,
  title: 'lm-evaluation-harness',
  kind: 'quality',
  recognises: 'a JSON object with results by task ("exact_match,strict-match") with configs, versions or n-shot',
  command: 'lm_eval --model vllm --model_args pretrained=MODEL --tasks gsm8k --output_path results',
  detect: (artifact) => toClaims(id, findReports(artifact)),
  read: (artifact, claim) => {
    const reports = within(findReports(artifact), claim);
    const read = readEach(reports.flatMap(figuresOf), claim.from, (figure) => {
      const result = toResult(figure);
      return result === null ? null : { result, ignored: [] };
    });
    const [version] = reports.map(({ value }) => value.lm_eval_version).filter((text) => typeof text === 'string');
    return { tool: { name: id, version: version ?? null }, ...read, ...noRemarks };
  },
};
