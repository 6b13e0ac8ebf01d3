import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminKey, startTestServer, type TestServer } from '../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage, wordsOf } from '../support/site/browser.ts';

// The admin's pages in the browser, the admin's steps for a submission without a key, and the sign-in link of a first start.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ REGISTRATION: 'open', SAMPLE_DATA: 'false', ENDPOINT_ALLOW_CIDRS: '127.0.0.1/32' });
});
afterAll(() => server?.dispose());

const url = (path: string) => `${server.url}${path}`;
let speed = 200;
/** Output of llama-bench, with different figures each time. */
function table(): string {
  speed += 3.7;
  return `| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | --: | ---: |\n| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | ${speed.toFixed(2)} ± 0.31 |\n`;
}

async function ask<T>(path: string, { key, body }: { key?: string; body?: object | string } = {}): Promise<T> {
  const response = await fetch(url(path), {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(typeof body === 'object' && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

interface Sent {
  id: string;
  status: string;
  account: { name: string };
  claim: { url: string; token: string };
}
const send = (gpu: string, key?: string) =>
  ask<Sent>(`/v1/submissions?${new URLSearchParams({ gpu, model: 'meta-llama/Llama-2-7b-hf' })}`, {
    ...(key !== undefined && { key }),
    body: table(),
  });
const statusOf = async (id: string) => (await ask<Sent>(`/v1/submissions/${id}`)).status;

test('visitors and keys without the admin scope have no access to the page', async () => {
  const page = await fetch(url('/admin'));
  expect([page.status, page.headers.get('cache-control')]).toEqual([401, 'no-store']);
  await send('Frobnicator 1');
  const account = await ask<{ key: { key: string } }>('/v1/accounts', { body: { name: 'no admin' } });
  const signedIn = await fetch(url('/account'), {
    method: 'POST',
    body: new URLSearchParams({ act: 'sign-in', key: account.key.key, next: '/admin' }),
    redirect: 'manual',
  });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const seen = await fetch(url('/admin'), { headers: { cookie } });
  const words = wordsOf(await seen.text());
  expect(seen.status).toBe(403);
  expect(words).toContain('lacks the scope admin');
  expect(words).not.toContain('Frobnicator');
});

test('the first start prints one sign-in link, which works once', async () => {
  const first = await startTestServer({ ADMIN_KEY: '', SAMPLE_DATA: 'false' });
  try {
    const links = first.output.flatMap(
      (line) => /^Sign in as admin \(works once, within one hour\): (\S+)$/.exec(line)?.[1] ?? [],
    );
    expect(links).toEqual([expect.stringMatching(/^http:\/\/localhost:\d+\/sign-in\?link=ibl_\w{36}$/)]);
    const link = new URL(links[0] ?? '');
    // Link scanners do not use them up.
    for (let i = 0; i < 2; i += 1) expect((await fetch(first.url + link.pathname + link.search)).status).toBe(200);
    const use = (headers: Record<string, string> = {}) =>
      fetch(`${first.url}/sign-in`, {
        method: 'POST',
        body: new URLSearchParams({ link: link.searchParams.get('link') ?? '' }),
        headers,
        redirect: 'manual',
      });
    expect((await use({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    const used = await use();
    expect([used.status, used.headers.get('location')]).toEqual([303, '/account']);
    const cookie = used.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await fetch(`${first.url}/admin`, { headers: { cookie } });
    expect(wordsOf(await page.text())).toContain('Signed in as admin');
    expect((await use()).status).toBe(404);
  } finally {
    await first.dispose();
  }
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** Focuses an element, as if by keyboard, and presses a key. */
  async function press(page: Page, role: 'button' | 'group', name: string | RegExp, key = 'Enter') {
    const target = role === 'group' ? page.locator('summary', { hasText: name }) : page.getByRole(role, { name });
    await target.first().focus();
    await page.keyboard.press(key);
  }

  async function signIn(page: Page) {
    await page.getByLabel('Account key').focus();
    await page.keyboard.type(adminKey);
    await page.keyboard.press('Enter');
    await page.getByText('Signed in as admin').waitFor();
  }

  test('an admin decides about all open items by keyboard', async () => {
    const mapped = await send('Frobnicator 9000');
    const account = await ask<{ id: string; key: { key: string } }>('/v1/accounts', { body: { name: 'newcomer' } });
    const reported = await send('rtx-4090', account.key.key);
    await ask(`/v1/submissions/${reported.id}/concerns`, { body: { reason: 'spam', text: 'It advertises a shop.' } });
    const node = { name: 'a node', base_url: 'http://127.0.0.1:64998/v1', model: 'tiny' };
    const endpoint = await ask<{ id: string }>('/v1/endpoints', { key: account.key.key, body: node });
    await withPage(browser, {}, async (page, troubles) => {
      const done = async () => {
        await page.getByRole('status').getByText('Done.').waitFor();
        await page.goto(url('/admin'));
      };
      await page.goto(url('/admin'));
      await signIn(page);
      expect(await axeViolations(page)).toEqual([]);

      const name = page.locator('#held-names li', { hasText: 'Frobnicator 9000' });
      await name.locator('summary').focus();
      await page.keyboard.press('Enter');
      await name.getByLabel('Map to').fill('no such gpu');
      await name.getByLabel('Reason (public)').fill('The card is sold under two names.');
      await name.getByRole('button', { name: 'Map' }).press('Enter');
      await page.getByRole('alert').waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await name.locator('summary').press('Enter');
      await name.getByLabel('Map to').fill('rtx-4090');
      await name.getByLabel('Reason (public)').fill('The card is sold under two names.');
      await name.getByRole('button', { name: 'Map' }).press('Enter');
      await done();
      expect(await statusOf(mapped.id)).toBe('provisional');

      const report = page.locator('#concerns li', { hasText: 'It advertises a shop.' });
      await report.locator('summary').press('Enter');
      await report.getByLabel('Reason (public)').fill('It does not.');
      await report.getByRole('button', { name: 'Dismiss' }).press('Enter');
      await done();
      expect(await page.locator('#concerns').textContent()).toContain('No open reports.');

      await press(page, 'button', 'Vouch for newcomer');
      await done();
      expect(await ask(`/v1/accounts/${account.id}`)).toMatchObject({ standing: 'vouched' });
      expect(await statusOf(reported.id)).toBe('accepted');

      await press(page, 'button', 'Approve a node');
      await done();
      expect(await ask(`/v1/endpoints/${endpoint.id}`, { key: adminKey })).toMatchObject({ verified: { by: 'admin' } });

      const held = await send('Frobnicator 7');
      await page.goto(url('/admin'));
      const submission = page.locator('#held li', { hasText: held.id });
      await submission.locator('summary').press('Enter');
      await submission.getByLabel('Reason (public)').fill('Nobody knows this card.');
      await submission.getByRole('button', { name: 'Keep' }).press('Enter');
      await done();
      expect(JSON.stringify(await ask(`/v1/submissions/${held.id}`))).toContain('Nobody knows this card.');

      await press(page, 'group', 'Add an entry or names');
      await page.getByLabel('Kind').selectOption('gpu');
      await page.getByLabel('Id', { exact: true }).fill('h100-sxm');
      await page.getByLabel('Facts of a new entry').fill('{ broken');
      await press(page, 'button', 'Add it');
      await page.getByRole('alert').getByText('not valid JSON').waitFor();
      expect(await page.getByLabel('Id', { exact: true }).inputValue()).toBe('h100-sxm');
      await page.getByLabel('Facts of a new entry').fill('');
      await page.getByLabel('Other names').fill('Acme cloud card\nAcme card 2');
      await press(page, 'button', 'Add it');
      await done();
      expect(await page.locator('#catalogue').textContent()).toContain('Acme cloud card, Acme card 2');
      await press(page, 'button', 'Remove h100-sxm');
      await done();
      expect(await page.locator('#catalogue').textContent()).toContain('None yet');
      expect(troubles).toEqual([]);
    });
  });

  test('a submission without a key is claimed with its link', async () => {
    const sent = await send('rtx-3090');
    expect(sent.account.name).toMatch(/^anonymous-/);
    await withPage(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } }, async (page) => {
      const { pathname, search } = new URL(sent.claim.url);
      await page.goto(url(pathname + search));
      await page.getByLabel('Account key').fill(adminKey);
      await page.keyboard.press('Enter');
      await press(page, 'button', 'Claim it for admin');
      await page.waitForURL(url(`/submissions/${sent.id}`));
      await page.goto(url(pathname + search));
      await press(page, 'button', 'Claim it for admin');
      await page.getByRole('alert').getByText('was already used').waitFor();
    });
    expect(await ask(`/v1/submissions/${sent.id}`)).toMatchObject({ status: 'accepted', account: { name: 'admin' } });
  });
});
