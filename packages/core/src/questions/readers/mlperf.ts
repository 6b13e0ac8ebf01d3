import { scenarios } from '../../catalogue/index.ts';
import type { Words } from '../words/tokens.ts';
import type { Fact, Reading } from './loads.ts';

/** "mlperf", "mlperf server", "mlperf interactive": the workloads of its closed division. */
export function readMlperf(words: Words, at: number): Reading | null {
  const token = words.tokens[at];
  if (token?.text !== 'mlperf' || token.quoted !== null) return null;
  const next = words.tokens[at + 1]?.text;
  const closed = scenarios.map(({ id }) => id).filter((id) => id.startsWith('mlperf-') && !id.endsWith('-open'));
  const facts = (isMeant: (id: string) => boolean): Fact[] => [{ filter: 'scenario', values: closed.filter(isMeant) }];
  if (next === 'interactive') return { facts: facts(isInteractive), length: 2 };
  if (next !== 'server') return { facts: facts(() => true), length: 1 };
  const server = [...facts((id) => !isInteractive(id)), { filter: 'regime', values: ['steady'] }];
  return { facts: server, length: 2 };
}

const isInteractive = (id: string) => id.endsWith('-interactive');
