import fc, { type Arbitrary } from 'fast-check';
import { bodyBreaks } from './break-body.ts';
import { queryBreaks } from './break-query.ts';
import { restBreaks } from './break-rest.ts';
import type { Break, Broken } from './breaks.ts';
import type { Operation } from './document.ts';
import { type Call, Connection, type Seen, toCurl } from './http.ts';
import { judge, judgeBroken, judgeValid } from './judge.ts';
import type { Report } from './report.ts';
import { Schemas } from './schemas.ts';
import type { FuzzedService } from './service.ts';
import { validCalls } from './valid.ts';

interface Trial {
  operation: Operation;
  call: Call;
  broken: Broken | null;
}

const allBreaks: readonly Break[] = [...queryBreaks, ...bodyBreaks, ...restBreaks];
const brokenPercent = 40;

/** Requests for one operation: valid ones, and at intervals an invalid one that applies to the operation. */
function trialsOf(service: FuzzedService, operation: Operation): Arbitrary<Trial> {
  const calls = validCalls(service, operation);
  const breaks = allBreaks.map((one) => one({ service, operation })).filter((one) => one !== null);
  const broken = fc
    .tuple(calls, fc.constantFrom(...breaks))
    .chain(([call, one]) => one(call))
    .map((made): Trial => ({ operation, call: made.call, broken: made }));
  return fc.oneof(
    { weight: 100 - brokenPercent, arbitrary: calls.map((call): Trial => ({ operation, call, broken: null })) },
    { weight: brokenPercent, arbitrary: broken },
  );
}

/** The operation of a request; only the document's methods have one. */
function judged({ operation, call, broken }: Trial, service: FuzzedService): Operation | null {
  if (broken?.isUnrouted) return null;
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  if (method === operation.method) return operation;
  return service.operations.find((one) => one.path === operation.path && one.method === method) ?? null;
}

/** The complaint without its variable parts, to group the same errors. */
const kindOf = (complaint: string) => complaint.replace(/"[^"]{0,80}"|\d+/g, '~').slice(0, 160);

/**
 * Sends the given number of requests, `width` at a time, and checks every response.
 *
 * @param seed the same seed yields the same requests for the same service
 */
export async function fuzz(service: FuzzedService, requests: number, seed: number, width = 12): Promise<Report> {
  const connection = new Connection(service.url);
  const schemas = new Schemas(service.document);
  const trials = fc.oneof(...service.operations.map((operation) => trialsOf(service, operation)));
  const report: Report = {
    requests: 0,
    broken: 0,
    answered: 0,
    statuses: new Map(),
    slowestMs: 0,
    slowest: '',
    complaints: new Map(),
  };

  const complain = (trial: Trial, complaint: string, answer: string) => {
    const kind = `${trial.operation.operationId}: ${kindOf(complaint)}`;
    const known = report.complaints.get(kind);
    if (known !== undefined) known.times += 1;
    else
      report.complaints.set(kind, {
        times: 1,
        how: `${trial.broken?.how ?? 'valid'}: ${complaint}`,
        curl: toCurl(trial.call, service.url),
        answer,
      });
  };
  const tryOne = async (trial: Trial) => {
    const { call, broken, operation } = trial;
    report.requests += 1;
    if (broken !== null) report.broken += 1;
    let seen: Seen;
    try {
      seen = await connection.send(call);
    } catch (error) {
      complain(trial, `no answer: ${String(error)}`, '');
      return;
    }
    const asked = judged(trial, service);
    const { operationId } = operation;
    const statuses = report.statuses.get(operationId) ?? new Map<number, number>();
    report.statuses.set(operationId, statuses.set(seen.status, (statuses.get(seen.status) ?? 0) + 1));
    if (broken === null && seen.status < 400) report.answered += 1;
    if (seen.ms > report.slowestMs)
      Object.assign(report, { slowestMs: seen.ms, slowest: toCurl(call, service.url).slice(0, 500) });
    const complaints = [
      ...judge(schemas, asked, call, seen),
      ...(broken === null ? judgeValid(call, seen) : judgeBroken(broken, seen)),
    ];
    for (const complaint of complaints) complain(trial, complaint, seen.body.toString('utf8').slice(0, 600));
  };

  const batch = 250;
  for (let done = 0; done < requests; done += batch) {
    const queue = fc.sample(trials, { numRuns: Math.min(batch, requests - done), seed: seed + done }).values();
    const work = async () => {
      for (const trial of queue) await tryOne(trial);
    };
    await Promise.all(Array.from({ length: width }, work));
  }
  connection.close();
  return report;
}
