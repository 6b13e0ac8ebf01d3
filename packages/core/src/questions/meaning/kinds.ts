import type { Fault } from '../../errors.ts';
import { vendorOf } from '../../filters/filters.ts';
import { findMetric } from '../../metrics/index.ts';
import type { QuestionKind } from '../question.ts';
import type { Chunk } from '../readers/chunks.ts';
import { cheapness, efficiency, type Superlative } from '../words/common-words.ts';
import { type Words, written } from '../words/tokens.ts';
import type { Stated } from './combine.ts';
import { faultOf } from './faults.ts';

/** What the words state about the kind of a question. */
export interface KindReading {
  kind: QuestionKind;
  /** Words that request a speed without naming a metric. */
  speed: Chunk | null;
  /** Filters implied by the kind. */
  stated: Stated[];
  places: { start: number; end: number; meaning: string }[];
  faults: Fault[];
}

interface Asked {
  words: Words;
  chunks: readonly Chunk[];
  isCompared: boolean;
  /** True if the question names a metric without an order. */
  isNamed: boolean;
}

const meanings: Readonly<Record<'fast' | 'slow' | 'cheap' | 'efficient' | 'high' | 'low', Superlative>> = {
  ...{ fast: 'fast', slow: 'slow', cheap: cheapness, efficient: efficiency, high: 'high', low: 'low' },
};

const totalThroughput = { name: 'output_tok_s', metric: findMetric('output_tok_s'), length: 1 } as const;

const isHigh = (chunk: Chunk | undefined) =>
  (chunk?.kind === 'superlative' || chunk?.kind === 'comparative') && chunk.value === 'high';

/** Ranks "cheaper" like "cheapest". In a comparison, "faster" uses a metric that both sides have. */
export function toSuperlatives(chunks: readonly Chunk[], isCompared: boolean): Chunk[] {
  const has = (kind: Chunk['kind']) => chunks.some((chunk) => chunk.kind === kind);
  const isMetric = has('metric');
  const namesModel = chunks.some(
    (chunk) => chunk.kind === 'facts' && chunk.facts.some(({ filter }) => filter === 'model'),
  );
  return chunks.flatMap((chunk, at): Chunk[] => {
    const next = chunks[at + 1];
    // "most tokens per second" uses the speed that results have, like "best"; with a limit, the tokens of all users.
    if (chunk.kind === 'cue' && chunk.cue === 'speed' && has('comparison') && isHigh(chunks[at - 1]))
      return [{ kind: 'metric', named: totalThroughput, start: chunk.start, end: chunk.end }];
    if (isHigh(chunk) && next?.kind === 'cue' && next.cue === 'speed' && !isCompared)
      return [{ kind: 'superlative', value: has('comparison') ? 'high' : 'best', start: chunk.start, end: chunk.end }];
    // "minimum gpu for llama 70b" asks what fits.
    if (
      chunk.kind === 'superlative' &&
      chunk.value === 'low' &&
      next?.kind === 'noun' &&
      next.noun === 'gpu' &&
      !isMetric
    )
      return [{ kind: 'cue', cue: 'fit', start: chunk.start, end: chunk.end }];
    // "llama 70b with 128k context memory": the memory of a model, not the measured one of a training run.
    if (
      chunk.kind === 'metric' &&
      chunk.named.name === 'memory_gb' &&
      namesModel &&
      !has('superlative') &&
      !has('comparison')
    )
      return [{ kind: 'cue', cue: 'need', start: chunk.start, end: chunk.end }];
    if (chunk.kind !== 'comparative') return [chunk];
    const isPlain = chunk.value === 'fast' || chunk.value === 'slow' || chunk.value === 'high' || chunk.value === 'low';
    if (isCompared && isPlain && chunks[at + 1]?.kind !== 'metric')
      return [{ kind: 'cue', cue: 'speed', start: chunk.start, end: chunk.end }];
    return [{ kind: 'superlative', value: meanings[chunk.value], start: chunk.start, end: chunk.end }];
  });
}

/** "can a 3090 run it", "how many h100 do i need": words about memory with names between them. */
function asksToRun({ tokens }: Words): boolean {
  const text = tokens.map((token) => token.text).join(' ');
  return (
    /\b(?:can|could|will|would)\b(?: \S+){1,12} (?:run|handle|hold|load)\b/u.test(text) ||
    /\bhow many\b(?: \S+){1,6} (?:need|needed|required|takes?)\b/u.test(text)
  );
}

const strayMemory = (words: Words, chunks: readonly Chunk[]): Fault[] =>
  chunks.map(({ start, end }) => {
    const hint = 'Ask what fits, such as "what fits in 24 GB", or remove it.';
    return faultOf('memory_unused', written(words, start, end), 'is a memory size, but nothing to fit is named.', hint);
  });

const mixed = (words: Words, { start, end }: Chunk): Fault =>
  faultOf(
    'kinds_mixed',
    written(words, start, end),
    'asks for users in addition to a comparison.',
    'Ask one question at a time.',
  );

export function readKind({ words, chunks, isCompared, isNamed }: Asked): KindReading {
  const find = (...cues: string[]) => chunks.find((chunk) => chunk.kind === 'cue' && cues.includes(chunk.cue)) ?? null;
  const has = (...kinds: Chunk['kind'][]) => chunks.some(({ kind }) => kinds.includes(kind));
  const [speed, fit, need] = [find('speed'), find('fit'), find('need')];
  const capacity = find('capacity');
  const kind = ((): QuestionKind => {
    if (isCompared) return 'compare';
    if (capacity !== null) return 'capacity';
    if (speed === null && need === null && fit === null && !isNamed && asksToRun(words)) return 'fit';
    if (fit !== null && has('comparison') && need === null && !has('memory')) return 'rank';
    if (speed === null && (fit !== null || need !== null || has('memory'))) return 'fit';
    if (has('superlative', 'limit', 'noun')) return 'rank';
    return speed !== null || isNamed ? 'lookup' : 'rank';
  })();
  const saysLoad = chunks.some(
    (chunk) => chunk.kind === 'facts' && chunk.facts.some(({ filter }) => filter === 'load_mode'),
  );
  const stated: Stated[] =
    kind === 'capacity' && capacity !== null && !saysLoad
      ? [{ facts: [{ filter: 'load_mode', values: ['concurrency'] }], start: capacity.start, end: capacity.end }]
      : [];
  const cue = kind === 'compare' ? find('compare', 'choose') : kind === 'fit' ? (fit ?? need) : null;
  const isOfGpu = (chunk: Chunk | undefined) =>
    chunk?.kind === 'facts' &&
    chunk.facts.some(
      ({ filter, values }) => filter === 'gpu' && values.every((value) => vendorOf(String(value)) === null),
    );
  // "h100 141gb": no variant has that memory. "24gb on a 3090" asks what fits.
  const isUnfit = (chunk: Chunk, at: number) =>
    chunk.kind === 'memory' &&
    fit === null &&
    need === null &&
    isOfGpu(chunks[at - 1]) &&
    chunks[at - 1]?.end === chunk.start;
  const stray = chunks.filter((chunk, at) => chunk.kind === 'memory' && (kind !== 'fit' || isUnfit(chunk, at)));
  return {
    ...{ kind, stated, speed: kind === 'fit' || kind === 'capacity' ? null : speed },
    places: cue === null ? [] : [{ start: cue.start, end: cue.end, meaning: `kind=${kind}` }],
    faults: [...strayMemory(words, stray), ...(isCompared && capacity !== null ? [mixed(words, capacity)] : [])],
  };
}
