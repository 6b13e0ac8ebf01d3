import type { Body } from '../acceptance/world.ts';
import { type Attack, type Family, holds } from './attack.ts';
import { bothSenders, isCopy } from './outcome.ts';
import { around, normal, ownSystem, type Request, report, requestsOf } from './reports.ts';
import type { World } from './world.ts';

/** A public artifact of the sample data, with the facts of its submission. */
interface Sample {
  text: string;
  parameters: Record<string, string>;
}

type Disguise = [name: string, of: keyof typeof tools, change: (sample: Sample, world: World) => Sample];

const tools = { llama: 'llama-bench', vllm: 'vllm bench serve', sglang: 'sglang bench_one_batch_server' };

/** Multiplies every decimal number by a different factor. */
const scale = (text: string, factorOf: () => number) =>
  text.replace(/\d+\.\d+/g, (figure) => (Number(figure) * factorOf()).toFixed(figure.split('.')[1]?.length));

const saying =
  (more: Record<string, string>) =>
  ({ text, parameters }: Sample): Sample => ({ text, parameters: { ...parameters, ...more } });
const written =
  (change: (text: string, world: World) => string) =>
  ({ text, parameters }: Sample, world: World): Sample => ({ text: change(text, world), parameters });

const disguises: Disguise[] = [
  ['one more newline', 'llama', written((text) => `${text}\n`)],
  ['relabelled 450 W', 'llama', saying({ gpu_power_limit_w: '450' })],
  ['re-indented', 'llama', written((text) => text.replace(/^/gm, '    '))],
  ['all figures + 0.05 %', 'llama', written((text) => scale(text, () => 1.0005))],
  [
    'one more newline, as relabelled 450 W',
    'llama',
    (sample) => saying({ gpu_power_limit_w: '450' })({ ...sample, text: `${sample.text}\n` }),
  ],
  ['in a fence, with words around it', 'llama', written((text) => `My own run:\n\n\`\`\`\n${text}\`\`\`\n\nNice!\n`)],
  ['one more newline', 'vllm', written((text) => `${text}\n`)],
  ['relabelled 450 W', 'vllm', saying({ gpu_power_limit_w: '450' })],
  ['re-indented', 'vllm', written((text) => text.replace(/^/gm, '    '))],
  ['all figures + 0.05 %', 'vllm', written((text) => scale(text, () => 1.0005))],
  ['all figures - 4 %', 'vllm', written((text) => scale(text, () => 0.96))],
  [
    'each figure up or down by 0.05 %',
    'vllm',
    written((text, { random }) => scale(text, () => 1 + 0.0005 * (random.chance(0.5) ? 1 : -1))),
  ],
  ['another version of the engine', 'vllm', saying({ engine_version: '0.10.1' })],
  ['an unspecified GPU', 'vllm', saying({ gpu: 'unspecified' })],
  ['another GPU', 'vllm', saying({ gpu: 'h200-sxm' })],
  [
    'without its ITL and its medians',
    'vllm',
    written((text) => text.replace(/^(Median|.*ITL|.*Inter-token).*\n/gm, '')),
  ],
  ['all figures + 0.05 %', 'sglang', written((text) => scale(text, () => 1.0005))],
  ['half of its rows', 'sglang', written((text) => text.split('\n').slice(0, 70).join('\n'))],
];

const withoutRecords = (requests: readonly Request[]) => {
  const mean = (of: keyof Request) => requests.reduce((sum, request) => sum + request[of], 0) / requests.length;
  const last = requests.at(-1);
  const duration_s = last === undefined ? 0 : last.sent_s + last.e2e_ms / 1000;
  return {
    ttft_ms_mean: mean('ttft_ms'),
    e2e_ms_mean: mean('e2e_ms'),
    duration_s,
    req_s: requests.length / duration_s,
    output_tok_s: (requests.length * mean('output_tokens')) / duration_s,
  };
};

type Records = [name: string, change: (requests: readonly Request[], world: World) => Request[]];

const scaled = (requests: readonly Request[], factorOf: () => number) =>
  requests.map((request) => {
    const factor = factorOf();
    return { ...request, ttft_ms: request.ttft_ms * factor, e2e_ms: request.e2e_ms * factor };
  });

