import { type Fact, noFacts, type ScenarioFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { hasAll, type JsonObject } from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';

/** Whether an object is an experiment description, `experiment_metadata.json`. */
export function isExperiment(value: JsonObject): boolean {
  return hasAll(value, ['benchmark_version', 'api_backend', 'traffic_scenario', 'max_requests_per_run']);
}

function textOf(value: JsonValue | undefined): string | null {
  const text = typeof value === 'string' && value.length <= 200 ? value.trim() : '';
  return text === '' ? null : text;
}

/** The program version that an experiment records. */
export const versionOf = (experiment: JsonObject | null) => textOf(experiment?.benchmark_version);

/** The data set of the prompts, as the last part of its path; null for the bundled one. */
export function datasetOf(experiment: JsonObject | null): Fact<string> | null {
  const name = textOf(experiment?.dataset_path)?.split(/[/\\]/).at(-1);
  return name === undefined || name === '' ? null : { value: name, origin: 'context' };
}

/** The server as the tool's user described it. */
export function toServer(experiment: JsonObject | null): SystemFacts {
  if (experiment === null) return noFacts;
  const toFact = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'context' });
  const count = parseNumber(textOf(experiment.server_gpu_count) ?? '');
  return {
    ...noFacts,
    ...modelFacts(textOf(experiment.model), 'context'),
    gpu: toFact(textOf(experiment.server_gpu_type)),
    gpuCount: toFact(count !== null && Number.isSafeInteger(count) && count > 0 ? count : null),
    engine: toFact(textOf(experiment.server_engine)),
    engineVersion: toFact(textOf(experiment.server_version)),
  };
}

/** A traffic pattern in the program's notation. */
export interface Traffic {
  /** `text` for text-to-text tasks. The other tasks measure something else. */
  kind: 'text' | 'image' | 'embedding' | 'other';
  facts: Pick<ScenarioFacts, 'inputTokens' | 'outputTokens'>;
}

const pair = String.raw`\((\d{1,9}),(\d{1,9})\)`;
const fixed = new RegExp(`^D${pair}$`);
const normal = new RegExp(`^N${pair}/${pair}$`);
const uniform = new RegExp(`^U${pair}(?:/${pair})?$`);

/**
 * Lengths that a pattern requests: `D(100,1000)` for every request; `N(mean,sd)/(mean,sd)` and `U(min,max)/(min,max)` around
 * their midpoints; `U(max,max)` from 1. Other patterns, such as `dataset`, request no lengths.
 */
export function parseTraffic(text: string | null): Traffic {
  const none = { inputTokens: null, outputTokens: null };
  const traffic = (text ?? '').replaceAll(' ', '');
  const lengths = (input: number, output: number, origin: Fact<number>['origin']): Traffic => {
    const fact = (value: number) => (value >= 1 ? { value: Math.round(value), origin } : null);
    return { kind: 'text', facts: { inputTokens: fact(input), outputTokens: fact(output) } };
  };
  const numbers = (pattern: RegExp) =>
    pattern
      .exec(traffic)
      ?.slice(1)
      .map((part) => (part === undefined ? null : Number(part)));
  const exact = numbers(fixed);
  if (exact !== undefined) return lengths(exact[0] ?? 0, exact[1] ?? 0, 'stated');
  const drawn = numbers(normal);
  if (drawn !== undefined) return lengths(drawn[0] ?? 0, drawn[2] ?? 0, 'inferred');
  const between = numbers(uniform);
  if (between !== undefined) {
    const [a, b, c, d] = between.map((value) => value ?? 0);
    const isRanged = between[2] != null;
    const middle = (low = 0, high = 0) => (low + high) / 2;
    return isRanged ? lengths(middle(a, b), middle(c, d), 'inferred') : lengths(middle(1, a), middle(1, b), 'inferred');
  }
  if (/^[ER]\(/.test(traffic)) return { kind: 'embedding', facts: none };
  if (/^I\(/.test(traffic)) return { kind: 'image', facts: none };
  return { kind: /^[AV]\(/.test(traffic) ? 'other' : 'text', facts: none };
}
