import { setTimeout as sleep } from 'node:timers/promises';
import { messageIn } from '../measure/records/outcome.ts';
import { redact, secretsOf } from '../measure/records/redact.ts';
import { quoteServer } from '../points/failure-words.ts';
import type { Sample } from '../report/observed.ts';
import { readEngineMetrics } from './engine-metrics.ts';
import { ProbeError } from './probe-error.ts';

const timeout_ms = 2000;

/** Something that is observed during a measurement. */
export interface Watch {
  /** Ends it. */
  stop(): Promise<void>;
  /** What went wrong, in words; null where nothing did. */
  trouble(): string | null;
}

/** Where metrics come from. */
export interface MetricsSource {
  /** Its plural noun in messages. */
  name: string;
  /** Its answer to one request. */
  read(signal: AbortSignal): Promise<{ status: number; text: string }>;
}

/** The measured server, and the headers of every request to it. */
export interface Authorized {
  origin: string;
  headers: Readonly<Record<string, string>>;
}

/** The metrics at an address that the person at the keyboard gave. The server's headers are sent to its origin only. */
export const metricsAt = (url: string, server: Authorized): MetricsSource => ({
  name: `the metrics at ${url}`,
  read: async (signal) => {
    const headers = new URL(url).origin === server.origin ? server.headers : {};
    const response = await fetch(url, { headers, signal: AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)]) });
    const text = redact(await response.text(), secretsOf(headers));
    if (!response.ok) throw new Error(`it returned ${response.status}: "${quoteServer(messageIn(text).message)}"`);
    return { status: response.status, text };
  },
});

async function readOnce(source: MetricsSource, signal: AbortSignal): Promise<Sample> {
  // The state is of some moment in between.
  const asked = Date.now();
  const { status, text } = await source.read(signal);
  if (status < 200 || status > 299) throw new Error(`it returned ${status}`);
  return { unixMs: (asked + Date.now()) / 2, values: readEngineMetrics(text) };
}

/**
 * Reads a server's Prometheus metrics `hz` times a second until it is stopped.
 *
 * @throws ProbeError where the first reading fails, or has none of the metrics that are known
 */
export async function pollMetrics(
  source: MetricsSource,
  hz: number,
  onSample: (sample: Sample) => void,
): Promise<Watch> {
  const ending = new AbortController();
  const { signal } = ending;
  const first = await readOnce(source, signal).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ProbeError(`${source.name} cannot be read: ${cause instanceof Error ? cause.message : cause}.`);
  });
  if (Object.keys(first.values).length === 0)
    throw new ProbeError(
      `${source.name} have none of vLLM, SGLang or llama.cpp. llama-server has them with --metrics, SGLang with --enable-metrics.`,
    );
  onSample(first);
  let [readings, failed] = [1, 0];
  const polling = (async () => {
    let due = performance.now();
    while (!signal.aborted) {
      // A reading that is late moves none of the others.
      due = Math.max(due + 1000 / hz, performance.now());
      await sleep(due - performance.now(), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        onSample(await readOnce(source, signal));
        readings++;
      } catch {
        if (signal.aborted) return;
        readings++;
        failed++;
      }
    }
  })();
  return {
    stop: async () => {
      ending.abort();
      await polling;
    },
    trouble: () => (failed === 0 ? null : `${failed} of ${readings} readings of ${source.name} failed`),
  };
}
