import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Endpoint } from '../../packages/loadgen/src/prompts/body.ts';
import type { MeasuredRequest } from './compare.ts';
import type { Load } from './loads.ts';
import { requestsOf } from './report.ts';

const command = fileURLToPath(new URL('../../packages/loadgen/src/cli/main.ts', import.meta.url));
let reports = 0;

/** Measures a load with the measure command in a separate process. */
export async function measureThroughCommand(
  folder: string,
  url: string,
  endpoint: Endpoint,
  { mode, level, requests, tokens }: Load,
): Promise<MeasuredRequest[]> {
  const out = join(folder, `command-${reports++}.jsonl`);
  const server = ['--url', url, '--endpoint', endpoint, '--model', 'tiny'];
  const workload = ['--input-tokens', '64', '--output-tokens', `uniform:${tokens}:${tokens + 15}`];
  const load = [`--${mode}`, String(level), '--requests', String(requests), '--warmup', '0'];
  await promisify(execFile)(process.execPath, [command, ...server, ...workload, ...load, '--out', out], {
    cwd: folder,
  });
  return requestsOf(await readFile(out, 'utf8'));
}
