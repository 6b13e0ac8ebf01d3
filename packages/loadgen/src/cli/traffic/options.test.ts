import { expect, test } from 'vitest';
import { readOptions } from '../options.ts';
import { OptionsError } from '../options-error.ts';

const url = ['--url', 'http://127.0.0.1:9'];
const trafficOf = (...args: string[]) => readOptions([...url, ...args]).traffic;

function faultsOf(...args: string[]): string {
  try {
    readOptions([...url, ...args]);
  } catch (error) {
    if (error instanceof OptionsError) return error.message;
    throw error;
  }
  return '';
}

test('reads headers and body fields', () => {
  const { headers, extraBody } = trafficOf(
    ...['--header', 'X-Team: search: eu', '--header', 'X-Key:k3y', '--extra-body', '{"top_k": 1}'],
  );
  expect(headers).toEqual({ 'x-team': 'search: eu', 'x-key': 'k3y' });
  expect(extraBody).toEqual({ top_k: 1 });
});

test.each([
  [['--header', 's3cret'], /^--header must be 'NAME: VALUE'$/],
  [['--header', 'content-length: 5'], /content-length is set by the load generator/],
  [['--header', 'x-a: 1', '--header', 'X-A: 2'], /x-a is given twice/],
  [['--header', 'x-a: \u0000'], /x-a has a value that cannot be sent/],
  [['--header', 'authorization: x', '--api-key-env', 'KEY'], /Omit one of them/],
  [['--extra-body', '[1]'], /must be a JSON object/],
  [['--extra-body', '{'], /must be a JSON object/],
  [['--extra-body', '{"stream": false}'], /must not set stream: the load generator sets it/],
  [['--extra-body', '{"max_tokens": 4}'], /must not set max_tokens: use --output-tokens/],
])('rejects %j', (args, words) => {
  expect(faultsOf(...args)).toMatch(words);
});

test('reports all errors at once', () => {
  const faults = faultsOf('--header', 'x', '--extra-body', '{"model": "m", "stream": true}', '--gpu-count', 'two');
  expect(faults.split('\n')).toHaveLength(4);
});

test('reads a mix, prefixes, models, conversations and a ramp', () => {
  expect(trafficOf('--mix', 'chatbot=70,1024x64=25,team.jsonl').mix).toEqual([
    { name: 'chatbot', weight: 70, inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    { name: '1024x64', weight: 25, inputTokens: 1024, outputTokens: 64 },
    { name: 'team.jsonl', weight: 1, path: 'team.jsonl' },
  ]);
  expect(trafficOf('--prefix', '8x1024')).toMatchObject({ prefix: { groups: 8, tokens: 1024 } });
  expect(trafficOf('--models', 'a, b').models).toEqual(['a', 'b']);
  expect(trafficOf('--turns', '3', '--think-s', 'uniform:1:5').conversation).toMatchObject({ turns: 3 });
  expect(trafficOf('--ramp', '1:20:60s', '--burstiness', '0.5').ramp).toEqual({
    ...{ fromReqS: 1, toReqS: 20, durationS: 60, curve: 'linear', burstiness: 0.5 },
  });
  const { plan } = readOptions([...url, '--rate', '5,10', '--burstiness', '0.5', '--max-concurrency', '8']);
  expect((plan.plan as { load: object }[]).map(({ load }) => load)).toEqual([
    { mode: 'rate', level: 5, burstiness: 0.5, maxConcurrency: 8 },
    { mode: 'rate', level: 10, burstiness: 0.5, maxConcurrency: 8 },
  ]);
});

test.each([
  [['--mix', 'chatbot=0'], /the weight of chatbot must be a number above 0/],
  [['--mix', 'nonsense'], /"nonsense" is not a workload with lengths/],
  [['--mix', 'sharegpt=2'], /"sharegpt" is not a workload with lengths/],
  [['--mix', 'chatbot', '--prompts', 'a.json'], /--prompts defines what is sent. Omit --mix/],
  [['--mix', 'chatbot', '--turns', '2'], /--mix defines what is sent. Omit --turns/],
  [['--prefix', '8'], /--prefix must be GROUPSxTOKENS/],
  [['--prefix', '0x5'], /--prefix must be GROUPSxTOKENS/],
  [['--models', 'a,a'], /--models must be different names/],
  [['--models', 'a,b', '--model', 'c'], /Omit --model/],
  [['--turns', '1'], /--turns must be a whole number from 2/],
  [['--think-s', '1'], /--think-s needs --turns/],
  [['--ramp', '1:20'], /--ramp must be FROM:TO:SECONDS/],
  [['--ramp', '0:0:5s'], /--ramp must be FROM:TO:SECONDS/],
  [['--ramp', '1:1000000:5000s'], /with 1000000 requests at most/],
  [['--ramp', '1:2:5s', '--rate', '3'], /--ramp defines what is sent. Omit --rate/],
  [['--burstiness', '0.5'], /--burstiness needs --rate or --ramp/],
  [['--burstiness', '0', '--rate', '5'], /--burstiness must be a number from 0.01/],
  [['--max-concurrency', '8', '--concurrency', '4'], /--max-concurrency needs --rate/],
  [['--max-concurrency', '1.5', '--rate', '5'], /--max-concurrency must be a whole number from 1 to 10000/],
  [['--max-concurrency', '8', '--rate', '5', '--find', 'ttft_p99<9'], /Remove --max-concurrency/],
  [['--turns', '3', '--scenario', 'sharegpt'], /--input-tokens is missing: sharegpt has no lengths/],
  [
    ['--turns', '3', '--scenario', 'chatbt'],
    /^Unknown scenario "chatbt"\. Closest scenarios: chatbot\. .*--input-tokens/,
  ],
  [
    ['--scenario', 'chatbt', '--input-tokens', '64', '--output-tokens', '16'],
    /^Unknown scenario "chatbt"\. Closest scenarios: chatbot\. Omit the name/,
  ],
  [
    ['--scenario', 'chatbot', '--input-tokens', '64', '--output-tokens', '16'],
    /"chatbot" has input_tokens 1024, not 64; output_tokens 256, not 16\. Omit the scenario/,
  ],
  [['--mix', 'chatbt=2'], /"chatbt" is not a workload .*\. Closest workloads: chatbot$/],
  [['--input-tokens', 'normal:9:2'], /--output-tokens is missing/],
  [['--input-tokens', '9'], /^--output-tokens is missing: a workload has both lengths$/],
  [['--output-tokens', '9'], /^--input-tokens is missing: a workload has both lengths$/],
  [['--scenario', 'chatbot', '--output-tokens', '9'], /^--input-tokens is missing: a workload has both lengths$/],
  [['--plan', 'batch-grid', '--input-tokens', '9'], /^--plan defines what is sent. Omit --input-tokens$/],
  [['--input-tokens', 'normal:9:x', '--output-tokens', '5'], /--input-tokens: must be N, uniform/],
  [['--input-tokens', '9', '--output-tokens', '5', '--scenario', 'chatbot', '--prefix', '2x8'], /Omit --scenario/],
])('rejects the workload of %j', (args, words) => {
  expect(faultsOf(...args)).toMatch(words);
});
