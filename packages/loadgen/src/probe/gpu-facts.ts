import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GpuChoice } from './gpu-probe.ts';

/** The GPUs that are watched. */
export interface GpuFacts {
  /** As the vendor's tool names it; those of different GPUs are joined. */
  name: string;
  count: number;
  driver: string | null;
}

const run = promisify(execFile);
const timeout_ms = 10_000;

const factsOf = (names: readonly string[], driver: string | null): GpuFacts | null =>
  names.length === 0 ? null : { name: [...new Set(names)].join(' + '), count: names.length, driver };

/** Reads `nvidia-smi --query-gpu=name,driver_version`: a line for each GPU. */
export function readNvidiaFacts(text: string): GpuFacts | null {
  const rows = text
    .split('\n')
    .map((line) => line.split(',').map((cell) => cell.trim()))
    .filter(([name]) => name !== undefined && name !== '');
  return factsOf(
    rows.map(([name = '']) => name),
    rows[0]?.[1] ?? null,
  );
}

type RocmPart = Record<string, string>;

const find = (part: RocmPart | undefined, pattern: RegExp) =>
  Object.entries(part ?? {}).find(([name]) => pattern.test(name))?.[1];

/** Reads the JSON of `rocm-smi --showproductname --showdriverversion`: an object for each card, and one for the system. */
export function readRocmFacts(text: string): GpuFacts | null {
  // Warnings may precede it.
  const parts = JSON.parse(text.slice(text.indexOf('{'))) as Record<string, RocmPart>;
  const cards = Object.entries(parts).filter(([name]) => /^card\d+$/.test(name));
  const names = cards.flatMap(([, card]) => find(card, /^card series$/i) ?? find(card, /^card model$/i) ?? []);
  return factsOf(names, find(parts.system, /^driver version$/i) ?? null);
}

/** Asks the tool of the vendor for name, number and driver of the GPUs; null where there is none or it does not say. */
export async function readGpuFacts(gpus: GpuChoice): Promise<GpuFacts | null> {
  const nvidia = ['--query-gpu=name,driver_version', '--format=csv,noheader'];
  const rocm = ['--showproductname', '--showdriverversion', '--json'];
  const tools = [
    () => ask('nvidia-smi', [...nvidia, ...(gpus === null ? [] : ['-i', gpus.join(',')])]).then(readNvidiaFacts),
    () => ask('rocm-smi', [...(gpus === null ? [] : ['-d', ...gpus.map(String)]), ...rocm]).then(readRocmFacts),
  ];
  for (const tool of tools) {
    const facts = await tool().catch(() => null);
    if (facts !== null) return facts;
  }
  return null;
}

const ask = async (command: string, args: readonly string[]) =>
  (await run(command, [...args], { timeout: timeout_ms })).stdout;
