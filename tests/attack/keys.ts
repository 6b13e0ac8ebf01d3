import { type Attack, type Family, holds } from './attack.ts';
import type { World } from './world.ts';

/** Attempts to use keys beyond their scopes. */
export const keys: Family = async (world) => {
  const account = await world.stranger();
  const other = await world.vouched();
  const made = await world.send('/v1/keys', { key: account.key, json: { scopes: ['submit'] } });
  if (made.status !== 201) throw new Error(`POST /v1/keys: ${made.status} ${made.text.slice(0, 200)}`);
  const submitOnly: { id: string; key: string } = made.body;
  const attack = (name: string, expected: number, ask: () => ReturnType<World['send']>): Attack => ({
    ...{ name, must: `${expected}` },
    attempt: async () => {
      const { status, body } = await ask();
      holds(status === expected, `${status}`);
      return `${status} ${body?.code ?? ''}`;
    },
  });
  return [
    attack('a submit-only key deletes a key', 403, () =>
      world.send(`/v1/keys/${account.keyId}`, { method: 'DELETE', key: submitOnly.key }),
    ),
    attack('a submit-only key deletes itself', 403, () =>
      world.send(`/v1/keys/${submitOnly.id}`, { method: 'DELETE', key: submitOnly.key }),
    ),
    attack('a submit-only key makes a key', 403, () =>
      world.send('/v1/keys', { key: submitOnly.key, json: { scopes: ['submit'] } }),
    ),
    attack('a submit-only key makes a key of no stated scopes', 403, () =>
      world.send('/v1/keys', { key: submitOnly.key, json: {} }),
    ),
    attack('a key makes an admin key', 403, () =>
      world.send('/v1/keys', { key: account.key, json: { scopes: ['submit', 'admin'] } }),
    ),
    attack("a key deletes another account's key", 404, () =>
      world.send(`/v1/keys/${other.keyId}`, { method: 'DELETE', key: account.key }),
    ),
    attack('an account vouches for itself', 403, () =>
      world.send(`/v1/accounts/${account.id}/vouch`, { method: 'POST', key: account.key, json: {} }),
    ),
    attack('a submit-only key registers an endpoint', 403, () =>
      world.send('/v1/endpoints', {
        key: submitOnly.key,
        json: { name: 'mine', base_url: 'https://llm.example.com/v1', model: 'llama-3.1-8b' },
      }),
    ),
    attack('an ADMIN_KEY that this service does not have', 401, () =>
      world.send('/v1/keys', { key: `${world.adminKey.slice(0, -1)}${world.adminKey.endsWith('x') ? 'y' : 'x'}` }),
    ),
    {
      ...{ name: 'after all of that', must: 'every key works as before' },
      attempt: async () => {
        const keysOf = [submitOnly.key, account.key, other.key];
        const living = await Promise.all(keysOf.map((key) => world.send('/v1/keys', { key })));
        const statuses = living.map(({ status }) => status);
        holds(
          statuses.every((status) => status === 200),
          statuses.join(', '),
        );
        return 'all three work';
      },
    },
  ];
};
