import type { Fault } from '../../errors.ts';
import { ArtifactError, maxFaults } from '../errors.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { toCells } from '../reading/tables/pipe-table.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { OptimumPhase, OptimumReport } from './report.ts';

/** A figure as printed: `| mean | 0.026585 | s |` or `+ mean: 0.026585 (s)`. */
interface Printed {
  line: number;
  value: string;
  unit: string;
}

/** One printed report. Lines are 1-based and inclusive; figures by "phase section name". */
export interface OptimumBlock {
  from: number;
  to: number;
  figures: Map<string, Printed>;
  phases: Set<string>;
}

const logPrefix = /^\s*(?:\[[^\]]{0,80}\]){1,6}(?: -)?\s*/;
const phases = ['load_model', 'prefill', 'decode', 'per_token', 'forward', 'call'];
const phaseWords = phases.map((phase) => ` ${phase}:`);
const phaseLine = new RegExp(`^(?:#|\\+) (${phases.join('|')}):$`);
const sectionLine = /^(?:##|\+) (memory|latency|throughput|energy|efficiency):$/;
/** A count has no unit. */
const figureLine = /^\+ ([\w_]{1,40}):? {1,20}(\S{1,40})(?: \(([^()]{1,20})\))?$/;
/** Some versions print the throughput on the line with the name of its section. */
const throughputLine = /^\+ throughput: {1,20}\S{1,40} \([^()]{1,20}\)$/;

function readFigure(text: string): { name: string; value: string; unit: string } | null {
  const cells = text.startsWith('|') ? toCells(text) : null;
  if (cells !== null) {
    const [name = '', value = '', unit = ''] = cells;
    return cells.length === 3 && /^\w{1,40}$/.test(name) && name !== 'metric' ? { name, value, unit } : null;
  }
  const found = figureLine.exec(text);
  return found === null ? null : { name: found[1] ?? '', value: found[2] ?? '', unit: found[3] ?? '' };
}

const hasTimes = ({ figures }: OptimumBlock) => [...figures.keys()].some((key) => / latency (?:mean|total)$/.test(key));

/** All reports in order of appearance. A repeated phase begins another report. */
export const findOptimumBlocks = cachedPerArtifact((artifact): OptimumBlock[] => {
  if (!artifact.has('latency')) return [];
  const blocks: OptimumBlock[] = [];
  let block: OptimumBlock | null = null;
  let [phase, section] = ['', ''];
  const begins = artifact.linesWith(...phaseWords);
  let next = 0;
  for (let line = 1; line <= artifact.lines.length; line++) {
    while ((begins[next] ?? Number.POSITIVE_INFINITY) < line) next++;
    if (block === null) line = begins[next] ?? artifact.lines.length;
    const raw = artifact.lineAt(line);
    const bare = raw.length > 400 ? '' : raw.trim();
    if (bare === '') continue;
    const text = bare.startsWith('[') ? bare.replace(logPrefix, '').trim() : bare;
    const named = begins[next] === line ? phaseLine.exec(text)?.[1] : undefined;
    if (named !== undefined) {
      if (block === null || block.phases.has(named)) {
        block = { from: line, to: line, figures: new Map(), phases: new Set() };
        blocks.push(block);
      }
      block.phases.add(named);
      [phase, section] = [named, ''];
      block.to = line;
      continue;
    }
    if (block === null || phase === '') continue;
    const isRow = text.startsWith('|');
    const part = isRow ? undefined : sectionLine.exec(text)?.[1];
    if (!isRow && section !== 'throughput' && throughputLine.test(text)) section = 'throughput';
    const figure = part === undefined && section !== '' ? readFigure(text) : null;
    if (part !== undefined) section = part;
    else if (figure !== null)
      block.figures.set(`${phase} ${section} ${figure.name}`, { line, value: figure.value, unit: figure.unit });
    else if (!isRow) {
      // Any other line ends the report.
      [block, phase] = [null, ''];
      continue;
    }
    block.to = line;
  }
  const whole = blocks.filter(hasTimes);
  return whole;
});

const words = ['mean', 'p50', 'p90', 'p95', 'p99', 'stdev'];

function readPhase(block: OptimumBlock, phase: string, faults: Fault[]): OptimumPhase | null {
  if (!block.phases.has(phase)) return null;
  const get = (section: string, name: string, unit: RegExp): number | null => {
    const printed = block.figures.get(`${phase} ${section} ${name}`);
    if (printed === undefined) return null;
    const number = parseNumber(printed.value);
    if (number !== null && number >= 0 && unit.test(printed.unit)) return number;
    const found = `${printed.value} ${printed.unit}`.slice(0, 60);
    const message = `"${name}" of ${phase} ${section} cannot be "${found}".`;
    if (faults.length < maxFaults) faults.push({ code: 'value_unreadable', line: printed.line, message });
    return null;
  };
  const latencyS = new Map<string, number>();
  for (const name of words) {
    const value = get('latency', name, /^s$/);
    if (value !== null) latencyS.set(name, value);
  }
  const count = get('latency', 'count', /^-?$/);
  const total = get('latency', 'total', /^s$/);
  // Both have six decimals, so the total of many is more precise than the mean.
  if (total !== null && count !== null && count > 0) latencyS.set('mean', total / count);
  const name = block.figures.has(`${phase} throughput throughput`) ? 'throughput' : 'value';
  const throughput = get('throughput', name, /^(?:samples|tokens)\/s$/);
  const unit = block.figures.get(`${phase} throughput ${name}`)?.unit ?? '';
  return { latencyS, count, values: null, throughput: throughput === null ? null : { value: throughput, unit } };
}

/** Figures of a block. Throws `ArtifactError` if one is unreadable. */
export function readOptimumBlock(block: OptimumBlock): OptimumReport {
  const broken: Fault[] = [];
  const report = {
    from: block.from,
    to: block.to,
    prefill: readPhase(block, 'prefill', broken),
    decode: readPhase(block, 'decode', broken),
    perToken: readPhase(block, 'per_token', broken),
  };
  if (broken.length > 0) throw new ArtifactError(broken);
  return report;
}
