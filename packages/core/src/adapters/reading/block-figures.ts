import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { ArtifactError } from '../errors.ts';
import type { ValueName } from './latency-name.ts';
import { isMissing, parseNumber } from './numbers.ts';
import type { BlockLine } from './serving-block.ts';

/** What a label means: a figure, or a fact that is no figure of ours and is kept as text. */
export type Meaning = ValueName | { kind: 'fact'; name: string } | { kind: 'unknown' };

/** The figures of one printed block, sorted by what they are. */
export interface BlockFigures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  facts: Map<string, string>;
  /** Labels that were not used. */
  ignored: string[];
}

/**
 * Sorts the lines of a block by the meaning of their labels. A rate of 0 was rounded away and is left out. Throws
 * `ArtifactError` for figures that are none (cut by the terminal, negative) or that stand there twice and differ.
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
      const hint = 'A figure that the terminal cut cannot be used: copy the block again.';
      faults.push({ code: 'value_unreadable', line, message, hint });
    } else if (number < 0) {
      faults.push({ code: 'value_unreadable', line, message: `"${label}" cannot be ${value}.` });
    } else if (meaning.kind === 'extra') {
      figures.extra[meaning.name] = number + 0;
    } else if (meaning.name !== 'req_s' || number > 0) {
      const before = figures.metrics.get(meaning.name);
      if (before !== undefined && before !== number) {
        const message = `"${label}" is given twice in one block, as ${before} and ${number}.`;
        faults.push({ code: 'value_repeated', line, message });
      }
      // Minus zero, which Python prints, is zero.
      figures.metrics.set(meaning.name, number + 0);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return figures;
}

const counted = new Set<string>(['requests_ok', 'requests_failed', 'input_tokens', 'output_tokens', 'duration_s']);

/** Throws `ArtifactError` for figures that measured nothing: no answer at all, or nothing but counts. */
export function checkMeasured(metrics: ReadonlyMap<MetricName, number>, line: number, sent: number | null): void {
  if (metrics.get('requests_ok') === 0) {
    const of = sent !== null && sent > 0 ? ` of ${sent}` : '';
    const message = `0${of} requests completed: nothing was measured.`;
    throw new ArtifactError([{ code: 'nothing_measured', line, message }]);
  }
  if ([...metrics.keys()].some((name) => !counted.has(name))) return;
  const message = `The report that begins on line ${line} ends before its first rate or latency.`;
  const hint = 'Copy the whole report, down to its closing rule.';
  throw new ArtifactError([{ code: 'block_cut', line, message, hint }]);
}
