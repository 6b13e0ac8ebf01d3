// Checking and deriving results on one core, compared with the minimum for any service: serialising and parsing their JSON.
import { judge } from '../packages/core/src/checks/index.ts';
import { deriveMetrics } from '../packages/core/src/derive/index.ts';
import { withRecords } from '../packages/core/src/records/attach.ts';
import type { Result } from '../packages/core/src/subjects/result.ts';
import { subjectsOf } from '../packages/core/src/subjects/subject.ts';
import { simulateRun } from '../packages/core/src/testing/simulate.ts';
import { compare, describeMachine, report } from './support.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 20);
const workload = { inputTokens: 1024, outputTokens: 48, varied: true };

const summaries: Result[] = Array.from(
  { length: 10_000 },
  (_, seed) => simulateRun(seed + 1, { complete: true }).result,
);
const recorded = Array.from({ length: 20 }, (_, seed) =>
  simulateRun(seed + 1, { workload, mode: 'concurrency', level: 32, rounds: 32, complete: true }),
);
const requests = recorded.reduce((sum, run) => sum + run.requests.length, 0);

let findings = 0;
function checkAndDerive(results: readonly Result[]): void {
  for (const subject of subjectsOf(results)) {
    findings += judge(subject).findings.length;
    deriveMetrics(subject);
  }
}

const copy = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

/** Rounds are synchronous; only the comparison needs promises. */
const later = (work: () => unknown) => async () => work();

function perSecond(results: number, ms: number): string {
  return `${Math.round((results / ms) * 1000)} results/s on one core`;
}

describeMachine();
const plain = await compare(
  rounds,
  later(() => checkAndDerive(summaries)),
  later(() => copy(summaries)),
);
report(`${summaries.length} results of one submission checked and derived`, plain, 'JSON and back');
console.log(perSecond(summaries.length, plain.subject.p50));

const withRequests = await compare(
  rounds,
  later(() => checkAndDerive(recorded.map(({ result, requests }) => withRecords(result, requests)))),
  later(() => copy(recorded)),
);
report(
  `${recorded.length} results recomputed from ${requests} records, checked and derived`,
  withRequests,
  'JSON and back',
);
console.log(`${perSecond(recorded.length, withRequests.subject.p50)} with ${requests / recorded.length} records each`);
if (findings === 0) throw new Error('the checks said nothing: nothing was measured');
