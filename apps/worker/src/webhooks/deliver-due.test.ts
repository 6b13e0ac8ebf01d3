import { transact } from '@inferboard/db/connection/transaction';
import { releaseTarget, takeTarget } from '@inferboard/db/runs/target-budget';
import { queuePing, removeWebhook } from '@inferboard/db/runs/webhook';
import { queueDeliveries } from '@inferboard/db/runs/webhook-delivery';
import { createKeyring } from '@inferboard/outbound/sealed-secrets';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { addAccount } from '../testing/world.ts';
import { retryDelaysS } from './deliver-due.ts';
import { startReceiver, status } from './testing/receiver.ts';
import { secret, timestamp, useWebhookWorld } from './testing/webhook-world.ts';

const { accountId, addWebhook, becomeDue, database, deliver, depsOf, queue, see, seeOne } = useWebhookWorld();

/** Tolerates five seconds, because the machine may be busy. */
const within = (seconds: number) => expect.closeTo(seconds, -1);

describe('an event', () => {
  test('is queued for the subscribed webhooks of the account', async () => {
    const [both, one] = [await addWebhook('https://a.example/'), await addWebhook('https://b.example/', ['run.ended'])];
    await addWebhook('https://c.example/', ['run.ended'], await addAccount(database(), 'other'));
    await removeWebhook(database().db, await addWebhook('https://d.example/'), null);
    expect(await queue('run.ended')).toBe(2);
    expect((await see()).map(({ webhookId }) => webhookId).sort()).toEqual([both, one].sort());
    await database().sql`truncate webhook_deliveries`;
    expect(await queue('result.regressed')).toBe(1);
    expect(await see()).toMatchObject([{ webhookId: both, event: 'result.regressed', attempts: 0, inS: within(0) }]);
  });

  test('of a failed transaction is not queued', async () => {
    await addWebhook('https://a.example/');
    const body = { type: 'run.ended' as const, timestamp, data: {} };
    const failing = database().db.transaction(async (tx) => {
      await queueDeliveries(tx, { accountId: accountId(), event: 'run.ended', body });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await see()).toEqual([]);
  });
});

describe('a message', () => {
  test('is sent once, and its signature is valid with the reference library', async () => {
    await using receiver = await startReceiver(status(204));
    await addWebhook(`${receiver.url}?token=t`);
    await queue();
    await deliver();
    const [message] = receiver.received;
    const { id } = await seeOne();
    expect(message).toMatchObject({
      method: 'POST',
      path: '/hook?token=t',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'inferboard (+https://bench.example/contact)',
        'webhook-id': id,
      },
    });
    const headers = message?.headers as Record<string, string>;
    expect(new Webhook(secret).verify(message?.body ?? '', headers)).toEqual({
      type: 'run.ended',
      timestamp,
      data: { run_id: 'run_1', note: 'größer' },
    });
    const altered = () => new Webhook(secret).verify(`${message?.body} `, headers);
    expect(altered).toThrow();
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(30);
    expect(await seeOne()).toMatchObject({ outcome: 'answers 204', isDelivered: true, inS: null, attempts: 1 });
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });

  test('from a ping has the type "ping"', async () => {
    await using receiver = await startReceiver(status(200));
    await queuePing(database().db, await addWebhook(receiver.url), accountId());
    await deliver();
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'ping', data: {} });
    expect(await seeOne()).toMatchObject({ outcome: 'answers 200', isDelivered: true });
  });

  test('from a ping counts toward the limit of its unverified server', async () => {
    await using receiver = await startReceiver(status(200));
    const { origin } = new URL(receiver.url);
    const { db } = database();
    const ping = async () => queuePing(db, await addWebhook(receiver.url), accountId());
    await transact(db, (tx) => takeTarget(tx, [origin], { requests: 48, concurrency: 0 }));
    const held = await transact(db, (tx) => takeTarget(tx, [origin], { requests: 1, concurrency: 4 }));
    if ('refused' in held) expect.fail('the receiver is a new one');
    await ping();
    await deliver();
    expect(await seeOne()).toMatchObject({
      outcome: 'not sent: the concurrency limit of the server is reached',
      attempts: 1,
      inS: within(5),
    });
    await releaseTarget(db, held);
    await becomeDue();
    await deliver();
    expect(await seeOne()).toMatchObject({ outcome: 'answers 200', isDelivered: true, attempts: 2 });
    await ping();
    await deliver();
    expect((await see()).at(-1)).toMatchObject({
      outcome: 'not sent: the daily request limit of the server is reached',
      isDelivered: false,
      inS: null,
    });
    // A real event is not a test message.
    await queue();
    await deliver();
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['ping', 'run.ended', 'run.ended']);
  });

  test('is sent again after a server error, with the same body and a new signature', async () => {
    await using receiver = await startReceiver((response, index) => status(index === 0 ? 500 : 200)(response));
    await addWebhook(receiver.url);
    await queue();
    await deliver();
    expect(await seeOne()).toMatchObject({ outcome: 'answers 500', isDelivered: false, attempts: 1, inS: within(5) });
    await becomeDue();
    await deliver();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    new Webhook(secret).verify(second?.body ?? '', second?.headers as Record<string, string>);
    expect(await seeOne()).toMatchObject({ outcome: 'answers 200', isDelivered: true, attempts: 2, inS: null });
  });

  test('times out without a response, and does not block others', async () => {
    await using hanging = await startReceiver((response, index) => {
      if (index > 0) status(200)(response);
    });
    await using sound = await startReceiver(status(200));
    const [slow, fast] = [await addWebhook(hanging.url), await addWebhook(sound.url)];
    await queue();
    await deliver({ timeout_ms: 300 });
    const of = async (webhookId: string) => (await see()).find((delivery) => delivery.webhookId === webhookId);
    expect(await of(fast)).toMatchObject({ isDelivered: true });
    expect(await of(slow)).toMatchObject({ outcome: 'timed out', isDelivered: false, inS: within(5) });
    await becomeDue();
    await deliver();
    expect(await of(slow)).toMatchObject({ outcome: 'answers 200', isDelivered: true });
  });

  test('waits longer after each failure, and is abandoned after the last', async () => {
    await using receiver = await startReceiver(status(503));
    await addWebhook(receiver.url);
    await queue();
    for (const [at, delay] of retryDelaysS.entries()) {
      await deliver();
      expect(await seeOne()).toMatchObject({ attempts: at + 1, outcome: 'answers 503' });
      expect(Math.abs(((await seeOne()).inS ?? 0) - delay)).toBeLessThanOrEqual(5);
      await becomeDue();
    }
    await deliver();
    expect(await seeOne()).toMatchObject({ attempts: 9, outcome: 'answers 503', isDelivered: false, inS: null });
    expect(receiver.received).toHaveLength(9);
  });

  test.each([
    [301, within(5)],
    [404, within(5)],
    [410, null],
  ])('with response status %i is not delivered', async (code, inS) => {
    await using receiver = await startReceiver((response) =>
      response.writeHead(code, { location: 'http://127.0.0.1:9/' }).end(),
    );
    await addWebhook(receiver.url);
    await queue();
    await deliver();
    expect(await seeOne()).toMatchObject({ outcome: `answers ${code}`, isDelivered: false, inS });
  });

  test.each([
    ['too long', (write: () => boolean) => write()],
    ['endless and slow', () => false],
  ])('is delivered by its status, even if the response body is %s', async (_, again) => {
    await using receiver = await startReceiver((response) => {
      response.writeHead(200);
      const write = () => response.write('a'.repeat(1000));
      const timer = setInterval(() => {
        for (let turn = 0; turn < 100 && again(write); turn += 1);
        response.write('a');
      }, 5);
      response.once('close', () => clearInterval(timer));
    });
    await addWebhook(receiver.url);
    await queue();
    await deliver({ timeout_ms: 500 });
    expect(await seeOne()).toMatchObject({ outcome: 'answers 200', isDelivered: true });
  });

  test('to a closed port or an address that is not allowed fails', async () => {
    let port = '';
    {
      await using closed = await startReceiver(status(200));
      port = new URL(closed.url).port;
    }
    await addWebhook(`http://127.0.0.1:${port}/`);
    await addWebhook('http://10.1.2.3/hook');
    await queue();
    await deliver();
    const refused = { outcome: 'refused', isDelivered: false, inS: within(5) };
    expect(await see()).toMatchObject([refused, refused]);
  });

  test('to a webhook deleted in the meantime is not sent', async () => {
    await using receiver = await startReceiver(status(200));
    const id = await addWebhook(receiver.url);
    await queue();
    await database()
      .sql`update webhooks set removed_at = now(), secret_key_id = null, secret_box = null where id = ${id}`;
    await deliver();
    expect(await seeOne()).toMatchObject({ outcome: 'webhook removed', isDelivered: false, inS: null });
    expect(receiver.received).toEqual([]);
  });

  test('that fails while its webhook is deleted is not retried', async () => {
    let removing: Promise<unknown> = Promise.resolve();
    let id = '';
    await using receiver = await startReceiver(async (response) => {
      removing = removeWebhook(database().db, id, null);
      await removing;
      status(500)(response);
    });
    id = await addWebhook(receiver.url);
    await queue();
    await deliver();
    expect(await seeOne()).toMatchObject({ outcome: 'webhook removed', inS: null });
  });

  test('with a secret that cannot be decrypted is retried later', async () => {
    await using receiver = await startReceiver(status(200));
    await addWebhook(receiver.url);
    await queue();
    const others = await createKeyring('another-key-0123456789');
    await deliver({ deps: { ...depsOf(database()), keyring: others } });
    expect(await seeOne()).toMatchObject({ outcome: 'secret unreadable', inS: within(5) });
    expect(receiver.received).toEqual([]);
  });

  test('of a stopping worker is released immediately', async () => {
    const stopping = new AbortController();
    await using receiver = await startReceiver((response, index) => {
      if (index === 0) stopping.abort();
      else status(200)(response);
    });
    await addWebhook(receiver.url);
    await queue();
    await deliver({ signal: stopping.signal });
    expect(await seeOne()).toMatchObject({ attempts: 0, isDelivered: false, inS: within(0) });
    await deliver();
    expect(await seeOne()).toMatchObject({ attempts: 1, isDelivered: true });
  });
});
