import type { Fault } from '../../../errors.ts';
import type { MetricName } from '../../../metrics/index.ts';
import { ArtifactError } from '../../errors.ts';
import type { ValueName } from './latency-name.ts';
import { decimalPointHint, hasDecimalComma, isMissing, parseNumber } from './numbers.ts';
import type { BlockLine } from './serving-block.ts';

/** The meaning of a label: a metric, or a fact that is stored as text. */
export type Meaning = ValueName | { kind: 'fact'; name: string } | { kind: 'unknown' };

/** The figures of one printed block by kind. */
export interface BlockFigures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  facts: Map<string, string>;
  /** Unused labels. */
  ignored: string[];
}

/** The error about a label that has two values in one block. */
export const valueRepeated = (label: string, first: string | number, second: string | number, line: number): Fault => ({
  code: 'value_repeated',
  line,
  message: `"${label}" is given twice in one block, as ${first} and ${second}.`,
});

/**
 * Sorts the lines of a block by the meaning of their labels. A rate of 0 was rounded and is left out. Throws `ArtifactError`
 * for invalid figures (truncated by the terminal, negative) and for duplicates that differ.
 */
export function readBlockFigures(rows: readonly BlockLine[], meaningOf: (key: string) => Meaning): BlockFigures {
  const figures: BlockFigures = { metrics: new Map(), extra: {}, facts: new Map(), ignored: [] };
  const faults: Fault[] = [];
  for (const { line, label, key, value } of rows) {
    const meaning = meaningOf(key);
    if (meaning.kind === 'unknown') {
      figures.ignored.push(label);
      continue;
    }
    if (meaning.kind === 'fact') {
      figures.facts.set(meaning.name, value.trim());
      continue;
    }
    const number = parseNumber(value);
    if (number === null) {
      if (isMissing(value)) continue;
      const message = `"${label}" should be a number, found "${value.slice(0, 60)}".`;
      const hint = /^x[x.,]*$/i.test(value)
        ? 'It is a placeholder. Send the output of a run.'
        : hasDecimalComma(value)
          ? decimalPointHint
          : 'A figure that was cut by the terminal cannot be used. Copy the block again.';
      faults.push({ code: 'value_unreadable', line, message, hint });
    } else if (number < 0) {
      faults.push({ code: 'value_unreadable', line, message: `"${label}" cannot be ${value}.` });
    } else if (meaning.kind === 'extra') {
      figures.extra[meaning.name] = number + 0;
    } else if (meaning.name !== 'req_s' || number > 0) {
      const before = figures.metrics.get(meaning.name);
      if (before !== undefined && before !== number) faults.push(valueRepeated(label, before, number, line));
      // Python prints minus zero, which is zero.
      figures.metrics.set(meaning.name, number + 0);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return figures;
}

const counted = new Set<string>(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'duration_s']);

/** Throws `ArtifactError` if nothing was measured: no responses at all, or only counts. */
export function checkMeasured(metrics: ReadonlyMap<MetricName, number>, line: number, sent: number | null): void {
  if (metrics.get('requests_ok') === 0) {
    const of = sent !== null && sent > 0 ? ` of ${sent}` : '';
    const message = `0${of} requests completed: nothing was measured.`;
    throw new ArtifactError([{ code: 'nothing_measured', line, message }]);
  }
  if ([...metrics.keys()].some((name) => !counted.has(name))) return;
  const message = `The report that begins on line ${line} ends before its first rate or latency.`;
  const hint = 'Copy the whole report, down to its closing rule.';
  throw new ArtifactError([{ code: metrics.size === 0 ? 'block_empty' : 'block_cut', line, message, hint }]);
}
