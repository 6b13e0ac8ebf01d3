import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { type AppendFile, openAppendFile } from '../records/append-file.ts';
import { RecordsError } from '../records/records-error.ts';
import type { Sample } from '../report/observed.ts';
import { type Energy, integratePower } from './energy.ts';
import { type GpuChoice, probeGpus } from './gpu-probe.ts';
import { type Authorized, metricsAt, pollMetrics, type Watch } from './poll-metrics.ts';

/** What is observed during a measurement. */
export interface Watched {
  metricsUrl: string | null;
  metricsHz: number;
  /** Undefined where no GPU is. */
  gpus: GpuChoice | undefined;
}

/** Watches the server and the GPUs while points are measured. */
export interface Observer {
  readonly samples: readonly Sample[];
  /** The energy of a point that is just over; null where no power was read over all of it. */
  energyOf(found: MeasuredPoint): Promise<Energy | null>;
  /** Ends it, and returns what went wrong. */
  stop(): Promise<string[]>;
}

/** A reading of the power at the end of a point comes this much later at most. */
const settleMs = 1000;
const lookMs = 50;

/** The samples of an earlier start; a torn last line is left out. */
function readSamples(file: string): Sample[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as Sample];
      } catch {
        return [];
      }
    });
}

/** Adds samples to a file. A full disk ends that, not the measurement. */
function createSampleFile(file: string) {
  let handle: AppendFile | null = null;
  let trouble: string | null = null;
  return {
    add: (sample: Sample) => {
      if (trouble !== null) return;
      try {
        handle ??= openAppendFile(file);
        handle.append(`${JSON.stringify(sample)}\n`);
      } catch (error) {
        if (!(error instanceof RecordsError)) throw error;
        trouble = error.message;
      }
    },
    close: () => {
      handle?.close();
      return trouble;
    },
  };
}

/**
 * Begins to watch. Every sample goes to `file` at once.
 *
 * @throws ProbeError if something that was requested cannot be observed
 */
export async function startObserver(
  { metricsUrl, metricsHz, gpus }: Watched,
  file: string,
  server: Authorized,
): Promise<Observer> {
  const samples = readSamples(file);
  const kept = createSampleFile(file);
  const add = (sample: Sample) => {
    samples.push(sample);
    kept.add(sample);
  };
  const watches: Watch[] = [];
  const stop = async () => {
    await Promise.all(watches.map((watch) => watch.stop()));
    return [...watches.map((watch) => watch.trouble()), kept.close()].filter((text) => text !== null);
  };
  try {
    if (metricsUrl !== null) watches.push(await pollMetrics(metricsAt(metricsUrl, server), metricsHz, add));
    if (gpus !== undefined) watches.push(await probeGpus(gpus, add));
  } catch (error) {
    await stop();
    throw error;
  }
  const lastPowerAt = () => samples.findLast(({ values }) => values.power_w !== undefined)?.unixMs ?? 0;
  return {
    samples,
    stop,
    energyOf: async ({ record, summary }) => {
      if (gpus === undefined || summary.throughput === null) return null;
      const sent = record.requests.flatMap(({ started_ms }) => (Number.isNaN(started_ms) ? [] : [started_ms]));
      const from =
        record.started_at_unix_ms + sent.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
      const to = from + summary.throughput.window_ms;
      for (let waited = 0; waited < settleMs && lastPowerAt() < to; waited += lookMs) await sleep(lookMs);
      return integratePower(samples, from, to);
    },
  };
}
