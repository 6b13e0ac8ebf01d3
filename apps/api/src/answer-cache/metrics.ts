import { Counter, Gauge, type Registry } from 'prom-client';
import type { AnswerCache } from './answer-cache.ts';

/** The cache of finished answers. */
export function addAnswerCache(registry: Registry, answers: AnswerCache): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (state: AnswerCache['state']) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(answers.state));
      },
    });
  const counter = (name: string, help: string, read: (state: AnswerCache['state']) => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read(answers.state));
      },
    });
  gauge('inferboard_answer_cache_bytes', 'Memory that finished answers take.', ({ bytes }) => bytes);
  gauge('inferboard_answer_cache_answers', 'Finished answers that are kept.', ({ answers }) => answers);
  counter('inferboard_answer_cache_hits_total', 'Answers that were there already.', ({ hits }) => hits);
  counter('inferboard_answer_cache_misses_total', 'Answers that had to be made.', ({ misses }) => misses);
  counter(
    'inferboard_answer_cache_shared_total',
    'Requests that waited for an answer which another was having made.',
    ({ shared }) => shared,
  );
  counter(
    'inferboard_data_version_reads_total',
    'Statements that asked the database whether data had changed; requests share them.',
    ({ versionReads }) => versionReads,
  );
}
