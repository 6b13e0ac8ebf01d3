import type { Family } from './attack.ts';
import { isKeptOut, isViolation } from './outcome.ts';
import { ownSystem, report } from './reports.ts';

const table = [
  'schema,model,quantization,gpu,gpu_count,engine,scenario,load_mode,load_level,output_tok_s',
  'inferboard/v1,llama-3.1-8b,fp8,h100-sxm,1,vllm,chatbot,concurrency,512,14200',
  '',
].join('\n');

/** False figures: implausible ones, or just good enough for the first place. */
export const lies: Family = async (world) => {
  const stranger = await world.stranger();
  const vouched = await world.vouched();
  const system = ownSystem(world, 'lie');
  const [first] = await world.board({});
  const send = (metrics: Record<string, number>, over: Record<string, unknown> = {}, level = 64) =>
    world.submit(stranger, report({ ...system, ...over }, [{ metrics }], { level, scenario: 'chatbot' }));
  const impossible =
    (over: Record<string, unknown>, metrics: Record<string, number>, parameters = {}) =>
    async () => {
      const sent = report({ ...system, ...over }, [{ metrics }], { scenario: 'chatbot' });
      const said = isViolation(await world.submit(vouched, sent, parameters));
      isViolation(await world.submit(stranger, sent, parameters));
      return said;
    };
  const lie = (name: string, metrics: Record<string, number>, over: Record<string, unknown> = {}, level = 64) => ({
    ...{ name, must: 'provisional or held' },
    attempt: async () => isKeptOut(await send(metrics, over, level)),
  });
  const unknown = { gpu: 'unspecified', gpu_count: undefined };
  return [
    lie('1e12 tok/s on an unspecified GPU', { output_tok_s: 1e12 }, unknown),
    lie(
      '7,777,777 tok/s with everything unspecified',
      { output_tok_s: 7_777_777 },
      { ...unknown, model: 'unspecified', quantization: 'unspecified', engine: 'unspecified' },
    ),
    lie('a plausible 14,200 tok/s', { output_tok_s: 14_200 }, {}, 512),
    {
      name: 'a little more than the first of the first page, as that system',
      must: 'provisional or held',
      attempt: async () => {
        const { system: of, scenario, load } = first;
        const words = {
          ...{ model: of.model.name, quantization: of.quantization.name, gpu: of.gpu.name },
          ...{ gpu_count: of.gpu_count, engine: { name: of.engine.name, version: of.engine.version ?? undefined } },
        };
        const results = [{ load, metrics: { output_tok_s: first.value * 1.2 } }];
        return isKeptOut(
          await world.submit(stranger, JSON.stringify({ schema: 'inferboard/v1', system: words, results }), {
            ...(scenario.dataset === null ? { scenario: scenario.id } : { dataset: scenario.dataset }),
          }),
        );
      },
    },
    lie('the same on 100,000 GPUs', { output_tok_s: 1e8 }, { gpu_count: 100_000 }, 1024),
    lie('a GPU that nobody knows', { output_tok_s: 14_200 }, { gpu: 'RTX 9090 Super' }),
    lie('a model that nobody knows', { output_tok_s: 90_000 }, { model: 'meta-llama/Llama-9-8B' }),
    {
      name: '14,200 tok/s as a table',
      must: 'provisional or held',
      attempt: async () => isKeptOut(await world.submit(stranger, table)),
    },
    {
      name: 'draft_tokens: 1000000 with 2e8 tok/s per user',
      must: 'violation',
      attempt: impossible({ features: { draft_tokens: 1_000_000 } }, { user_tok_s: 2e8 }),
    },
    {
      name: 'a million drafted tokens, as engines spell them',
      must: 'violation',
      attempt: impossible({ features: { num_speculative_tokens: '1000000' } }, { user_tok_s: 2e5 }),
    },
    {
      name: 'sixteen drafted tokens and more arithmetic than the GPU has',
      must: 'violation',
      attempt: impossible({ features: { draft_tokens: 16 } }, { user_tok_s: 300_000 }),
    },
    {
      name: 'gpu_power_limit_w: 1',
      must: 'violation',
      attempt: impossible({}, { output_tok_s: 5000 }, { gpu_power_limit_w: '1' }),
    },
    {
      name: 'a power limit of 2 W on a GPU of no name',
      must: 'violation',
      attempt: impossible(unknown, { output_tok_s: 5000 }, { gpu_power_limit_w: '2' }),
    },
    {
      name: 'fewer tokens in all than went out',
      must: 'violation',
      attempt: impossible({}, { output_tok_s: 5000, total_tok_s: 4000 }),
    },
    {
      name: '1e12 tok/s on an unspecified GPU, vouched',
      must: 'violation',
      attempt: impossible(unknown, { output_tok_s: 1e12 }),
    },
  ];
};
