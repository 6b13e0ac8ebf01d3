import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Sample } from '../report/observed.ts';
import { type GpuReading, NvidiaReader, readRocm, toSample } from './gpu-readings.ts';
import type { Watch } from './poll-metrics.ts';
import { ProbeError } from './probe-error.ts';

/** 10 Hz. */
const intervalMs = 100;
const run = promisify(execFile);

/** GPUs by their number; null for all of them. */
export type GpuChoice = readonly number[] | null;

const nvidiaFields = 'timestamp,index,power.draw,clocks.sm,clocks.mem,utilization.gpu,memory.used';

function watchNvidia(gpus: GpuChoice, onSample: (sample: Sample) => void): Watch {
  const chosen = gpus === null ? [] : ['-i', gpus.join(',')];
  const args = [`--query-gpu=${nvidiaFields}`, '--format=csv,noheader,nounits', '-lms', String(intervalMs), ...chosen];
  const child: ChildProcess = spawn('nvidia-smi', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const reader = new NvidiaReader();
  let isStopped = false;
  let trouble: string | null = null;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => {
      if (!isStopped) trouble = 'nvidia-smi ended before the measurement';
      resolve();
    });
  });
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const readings = reader.read(line);
      if (readings !== null) onSample(toSample(readings));
    });
  return {
    stop: async () => {
      isStopped = true;
      child.kill();
      await ended;
    },
    trouble: () => trouble,
  };
}

/** rocm-smi has no loop mode: it is started repeatedly, as often as possible. */
function watchRocm(gpus: GpuChoice, onSample: (sample: Sample) => void): Watch {
  const ending = new AbortController();
  const { signal } = ending;
  const chosen = gpus === null ? [] : ['-d', ...gpus.map(String)];
  const args = [...chosen, '--showpower', '--showclocks', '--showuse', '--json'];
  let failed = 0;
  const polling = (async () => {
    while (!signal.aborted) {
      const began = Date.now();
      try {
        const { stdout } = await run('rocm-smi', args, { signal });
        const readings = readRocm(stdout, (began + Date.now()) / 2);
        if (readings.length > 0) onSample(toSample(readings));
      } catch {
        if (!signal.aborted) failed++;
      }
      await sleep(Math.max(0, began + intervalMs - Date.now()), undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await polling;
    },
    trouble: () => (failed === 0 ? null : `rocm-smi failed ${failed} times`),
  };
}

async function isThere(command: string): Promise<boolean> {
  try {
    await run(command, ['--version'], { timeout: 10_000 });
    return true;
  } catch (error) {
    // Older versions reject the option, but are installed.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/**
 * Watches the GPUs of this machine through the tool of their vendor.
 *
 * @throws ProbeError where there is none, or it shows no power
 */
export async function probeGpus(gpus: GpuChoice, onSample: (sample: Sample) => void): Promise<Watch> {
  const watch = (await isThere('nvidia-smi')) ? watchNvidia : (await isThere('rocm-smi')) ? watchRocm : null;
  if (watch === null) throw new ProbeError('--probe needs nvidia-smi or rocm-smi on this machine.');
  const first = Promise.withResolvers<Sample>();
  const started = watch(gpus, (sample) => {
    first.resolve(sample);
    onSample(sample);
  });
  const sample = await Promise.race([first.promise, sleep(10_000, null, { ref: false })]);
  if (sample?.values.power_w !== undefined) return started;
  await started.stop();
  throw new ProbeError(
    `--probe: ${sample === null ? (started.trouble() ?? 'the GPU tool printed nothing') : 'the GPUs report no power'}.`,
  );
}

export type { GpuReading };
