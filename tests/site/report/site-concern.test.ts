import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { concernReasons } from '../../../packages/core/src/concerns.ts';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

let server: TestServer;
/** Submissions of the sample data, each reported once. */
let submissions: string[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const { data } = await (await fetch(`${server.url}/v1/submissions?limit=20`)).json();
  submissions = data.map(({ id }: { id: string }) => id);
});
afterAll(async () => {
  await server?.dispose();
});

const next = () => submissions.shift() ?? '';
const pageOf = (id: string) => `${server.url}/submissions/${id}/concern`;
const asAdmin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

const concernsOf = async (id: string) => {
  const response = await fetch(`${server.url}/v1/submissions/${id}/concerns`, { headers: asAdmin });
  return ((await response.json()) as { data: { id: string; reason: string; text: string; state: string }[] }).data;
};

async function send(id: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields);
  const response = await fetch(pageOf(id), { method: 'POST', body, headers, redirect: 'manual' });
  return { response, words: wordsOf(await response.text()) };
}

test('the form has every reason of the registry', async () => {
  const id = next();
  const html = await (await fetch(pageOf(id))).text();
  for (const { id: reason, label, meaning } of concernReasons) {
    expect(html).toContain(`value="${reason}"`);
    expect(wordsOf(html)).toContain(`${label} ${meaning}`);
  }
  expect(html).toMatch(/<meta name="robots" content="noindex"/);
  expect(await (await fetch(`${server.url}/submissions/${id}`)).text()).toContain(`href="/submissions/${id}/concern"`);
});

test('reports all errors at once, keeps the input, and stores nothing', async () => {
  const id = next();
  const { response, words } = await send(id, { reason: 'dislike', text: 'turned \u202e around' });
  expect(response.status).toBe(422);
  expect(words).toContain('Choose a reason.');
  expect(words).toContain('The text must be plain text without control characters.');
  expect(words).toContain('turned \u202e around');
  expect((await send(id, {})).words).toContain('The text must not be empty.');
  expect(await concernsOf(id)).toEqual([]);
});

test('shows errors for a large request, a missing form and a missing submission', async () => {
  const id = next();
  expect((await send(id, { reason: 'spam', text: 'x'.repeat(1001) })).response.status).toBe(422);
  expect((await send(id, { reason: 'spam', text: 'x'.repeat(40_000) })).response.status).toBe(413);
  const text = await fetch(pageOf(id), { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } });
  expect([text.status, wordsOf(await text.text())]).toEqual([
    400,
    expect.stringContaining('Submit the form from this page'),
  ]);
  expect((await send('sub_nobody', { reason: 'spam', text: 'It is.' })).response.status).toBe(404);
  expect(await concernsOf(id)).toEqual([]);
});

// Otherwise any page could make its visitors send reports, each from a different IP address.
test('a page of another site cannot send the form for its visitors', async () => {
  const id = next();
  for (const from of ['cross-site', 'same-site'])
    expect((await send(id, { reason: 'spam', text: 'It is.' }, { 'sec-fetch-site': from })).response.status).toBe(403);
  expect(await concernsOf(id)).toEqual([]);
});

test('stores one concern for a form that is sent more than once', async () => {
  const id = next();
  const { response } = await send(id, { reason: 'spam', text: 'It is\r\nan advertisement.' });
  expect(response.status).toBe(303);
  const [concern] = await concernsOf(id);
  expect(concern).toMatchObject({ reason: 'spam', text: 'It is\nan advertisement.', state: 'open' });
  expect(response.headers.get('location')).toBe(`/submissions/${id}/concern?reported=${concern?.id}`);
  expect((await send(id, { reason: 'spam', text: 'It is\r\nan advertisement.' })).response.status).toBe(303);
  const other = await send(id, { reason: 'copied', text: 'Something else.' });
  expect([other.response.status, other.words]).toEqual([409, expect.stringContaining(concern?.id ?? '')]);
  expect(await concernsOf(id)).toHaveLength(1);
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  test.each([
    ['with', true],
    ['without', false],
  ])('a reader reports a problem %s JavaScript, and sees the decision', async (_, javaScriptEnabled) => {
    const id = next();
    const words = `The artifact names another GPU, seen ${javaScriptEnabled ? 'with' : 'without'} a script.`;
    await withPage(browser, { javaScriptEnabled, viewport: { width: 320, height: 700 } }, async (page, troubles) => {
      await page.goto(`${server.url}/submissions/${id}`);
      await page.getByRole('link', { name: 'Report a problem' }).click();
      await page.getByRole('button', { name: 'Report it' }).click();
      const alert = page.getByRole('alert');
      expect(await alert.getByRole('link').allTextContents()).toHaveLength(2);
      await page.getByRole('radio', { name: 'Wrong system' }).check();
      await page.getByLabel('What you found').fill(words);
      await page.getByRole('button', { name: 'Report it' }).click();
      await page.getByRole('heading', { name: 'Report received' }).waitFor();
      await page.reload();
      const [concern] = await concernsOf(id);
      expect(await page.getByRole('status').textContent()).toContain(concern?.id);
      await page.getByRole('link', { name: "submission's page" }).click();
      // It is not public yet.
      expect(await page.getByText(words).count()).toBe(0);
      const decision = { decision: 'upheld', note: 'So it does.' };
      const init = { method: 'POST', headers: asAdmin, body: JSON.stringify(decision) };
      expect((await fetch(`${server.url}/v1/concerns/${concern?.id}/decision`, init)).status).toBe(200);
      await page.reload();
      const shown = page.locator('#concerns');
      for (const text of ['Upheld', 'Wrong system', words, 'So it does.'])
        expect(await shown.textContent()).toContain(text);
      expect(troubles).toEqual([]);
    });
  });
});
