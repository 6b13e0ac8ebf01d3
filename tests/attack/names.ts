import { type Attack, type Family, holds } from './attack.ts';
import { describe } from './outcome.ts';
import { ownSystem, report } from './reports.ts';
import type { World } from './world.ts';

/** Names that imitate the operators or another account. */
const accountNames: [how: string, name: string][] = [
  ['with a Cyrillic letter', 'аdmin'],
  ['with a U+200B', 'admin\u200b'],
  ['in fullwidth letters', 'ａｄｍｉｎ'],
  ['with a combining mark', 'admi\u0323n'],
  ['with a change of direction', '\u202enimda'],
  ['with a digit for a letter', 'adm1n'],
  ['of the sample data', 'Sample_Data'],
];

const advert = 'Buy GPUs at evil.example!';

/** Fields of a system that could contain misleading text. */
const facts: [how: string, over: Record<string, unknown>, words: string][] = [
  ['as engine', { engine: { name: advert } }, advert],
  ['as version of the engine', { engine: { name: 'vllm', version: advert } }, advert],
  ['as model', { model: advert }, advert],
  ['as quantization', { quantization: advert }, advert],
  ['as GPU', { gpu: advert }, advert],
  ['as engine, in fullwidth letters', { engine: { name: 'ｅｖｉｌ．ｅｘａｍｐｌｅ' } }, 'ｅｖｉｌ'],
  ['as engine, with an address of letters beyond ASCII', { engine: { name: 'evil。example' } }, 'evil。example'],
  ['as engine, spelled vLLM with a Cyrillic М', { engine: { name: 'vLLМ' } }, 'vLLМ'],
  ['as model, with a change of direction', { model: 'llama-3.1-8b\u202egpj.8b' }, '\u202e'],
];

/** Public pages and responses with user-supplied text. */
const places = [
  '/',
  '/v1/leaderboard',
  '/models',
  '/gpus',
  '/quantizations',
  '/v1/systems?limit=200',
  '/feed.xml',
  '/v1/results.csv',
];

async function isShownNowhere(world: World, words: string): Promise<void> {
  const escaped = words.replaceAll('&', '&amp;');
  for (const path of [...places, '/v1/catalogue/engines', '/v1/catalogue/models', '/v1/catalogue/gpus']) {
    const { status, text } = await world.send(path);
    if (status === 200) holds(!text.includes(words) && !text.includes(escaped), `it stands on ${path}`);
  }
}

/** Names that are intended to mislead readers. */
export const names: Family = async (world) => {
  const stranger = await world.stranger();
  const vouched = await world.vouched();
  return [
    ...accountNames.map(
      ([how, name]): Attack => ({
        ...{ name: `an account called "admin" or the like, ${how}`, must: 'refused' },
        attempt: async () => {
          const { status, body } = await world.send('/v1/accounts', { json: { name } });
          holds(status === 422 || status === 409, `${status}`);
          return `${status} ${body.errors?.[0]?.message ?? body.code}`;
        },
      }),
    ),
    {
      ...{ name: 'an account called as another one is, but for its case and marks', must: 'refused' },
      attempt: async () => {
        const like = stranger.name.toUpperCase().replaceAll(' ', '_').replace('O', 'Ö');
        const { status, body } = await world.send('/v1/accounts', { json: { name: like } });
        holds(status === 409, `${status}`);
        return `${status} ${body.code}`;
      },
    },
    ...facts.map(
      ([how, over, words]): Attack => ({
        ...{ name: `"${words}" ${how}`, must: "refused, or shown nowhere off the sender's own page" },
        attempt: async () => {
          const said: string[] = [];
          let isStored = false;
          for (const account of [stranger, vouched]) {
            const sent = report({ ...ownSystem(world, 'names'), ...over }, [{ metrics: { output_tok_s: 4321 } }]);
            const reply = await world.submit(account, sent);
            holds(reply.status < 500, describe(reply));
            said.push(describe(reply));
            isStored ||= reply.status < 300;
          }
          if (isStored) await isShownNowhere(world, words);
          return [...new Set(said)].join(' and ');
        },
      }),
    ),
    {
      ...{ name: `"${advert}" in the notes`, must: "shown nowhere off the sender's own page" },
      attempt: async () => {
        const sent = report(ownSystem(world, 'noted'), [{ metrics: { output_tok_s: 4321 } }]);
        const reply = await world.submit(stranger, sent, { notes: advert, source_url: 'https://evil.example/' });
        await isShownNowhere(world, 'evil.example');
        return describe(reply);
      },
    },
  ];
};
