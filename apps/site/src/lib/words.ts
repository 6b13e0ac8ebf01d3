import { findMetric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import type { Entry, Finding, Load, Scenario, System } from './api.ts';
import { formatCount, formatPlural, formatWithUnit } from './format.ts';

/** Labels of the API's enum values. */
export const trustWords: Record<Entry['trust'], { label: string; means: string }> = {
  managed: { label: 'managed', means: 'measured by Inferboard; hardware as stated by its owner' },
  replicated: { label: 'replicated', means: 'an independent account measured within 5 %' },
  recomputed: { label: 'recomputed', means: 'statistics recomputed here from the records of every request' },
  imported: { label: 'published', means: 'figures from a named publication' },
  self_reported: { label: 'self-reported', means: 'figures as submitted' },
};

export const severityWords: Record<Finding['severity'], string> = {
  violation: 'Violation',
  warning: 'Warning',
  info: 'Note',
  unchecked: 'Not checked',
};

/** Worst first. */
export const severityOrder: readonly Finding['severity'][] = ['violation', 'warning', 'info', 'unchecked'];

export const testWords: Record<string, string> = { grubbs: 'Grubbs', modified_z: 'modified z' };

const isStated = (name: string) => name !== 'n/a' && name !== 'unspecified' && name !== '';

/** "3,228 concurrent", "145,200 requests at once": a load in a table. An offline batch is not called a burst of users. */
export function loadText({ mode, level }: Load, regime: string | null = null): string {
  if (level === null || mode === 'unspecified') return formatLoad({ mode, level });
  const count = level.toLocaleString('en');
  if (mode === 'burst' && regime === 'offline') return `${count} requests at once`;
  return formatLoad({ mode, level }).replace(String(level), count);
}

/** "64 users" for a closed loop; other loads as in a table. */
export function usersText(load: Load, regime: string | null): string {
  if (load.mode !== 'concurrency' || load.level === null) return loadText(load, regime);
  return formatPlural(load.level, 'user');
}

const tokenText = (tokens: number) => (tokens % 1024 === 0 && tokens > 0 ? `${tokens / 1024}k` : formatCount(tokens));

/** "8k in / 1k out" for requested lengths, else the name of the workload. */
export function lengthsText({ input_tokens: input, output_tokens: output, kernel, dataset }: Scenario): string | null {
  if (kernel !== null || dataset !== null || !input || !output) return null;
  return `${tokenText(input)} in / ${tokenText(output)} out`;
}

/** "2x H200 at 600 W" */
export function gpuText(system: System): string {
  // An evaluation can omit the GPU that it ran on.
  if (system.gpu.name === 'n/a') return 'GPU not stated';
  const count = system.gpu_count !== null && system.gpu_count > 1 ? `${system.gpu_count}x ` : '';
  const power = system.gpu_power_limit_w === null ? '' : ` at ${system.gpu_power_limit_w} W`;
  return `${count}${system.gpu.title}${power}`;
}

export function quantizationText(system: System): string | null {
  return system.quantization.name === 'n/a' ? null : system.quantization.title;
}

type Replication = Entry['replication'];

/** "Accounts disagree on output throughput: 1 000 and 1 250 tok/s": one line for each metric in conflict. */
export function conflictTexts(replication: Replication): string[] {
  return (replication?.conflicts ?? []).map(({ metric: name, low, high }) => {
    const metric = findMetric(name);
    const [title, unit] = metric === null ? [name, ''] : [metric.title, metric.family.unit];
    return `Accounts disagree on ${title}: ${formatWithUnit(low.mean, unit, low)} and ${formatWithUnit(high.mean, unit, high)}`;
  });
}

/** The title of a row: the model, or for a kernel the implementation. */
export function systemTitle(system: System): string {
  return system.model.name === 'n/a' ? system.engine.title : system.model.title;
}

/** The other facts that distinguish a system, in addition to its title and quantization. */
export function hardwareText(system: System): string {
  const engine = system.model.name === 'n/a' ? null : engineText(system);
  return engine === null ? gpuText(system) : `${gpuText(system)} · ${engine}`;
}

/** The name of a board row: its subject first, then the distinguishing facts. */
export interface RowName {
  title: string;
  tag: string | null;
  rest: string;
}

/** The name of a system on a board with one row for each `subject`; null with one row for each system. */
export function rowName(system: System, subject: string | null): RowName {
  const quantization = quantizationText(system);
  const named = (title: string, ...others: (string | null)[]): RowName => ({
    title,
    tag: null,
    rest: others.filter((part) => part !== null).join(' · '),
  });
  if (subject === 'gpu') return named(gpuText(system), systemTitle(system), quantization, engineText(system));
  if (subject === 'engine' && system.model.name !== 'n/a')
    return named(engineText(system) ?? 'unspecified engine', systemTitle(system), quantization, gpuText(system));
  if (subject === 'quantization' && quantization !== null)
    return named(quantization, systemTitle(system), hardwareText(system));
  return { title: systemTitle(system), tag: quantization, rest: hardwareText(system) };
}

export function engineText(system: System): string | null {
  return isStated(system.engine.name) ? system.engine.title : null;
}

/** "Decode bound" with "256 → 512 tokens", "Causal Mask" with "block mask 1 x 1 x 8,192 x 8,192". */
export function scenarioText(scenario: Scenario): { title: string; detail: string | null } {
  const { kernel } = scenario;
  if (kernel !== null) {
    const of = kernel.sparsity === null ? 'shape' : 'block mask';
    const shape = kernel.shape === null ? null : `${of} ${kernel.shape.map(formatCount).join(' x ')}`;
    return { title: kernel.case, detail: shape };
  }
  const { quality } = scenario;
  if (quality !== undefined) {
    const { metric, variant, few_shot: shots, context } = quality;
    const window = context === null ? null : `windows of ${formatPlural(context, 'token')}`;
    const details = [metric, variant, shots === null ? null : `${shots} shot`, window];
    return { title: quality.task, detail: details.filter((part) => part !== null).join(' · ') };
  }
  const tokens =
    scenario.input_tokens === null || scenario.output_tokens === null
      ? null
      : `${formatCount(scenario.input_tokens)} → ${formatCount(scenario.output_tokens)} tokens`;
  const depth = scenario.depth === null ? null : `after ${formatPlural(scenario.depth, 'token')} in the cache`;
  const dataset = scenario.dataset === scenario.id ? null : scenario.dataset;
  const title = shapeTitle(scenario.id);
  // A title of lengths is not repeated: "2,000 → 100 tokens".
  const repeated = tokens !== null && title.startsWith(tokens);
  const after = / after [\d,]+/u.test(title) ? null : depth;
  const details = [repeated ? null : tokens, after, dataset].filter((part) => part !== null);
  return { title, detail: details.length === 0 ? null : details.join(' · ') };
}
