import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { secretKey } from '../testing/world.ts';
import { startReceiver, status } from './testing/receiver.ts';
import { secret, useWebhookWorld } from './testing/webhook-world.ts';

const { addWebhook, becomeDue, database, databases, databaseUrl, deliver, depsOf, logged, queue, see, seeOne } =
  useWebhookWorld();

describe('several workers', () => {
  test('send each message once', async () => {
    await using receiver = await startReceiver((response) => setTimeout(() => status(204)(response), 20));
    await addWebhook(receiver.url);
    for (let at = 0; at < 45; at += 1) await queue('run.ended', { at });
    await Promise.all([...databases(), ...databases()].map((own) => deliver({ deps: depsOf(own) })));
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(45);
    expect(ids).toHaveLength(45);
    expect((await see()).every(({ isDelivered, attempts }) => isDelivered && attempts === 1)).toBe(true);
  });

  // Delivery is at least once; receivers deduplicate by id.
  test('resend a message with the same id if a worker died before it recorded the response', async () => {
    const child = fork(fileURLToPath(new URL('./testing/deliver-process.ts', import.meta.url)), {
      stdio: 'ignore',
      execArgv: [],
    });
    const exited = once(child, 'exit');
    await using receiver = await startReceiver((response, index) => {
      if (index === 0) child.kill('SIGKILL');
      status(200)(response);
    });
    await addWebhook(receiver.url);
    await queue();
    child.send({ databaseUrl: databaseUrl(), secretKey });
    await exited;
    // No other worker claims it while the lease lasts.
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect(await seeOne()).toMatchObject({ attempts: 1, isDelivered: false, outcome: null });
    expect((await seeOne()).inS).toBeGreaterThan(30);
    await becomeDue();
    await deliver();
    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(await seeOne()).toMatchObject({ attempts: 2, isDelivered: true });
  });

  test('record nothing for a worker whose lease ended', async () => {
    await using receiver = await startReceiver(async (response, index) => {
      if (index > 0) return status(200)(response);
      await becomeDue();
      await deliver({ deps: depsOf(databases()[1]) });
      status(500)(response);
    });
    await addWebhook(receiver.url);
    await queue();
    await deliver();
    expect(await seeOne()).toMatchObject({ attempts: 2, isDelivered: true, outcome: 'answers 200', inS: null });
  });
});

test('log and stored delivery contain no secret, and only the host of the URL', async () => {
  await using receiver = await startReceiver((response, index) => {
    const request = receiver.received[index];
    response.writeHead(500).end(JSON.stringify(request));
  });
  await addWebhook(`${receiver.url}/path-secret?key=query-secret`);
  await addWebhook('http://127.0.0.1:1/path-secret?key=query-secret');
  await addWebhook('http://10.1.2.3/path-secret?key=query-secret');
  await queue();
  await deliver({ timeout_ms: 2000 });
  await becomeDue();
  await deliver({ deps: { ...depsOf(database()), keyring: null } });
  const stored = await database().sql`select * from webhook_deliveries`;
  const written = `${logged.join('\n')} ${JSON.stringify(stored)}`;
  expect(logged.length).toBeGreaterThan(0);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  for (const form of [secret, secret.slice(6), key.toString('hex'), 'path-secret', 'query-secret', 'v1,'])
    expect(written).not.toContain(form);
});