const ofRecords: Records[] = [
  ['records x 0.98', (requests) => scaled(requests, () => 0.98)],
  [
    'records x 0.98, clock and all',
    (requests) => scaled(requests, () => 0.98).map((request) => ({ ...request, sent_s: request.sent_s * 0.98 })),
  ],
  ['records with a jitter of 0.1 %', (requests, { random }) => scaled(requests, () => 1 + 0.001 * normal(random))],
  [
    'records 3 ms later',
    (requests) => requests.map((of) => ({ ...of, ttft_ms: of.ttft_ms + 3, e2e_ms: of.e2e_ms + 3 })),
  ],
  ['half of the records', (requests) => requests.slice(0, requests.length / 2)],
];

/** Resubmits other accounts' measurements as new ones. */
export const copies: Family = async (world) => {
  const honest = requestsOf(world.random, 400);
  const { version } = ownSystem(world, 'records').engine;
  await world.stored(await world.vouched(), report(ownSystem(world, 'records'), [{ requests: honest }], { level: 1 }));
  const published = await world.vouched();
  const system = ownSystem(world, 'exported');
  const metrics = (rate: number) => ({
    ...{ output_tok_s: around(world.random, rate, 1)[0] ?? rate, ttft_ms_mean: 80 + world.random.next() * 9 },
    ...{
      tpot_ms_mean: 11 + world.random.next(),
      ttft_ms_p99: 190 + 9 * world.random.next(),
      itl_ms_p99: 22.1 + world.random.next(),
    },
  });
  await world.stored(published, report(system, [{ metrics: metrics(4800) }]));

  const listed: Body[] = (await world.get('/v1/submissions?account=sample-data&limit=200')).data;
  const sampleOf = async (tool: string): Promise<Sample> => {
    const found = listed.find((of) => of.tool.name === tool);
    if (found === undefined) throw new Error(`The service has no sample of ${tool}: start it with SAMPLE_DATA=seeds.`);
    const { parameters } = await world.get(`/v1/submissions/${found.id}`);
    return { text: await world.get(`/v1/submissions/${found.id}/artifact`), parameters };
  };
  const senders = await bothSenders(world);
  const sent = async (attempt: (account: (typeof senders)[0][1]) => Promise<string>) => {
    const said: string[] = [];
    for (const [kind, account] of senders) said.push(`${kind}: ${await attempt(account)}`);
    return said.join('; ');
  };
  const must = 'copy_of, nothing replicated';
  const isUnmoved = async (of: string) => {
    const entries = await world.board({ engine_version: of, rank_by: 'output_tok_s' });
    holds(entries.length === 1 && entries[0]?.trust !== 'replicated', `the point is ${entries[0]?.trust}`);
  };
  return [
    ...disguises.map(
      ([name, of, change]): Attack => ({
        ...{ name: `the sample's ${tools[of]}: ${name}`, must },
        attempt: async () => {
          const { text, parameters } = change(await sampleOf(tools[of]), world);
          return sent(async (account) => isCopy(world, await world.submit(account, text, parameters)));
        },
      }),
    ),
    ...ofRecords.map(
      ([name, change]): Attack => ({
        ...{ name, must },
        attempt: async () => {
          const copy = report(ownSystem(world, 'records'), [{ requests: change(honest, world) }], { level: 1 });
          const said = await sent(async (account) => isCopy(world, await world.submit(account, copy)));
          await isUnmoved(version);
          return said;
        },
      }),
    ),
    {
      ...{ name: 'figures of the records without the records', must },
      attempt: async () => {
        const copy = report(ownSystem(world, 'records'), [{ metrics: withoutRecords(honest) }], { level: 1 });
        const said = await sent(async (account) => isCopy(world, await world.submit(account, copy)));
        await isUnmoved(version);
        return said;
      },
    },
    ...(['jsonl', 'csv'] as const).map(
      (format): Attack => ({
        ...{ name: `what /v1/results.${format} exports`, must },
        attempt: async () => {
          const copy = await world.get(
            `/v1/results.${format}?engine_version=${encodeURIComponent(system.engine.version)}`,
          );
          const said = await sent(async (account) => isCopy(world, await world.submit(account, copy)));
          await isUnmoved(system.engine.version);
          return said;
        },
      }),
    ),
  ];
};
