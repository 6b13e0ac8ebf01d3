import { adminKey, type Service } from '../chaos/processes.ts';
import { facts, vllmRecord } from '../scale/artifact.ts';
import { randomOf } from '../scale/chance.ts';
import type { Asked } from './http-connection.ts';

/** Number in the names of this run's data, different from those of earlier runs. */
const run = Math.floor(Date.now() / 1000);
const random = randomOf(run, 0);
let parts = 0;

/** Engine versions of this script's results, in any run. */
export const ownVersions = '^0\\.[0-9]{10}\\.';

/** Number of different loads of one system. */
const levels = 1000;
/** Number of engine versions that new points are spread over, so that clients rarely use the same system. */
const versions = 25;

/** A submission with this many lines, of one engine version. */
function submission(body: string, version: string): Asked {
  const query = new URLSearchParams({ ...facts, engine_version: version });
  return { path: `/v1/submissions?${query}`, headers: { authorization: `Bearer ${adminKey}` }, body };
}

/** Submissions of one result each at a new point; at most 4,000. */
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

/** Number of points of a bulk submission for each model: five results at each. */
const bulkLevels = 500;

/** One submission of this many results, five at each point, all points new. */
export function bulk(lines: number): Asked {
  parts += 1;
  const records = Array.from({ length: lines }, (_, place) => vllmRecord(place, bulkLevels, random));
  return submission(records.join('\n'), `0.${run}.${parts * versions}`);
}

/** Sends one submission and returns its id. */
export async function submit({ url }: Service, { path, headers = {}, body = '' }: Asked): Promise<string> {
  // Like curl, it requests an uncompressed response.
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

/** Stores single results at new points at a given rate per second, until it is stopped. Prints failures. */
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
