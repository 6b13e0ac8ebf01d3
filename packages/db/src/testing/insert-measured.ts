import { createHash, randomUUID } from 'node:crypto';
import type { LoadMode } from '@inferboard/core/subjects/load';
import { asImported, type CheckedResult } from '@inferboard/core/subjects/result';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import type { Database } from '../connection/client.ts';
import { insertSubmission } from '../submissions/submission-insert.ts';

/** The results of one point. The engine version distinguishes its system. */
export interface Measured {
  system: string;
  mode?: LoadMode;
  level?: number;
  metrics: Record<string, number>[];
  definitions?: Record<string, string>;
  status?: CheckedResult['status'];
  repeats?: CheckedResult['repeats'];
  gpu?: string;
  isImported?: boolean;
}

/** Stores points as one submission by a tool. Each number in `metrics` is stored unchanged. */
export async function insertMeasured(
  database: Database,
  accountId: string,
  measured: readonly Measured[],
  tool = 'native',
): Promise<void> {
  const results = measured.flatMap(
    ({
      system,
      mode = 'concurrency',
      level = 8,
      metrics,
      definitions,
      status,
      repeats,
      gpu = 'h100-sxm',
      isImported = false,
    }) => {
      const report = {
        schema: 'inferboard/v1',
        system: {
          model: 'llama-3.1-8b',
          quantization: 'fp8',
          gpu,
          gpu_count: 1,
          engine: { name: 'vllm', version: system },
        },
        scenario: 'chatbot',
        results: metrics.map((values) => ({ load: { mode, level }, metrics: values, definitions })),
      };
      const { results: read } = readSubmission(new TextEncoder().encode(JSON.stringify(report)), {});
      return read.map((result) => ({
        ...(isImported ? asImported(result) : result),
        status: status ?? result.status,
        repeats: repeats ?? result.repeats,
        tool: { name: tool, version: null },
      }));
    },
  );
  const bytes = new TextEncoder().encode(randomUUID());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await insertSubmission(database.db, {
    accountId,
    artifact: { sha256, size: bytes.length, stored: { bytes, packing: null }, mediaType: 'text/plain' },
    fingerprint: sha256,
    tool: { name: 'native', version: null },
    parameters: {},
    ignored: [],
    notes: null,
    sourceUrl: null,
    status: 'accepted',
    results,
  });
}
