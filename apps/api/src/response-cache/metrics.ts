import { Counter, Gauge, type Registry } from 'prom-client';
import type { ResponseCache } from './response-cache.ts';

/** Metrics of the response cache. */
export function addResponseCacheMetrics(registry: Registry, cache: ResponseCache): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (state: ResponseCache['state']) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(cache.state));
      },
    });
  const counter = (name: string, help: string, read: (state: ResponseCache['state']) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(cache.state));
      },
    });
  gauge('inferboard_answer_cache_bytes', 'Memory used by cached responses.', ({ bytes }) => bytes);
  gauge('inferboard_answer_cache_answers', 'Cached responses.', ({ entries }) => entries);
  counter('inferboard_answer_cache_hits_total', 'Cache hits.', ({ hits }) => hits);
  counter('inferboard_answer_cache_misses_total', 'Cache misses.', ({ misses }) => misses);
  counter(
    'inferboard_answer_cache_shared_total',
    'Requests that waited for a response that another request was building.',
    ({ shared }) => shared,
  );
  counter(
    'inferboard_data_version_reads_total',
    'Statements that checked the database for data changes. Requests share them.',
    ({ versionReads }) => versionReads,
  );
}
