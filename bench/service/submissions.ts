import { adminKey, type Service } from '../chaos/processes.ts';
import { facts, vllmRecord } from '../scale/artifact.ts';
import { randomOf } from '../scale/chance.ts';
import type { Asked } from './http-connection.ts';

/** Names what this run stores: nothing that an earlier one stored comes again. */
const run = Math.floor(Date.now() / 1000);
const random = randomOf(run, 0);
let parts = 0;

/** Engine versions of what this script stores, in any run. */
export const ownVersions = '^0\\.[0-9]{10}\\.';

/** Different loads of one system. */
const levels = 1000;
/** Versions of the engine among which fresh points are spread, that clients seldom meet at one system. */
const versions = 25;

/** A submission of so many lines, by one engine version. */
function submission(body: string, version: string): Asked {
  const query = new URLSearchParams({ ...facts, engine_version: version });
  return { path: `/v1/submissions?${query}`, headers: { authorization: `Bearer ${adminKey}` }, body };
}

/** Submissions of one result each at a point that nobody measured before; 4,000 at most. */
export function freshPoints(count: number): Asked[] {
  parts += 1;
  return Array.from({ length: Math.min(count, 4 * levels) }, (_, place) =>
    submission(vllmRecord(place, levels, random), `0.${run}.${parts * versions + (place % versions)}`),
  );
}

/** Submissions of one result each, all at the same point. */
export function busyPoint(count: number): Asked[] {
  return Array.from({ length: count }, () => submission(vllmRecord(0, 1, random), `0.${run}.0`));
}

/** Points of a bulk for each model: five results at each. */
const bulkLevels = 500;

/** One submission of so many results, five at each point, all points new. */
export function bulk(lines: number): Asked {
  parts += 1;
  const records = Array.from({ length: lines }, (_, place) => vllmRecord(place, bulkLevels, random));
  return submission(records.join('\n'), `0.${run}.${parts * versions}`);
}

/** Sends one submission and answers its id. */
export async function submit({ url }: Service, { path, headers = {}, body = '' }: Asked): Promise<string> {
  // As curl asks: an answer that is not packed.
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'accept-encoding': 'identity' },
    body,
  });
  const head = Buffer.from(await response.arrayBuffer()).toString('utf8', 0, 500);
  const id = /"id":"(sub_[0-9a-f]+)"/.exec(head)?.[1];
  if (response.status !== 201 || id === undefined) throw new Error(`${response.status} ${head}`);
  return id;
}

/** Stores single results at fresh points, so many a second, until it is stopped. Failures are printed. */
export function keepWriting(service: Service, perSecond: number): { stop(): Promise<void> } {
  const left = freshPoints(4 * levels);
  const sent: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    const next = left.pop();
    if (next !== undefined) sent.push(submit(service, next).catch(console.error));
  }, 1000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(sent);
    },
  };
}
