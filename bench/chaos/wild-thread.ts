import { parentPort, workerData } from 'node:worker_threads';
import { createClient, isAnswered, type Outcome, wordOf } from './client.ts';
import { recordOf, submissionOf } from './records.ts';
import { startTraffic } from './traffic.ts';
import type { Flooded, ToWild, Wild } from './wild.ts';

// A thread for the flood; it reports the outcomes in words when it is stopped.

const { url, key, boards_s, submissions_s } = workerData as Wild;
const port = parentPort;
if (port === null) throw new Error('this is the entry of a thread');
const client = createClient(url, { timeout_ms: 60_000 });
const board = { path: '/v1/leaderboard', headers: { authorization: `Bearer ${key}` } };
let number = 0;
const nextSubmission = () => {
  number += 1;
  return submissionOf(key, `wild-${number}`, recordOf(number));
};

function startFlood() {
  const outcomes: Outcome[] = [];
  const record = ({ outcome }: { outcome: Outcome }) => outcomes.push(outcome);
  const floods = [
    startTraffic(boards_s, () => ({ client, asked: board }), record),
    startTraffic(submissions_s, () => ({ client, asked: nextSubmission() }), record),
  ];
  return async (): Promise<Flooded> => {
    await Promise.all(floods.map((flood) => flood.stop()));
    const refused = outcomes.filter(isAnswered).filter(({ status }) => status === 429);
    const unexplained = refused.filter(
      ({ headers }) => !headers.ratelimit || !headers['ratelimit-policy'] || !(Number(headers['retry-after']) > 0),
    );
    return { words: outcomes.map(wordOf), unexplained: unexplained.length };
  };
}

let stop: (() => Promise<Flooded>) | null = null;
port.on('message', async (message: ToWild) => {
  if (message === 'start') stop = startFlood();
  else if (message === 'stop') port.postMessage(await stop?.());
  else {
    client.close();
    port.close();
  }
});
