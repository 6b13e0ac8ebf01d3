import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import { createAccount, startTestServer, type TestServer } from '../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';

// Endpoints and their runs in the browser, against a model server.

let server: TestServer;
let model: FakeServer;
let browser: Browser;
describe.skipIf(chromiumPath === null)('an endpoint in the browser', () => {
  beforeAll(async () => {
    [server, model, browser] = await Promise.all([
      startTestServer({
        ...{ REGISTRATION: 'open', SAMPLE_DATA: 'false' },
        ...{ ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8', SECRET_KEY: 'a-secret-key-of-this-test-0123' },
      }),
      startFakeServer(),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([server?.dispose(), model?.close()]);
  });

  /** Opens a page and signs in with the key of a new account. */
  const signIn = async (page: Page, path: string, name: string) => {
    await page.goto(server.url + path);
    await page.getByLabel('Account key').fill(await createAccount(server.url, name));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Account key').waitFor({ state: 'detached' });
  };
  const desk = { viewport: { width: 1280, height: 900 } };

  test('is registered after the errors are corrected, checked, measured and removed', async () => {
    await withPage(browser, desk, async (page) => {
      await signIn(page, '/endpoints/new', 'operator');
      expect(new URL(page.url()).pathname).toBe('/endpoints/new');
      await page.getByLabel('Name (required)').fill('my server');
      await page.getByLabel('Base URL').fill(`http://127.0.0.1:${model.port}`);
      await page.getByLabel('Model').fill('fake-model');
      await page.getByLabel('GPU count').fill('two');
      await page.getByRole('button', { name: 'Register the endpoint' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('GPU count').getAttribute('aria-invalid')).toBe('true');
      expect(await page.getByLabel('Name (required)').inputValue()).toBe('my server');

      await page.getByLabel('GPU count').fill('2');
      await page.getByRole('button', { name: 'Register the endpoint' }).click();
      await page.getByRole('heading', { name: 'my server', level: 1 }).waitFor();
      const place = new URL(page.url()).pathname;
      await page.getByRole('button', { name: 'Check the server' }).click();
      await page.getByText('The server responds').waitFor();

      await page.getByLabel('Concurrent requests').fill('1, many');
      await page.getByRole('button', { name: 'Start the run' }).first().click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Concurrent requests').inputValue()).toBe('1, many');

      await page.getByLabel('Or prompt tokens').first().fill('64');
      await page.getByLabel('and output tokens').first().fill('16');
      await page.getByLabel('Concurrent requests').fill('1, 2');
      await page.getByLabel('Requests of each point').fill('40');
      await page.getByRole('button', { name: 'Start the run' }).first().click();
      await page.waitForURL(/\/runs\/run_/);
      await page.getByRole('heading', { name: 'Done' }).waitFor({ timeout: 60_000 });
      await page.reload();
      expect(await page.locator('#run-asked').innerText()).toMatch(/Requests\s+\d+ of 80, to fit the limits/);

      await page.goto(server.url + place);
      const runs = page.locator('#runs li');
      expect([await runs.count(), await runs.getByRole('button').count()]).toEqual([1, 0]);
      await page.getByRole('button', { name: 'Remove the endpoint' }).click();
      await page.waitForURL(/\/account#endpoints$/);
      expect(await page.locator('#endpoints li').count()).toBe(0);
      expect((await page.goto(server.url + place))?.status()).toBe(404);
    });
  });

  test('has schedules, and the account has webhooks with a secret that is shown once', async () => {
    await withPage(browser, desk, async (page) => {
      await signIn(page, '/endpoints/new', 'planner');
      await page.getByLabel('Name (required)').fill('nightly');
      await page.getByLabel('Base URL').fill(`http://127.0.0.1:${model.port}`);
      await page.getByLabel('Model').fill('fake-model');
      await page.getByRole('button', { name: 'Register the endpoint' }).click();
      await page.getByText('Run a named plan').click();
      const plan = page.locator('details', { hasText: 'Run a named plan' });
      await plan.getByLabel('Repeat').fill('30 3 * *');
      await plan.getByRole('button', { name: 'Start the run' }).click();
      await page.getByRole('alert').waitFor();
      expect(await plan.getByLabel('Repeat').inputValue()).toBe('30 3 * *');
      await plan.getByLabel('Repeat').fill('30 3 * * MON');
      await plan.getByRole('button', { name: 'Start the run' }).click();
      await page.waitForURL(/#schedules$/);
      expect(await page.locator('#schedules li').innerText()).toMatch(
        /inference-report\s+30 3 \* \* MON UTC · next \d/,
      );
      await page.getByRole('button', { name: 'Remove the schedule 30 3 * * MON' }).click();
      await page.locator('#schedules').waitFor({ state: 'detached' });

      await page.goto(`${server.url}/account`);
      await page.getByText('New webhook').click();
      await page.getByLabel('URL').fill(`http://127.0.0.1:${model.port}/hook`);
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      const secret = await page.getByLabel('The secret of the webhook', { exact: true }).innerText();
      expect(secret.length).toBeGreaterThan(20);
      await page.goto(`${server.url}/account`);
      expect(await page.locator('main').innerText()).not.toContain(secret);
      expect(await page.locator('#webhooks > ul > li').innerText()).toContain('run.ended, result.regressed');
      await page.getByRole('button', { name: /^Send a test message/ }).click();
      await page.getByText('Delivery log: 1 message').waitFor();
      await page.getByRole('button', { name: /^Remove/ }).click();
      await page.locator('#webhooks > ul > li').waitFor({ state: 'detached' });
    });
  });

  test('has a button that cancels a run', async () => {
    await withPage(browser, desk, async (page) => {
      const slow = await startFakeServer({ ttftMs: 5000 });
      try {
        await signIn(page, '/endpoints/new', 'impatient');
        await page.getByLabel('Name (required)').fill('slow');
        await page.getByLabel('Base URL').fill(`http://127.0.0.1:${slow.port}`);
        await page.getByLabel('Model').fill('fake-model');
        await page.getByRole('button', { name: 'Register the endpoint' }).click();
        await page.getByRole('button', { name: 'Start the run' }).first().click();
        await page.waitForURL(/\/runs\/run_/);
        await page.goBack();
        await page.reload();
        await page.getByRole('button', { name: /^Cancel the run/ }).click();
        await expect
          .poll(async () => {
            await page.reload();
            return page.locator('#runs .badge').innerText();
          })
          .toBe('canceled');
      } finally {
        await slow.close();
      }
    });
  });

  test('of another account is not found, and a form of another site changes nothing', async () => {
    await withPage(browser, desk, async (page) => {
      await signIn(page, '/endpoints/new', 'owner');
      await page.getByLabel('Name (required)').fill('private');
      await page.getByLabel('Base URL').fill(`http://127.0.0.1:${model.port}/v1`);
      await page.getByLabel('Model').fill('fake-model');
      await page.getByRole('button', { name: 'Register the endpoint' }).click();
      await page.getByRole('heading', { name: 'private', level: 1 }).waitFor();
      const url = page.url();
      const [cookie] = await page.context().cookies();
      const post = (fields: Record<string, string>, headers: Record<string, string>) =>
        fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
      const session = { cookie: `${cookie?.name}=${cookie?.value}` };
      expect((await post({ act: 'remove' }, session)).status).toBe(403);
      expect((await post({ act: 'remove' }, { ...session, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await page.reload())?.status()).toBe(200);
      await withPage(browser, desk, async (other) => {
        await signIn(other, '/account', 'neighbour');
        expect((await other.goto(url))?.status()).toBe(404);
        expect(await other.locator('main').innerText()).not.toContain('private');
      });
    });
  });
});
