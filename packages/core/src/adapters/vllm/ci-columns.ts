import { latencyName, type ValueName } from '../reading/figures/latency-name.ts';

/** The meaning of a table column. The label of a latency states its unit, `s` or `ms`. */
export type Column =
  | { kind: 'value'; value: ValueName; isSeconds: boolean }
  | { kind: 'fact'; name: 'test' | 'gpu' | 'engine' | 'qps' }
  | { kind: 'unknown' };

const values: Record<string, ValueName> = {
  '# of req.': { kind: 'metric', name: 'requests_ok' },
  'Tput (req/s)': { kind: 'metric', name: 'req_s' },
  'Input Tput (tok/s)': { kind: 'metric', name: 'input_tok_s' },
  'Output Tput (tok/s)': { kind: 'metric', name: 'output_tok_s' },
  'Total Tput (tok/s)': { kind: 'metric', name: 'total_tok_s' },
  // Column of the offline table: prompts and responses together.
  'Tput (tok/s)': { kind: 'metric', name: 'total_tok_s' },
  'Total # of tokens': { kind: 'extra', name: 'total_tokens' },
  'Total num of tokens': { kind: 'extra', name: 'total_tokens' },
  'Elapsed time (s)': { kind: 'metric', name: 'duration_s' },
};

const facts: Record<string, 'test' | 'gpu' | 'engine' | 'qps'> = {
  'Test name': 'test',
  GPU: 'gpu',
  Engine: 'engine',
  Qps: 'qps',
};

const families: Record<string, string> = { TTFT: 'ttft_ms', TPOT: 'tpot_ms', ITL: 'itl_ms', latency: 'e2e_ms' };
const latency = /^(Mean|Average|Median|P\d{1,2})(?: (TTFT|TPOT|ITL|latency))?(?: \((ms|s)\))?$/;
const words: Record<string, string> = { Average: 'mean' };

/**
 * The meaning of all columns. Older tables omit the unit and the name after a mean ("Mean TTFT (ms) | Median | P99").
 * A column may therefore continue the previous one.
 */
export function toColumns(names: readonly string[]): Column[] {
  let family: string | null = null;
  let unit = 'ms';
  return names.map((name): Column => {
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
    if (fact !== undefined) return { kind: 'fact', name: fact };
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return { kind: 'value', value, isSeconds: false };
    const found = latency.exec(name);
    if (found === null) return { kind: 'unknown' };
    const [, word = '', familyName, statedUnit] = found;
    family = (familyName === undefined ? family : families[familyName]) ?? null;
    unit = statedUnit ?? unit;
    if (family === null) return { kind: 'unknown' };
    return { kind: 'value', value: latencyName(family, words[word] ?? word.toLowerCase()), isSeconds: unit === 's' };
  });
}

/** Whether columns belong to one of the tables: each has a test, its machine, and a rate or latencies. */
export function isCiTable(names: readonly string[]): boolean {
  if (!names.includes('Test name') || !names.includes('GPU')) return false;
  return names.includes('Tput (req/s)') || names.some((name) => /^(?:Mean|Average) latency \((?:ms|s)\)$/.test(name));
}

/** Whether requests were served individually: the offline tables have neither first tokens nor gaps. */
export function isServing(names: readonly string[]): boolean {
  return names.some((name) => /\b(?:TTFT|TPOT|ITL)\b/.test(name));
}
