import type { Fault } from '../../errors.ts';
import { addFaults } from '../errors.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** One step of an epoch. Rates are in tok/s, times in ms; null if not measured, which the tool writes as 0. */
interface Step {
  tokens: number | null;
  tokS: number | null;
  ms: number | null;
}

/** Facts in the line before the first step of a model. */
export interface BenchModel {
  quantization: string | null;
  extra: Record<string, string | number>;
  /** True if a part of the model is in host memory. */
  isOffloaded: boolean;
}

/** One request of a model with all its steps. Lines are 1-based and inclusive. */
export interface BenchEpoch {
  from: number;
  to: number;
  name: string;
  model: BenchModel | null;
  steps: Map<string, Step>;
  ignored: string[];
  faults: Fault[];
}

const header = 'NAME,STEP,COUNT,NS_PER_COUNT,TOKEN_PER_SEC';
const benchLine = /^BenchmarkModel\/name=(\S{1,300})\/step=(\w{1,40})\s+(\d{1,12})\s+(\S.{0,300})$/;
const modelLine = /^# Model: (\S{1,300}) \| Params: (\S{1,40})(?: \| \w{1,20}: [^|]{1,80}){0,8}$/;
/** Steps of a model in every epoch. Other steps repeat them with a different clock. */
const known = new Set(['prefill', 'generate', 'ttft', 'load', 'total']);
const isRate = (step: string) => step === 'prefill' || step === 'generate';

const billions: Record<string, number> = { K: 3, M: 6, B: 9, T: 12 };

function readModel(text: string): { name: string; model: BenchModel } | null {
  const found = modelLine.exec(text.trim());
  if (found === null) return null;
  const field = (name: string) => new RegExp(` \\| ${name}: ([^|]{1,80}?)(?: \\||$)`).exec(text.trim())?.[1] ?? null;
  const number = (name: string) => parseNumber(field(name) ?? '');
  const size = /^([\d.]{1,12})([KMBT])$/.exec(found[2] ?? '');
  const params = size === null ? null : shiftDecimal(Number(size[1]), billions[size[2] ?? ''] ?? 0);
  const [bytes, vram, context] = [number('Size'), number('VRAM'), number('NumCtx')];
  const quantization = field('Quant');
  return {
    name: found[1] ?? '',
    model: {
      quantization: quantization === null || quantization === 'unknown' ? null : quantization,
      extra: {
        ...(params !== null && Number.isFinite(params) ? { params } : {}),
        ...(bytes === null ? {} : { loaded_bytes: bytes }),
        ...(vram === null ? {} : { vram_bytes: vram }),
        ...(context === null ? {} : { num_ctx: context }),
      },
      isOffloaded: bytes !== null && vram !== null && vram < bytes,
    },
  };
}

interface ReadStep {
  name: string;
  step: string;
  /** Null for unreadable values. */
  value: Step | null;
}

const above0 = (value: number | null) => (value !== null && value > 0 ? value : null);
const toMs = (ns: number | null) => (ns === null ? null : shiftDecimal(ns, -6));

/** A line for benchstat: a number of runs, followed by values with their units. */
function readBenchLine(text: string): ReadStep | null {
  const found = benchLine.exec(text.trim());
  if (found === null) return null;
  const [, name = '', step = '', count = '', rest = ''] = found;
  const words = rest.split(/\s+/);
  const values = new Map<string, number | null>();
  for (let at = 0; at + 1 < words.length; at += 2) values.set(words[at + 1] ?? '', parseNumber(words[at] ?? ''));
  const get = (...units: string[]) => units.map((unit) => values.get(unit)).find((value) => value !== undefined);
  const value = isRate(step) ? get('token/sec') : get('ns/op', 'ns/request');
  if (value === undefined || value === null || value < 0 || words.length % 2 > 0) return { name, step, value: null };
  // The first versions wrote tokens in place of the number of runs, which is always 1.
  const tokens = get('processed-prompt-token') ?? (count === '1' ? null : Number(count));
  const read = isRate(step)
    ? { tokens, tokS: above0(value), ms: null }
    : { tokens: null, tokS: null, ms: toMs(above0(value)) };
  return { name, step, value: read };
}

/** A row of the CSV. A rate has its time per token in the time column; other rows have their time. */
function readRow(text: string): ReadStep | null {
  const cells = text.trim().split(',');
  const [name = '', step = '', ...figures] = cells;
  if (cells.length < 5 || name === '' || !/^\w{1,40}$/.test(step)) return null;
  const [count = null, ns = null, rate = null] = figures.map(parseNumber);
  if (count === null || ns === null || rate === null || Math.min(count, ns, rate) < 0)
    return { name, step, value: null };
  const value = isRate(step)
    ? { tokens: above0(count), tokS: above0(rate), ms: null }
    : { tokens: null, tokS: null, ms: toMs(above0(ns)) };
  return { name, step, value };
}

/** All epochs in order of appearance. A repeated step or another model begins the next epoch. */
export const findBenchEpochs = cachedPerArtifact((artifact): BenchEpoch[] => {
  if (!artifact.has('BenchmarkModel/name=') && !artifact.has(header)) return [];
  const epochs: BenchEpoch[] = [];
  const models = new Map<string, BenchModel>();
  let isCsv = false;
  let epoch: BenchEpoch | null = null;
  for (const [index, text] of artifact.lines.entries()) {
    const line = index + 1;
    if (text.length > 1000 || text.trim() === '') continue;
    if (text.startsWith('#')) {
      const found = readModel(text);
      if (found !== null) models.set(found.name, found.model);
      continue;
    }
    if (text.trim().startsWith(header)) {
      [isCsv, epoch] = [true, null];
      continue;
    }
    const read = text.startsWith('BenchmarkModel/') ? readBenchLine(text) : isCsv ? readRow(text) : null;
    if (read === null) {
      [isCsv, epoch] = [false, null];
      continue;
    }
    const { name, step, value } = read;
    if (epoch === null || epoch.name !== name || epoch.steps.has(step)) {
      epoch = {
        from: line,
        to: line,
        name,
        model: models.get(name) ?? null,
        steps: new Map(),
        ignored: [],
        faults: [],
      };
      epochs.push(epoch);
    }
    epoch.to = line;
    if (!known.has(step)) epoch.ignored.push(step);
    else if (value !== null) epoch.steps.set(step, value);
    else {
      const message = `The ${step} step on line ${line} has no figure in the unit it is written in.`;
      addFaults(epoch.faults, [{ code: 'value_unreadable', line, message }]);
    }
  }
  return epochs;
});
