import { maxFaults } from './errors.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { toCells } from './reading/pipe-table.ts';
import { findServingBlocks } from './reading/serving-block.ts';

/** Output of a program that is known and has no adapter yet. Lines are 1-based. */
export interface UnreadOutput {
  line: number;
  title: string;
}

const owners = { sglang: 'SGLang bench_serving', 'tensorrt-llm': "TensorRT-LLM's benchmark_serving" } as const;

const tables: { title: string; columns: readonly string[] }[] = [
  { title: 'llama-batched-bench', columns: ['PP', 'TG', 'B', 'N_KV', 'S_PP t/s', 'S_TG t/s'] },
  { title: 'llama-sweep-bench', columns: ['PP', 'TG', 'N_KV', 'S_PP t/s', 'S_TG t/s'] },
  { title: 'llama-benchy', columns: ['model', 'test', 'ttfr (ms)'] },
];

/**
 * Output that looks much like what an adapter reads and means something else. An artifact that holds such is refused with
 * the program's name: reading the rest of it would drop a part in silence.
 */
export function findUnread(artifact: ArtifactText): UnreadOutput[] {
  const found: UnreadOutput[] = [];
  for (const { from, owner } of findServingBlocks(artifact)) {
    if (found.length >= maxFaults) break;
    if (owner !== 'vllm') found.push({ line: from, title: owners[owner] });
  }
  for (const [index, text] of artifact.lines.entries()) {
    if (found.length >= maxFaults) break;
    if (!text.includes('t/s') && !text.includes('ttfr')) continue;
    const cells = toCells(text);
    const table =
      cells === null ? undefined : tables.find(({ columns }) => columns.every((column) => cells.includes(column)));
    if (table !== undefined) found.push({ line: index + 1, title: table.title });
  }
  return found;
}
