/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapters } from '../../packages/core/src/adapters/index.ts';
import { createAccount, startTestServer, type TestServer } from '../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server?.dispose();
});

/** Terminal output of llama-bench: the command, and the line with the GPU. */
const artifact = `$ llama-bench -m llama-2-7b.Q4_0.gguf
  Device 0: NVIDIA GeForce RTX 4090, compute capability 8.9, VMM: yes
| model                          |       size |     params | backend    | ngl |            test |                  t/s |
| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           pp512 |     11634.04 ± 97.98 |
| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           tg128 |        158.95 ± 0.23 |
`;

const toText = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');

async function paste(fields: Record<string, string | File>) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const response = await fetch(`${server.url}/submit`, { method: 'POST', body });
  const html = await response.text();
  const understood = /<div id="understood"[\s\S]*?<section id="tools"/.exec(html)?.[0] ?? '';
  return { status: response.status, html, text: toText(understood) };
}

const countSubmissions = async () => {
  const { data } = await (await fetch(`${server.url}/v1/submissions?limit=200`)).json();
  return data.length;
};

describe('the list of tools', () => {
  test('has every tool of the registry, with a command that sends its output', async () => {
    const html = await (await fetch(`${server.url}/submit`)).text();
    for (const { id, title } of adapters) {
      const entry = new RegExp(`<details id="tool-${id}"[\\s\\S]*?</details>`).exec(html)?.[0] ?? '';
      expect(toText(entry), id).toContain(title);
      expect(toText(entry), id).toContain(`${server.url.replace('127.0.0.1', 'localhost')}/v1/submissions?`);
      expect(entry, id).toContain('curl -sS --data-binary @');
    }
  });

  // Users copy the command unchanged, so it must work.
  test('accepts the output sent by the shown command', async () => {
    const key = await createAccount(server.url, 'paste-lab');
    const response = await fetch(`${server.url}/v1/submissions?gpu=RTX%204090&quantization=Q4_0`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: artifact,
    });
    expect([200, 201]).toContain(response.status);
  });
});

describe('the paste box', () => {
  test('shows the tool, the system, the figures and the findings, and stores nothing', async () => {
    const before = await countSubmissions();
    const { status, text } = await paste({ artifact, notes: 'from the desk' });
    expect(status).toBe(200);
    for (const words of [
      'Preview',
      'llama-bench',
      'RTX 4090',
      'Q4_0',
      'tg128',
      '158.95',
      '± 0.23',
      'notes=from the desk',
      'Nothing was stored',
    ])
      expect(text).toContain(words);
    expect(await countSubmissions()).toBe(before);
  });

  test('shows the same as the API for the same bytes', async () => {
    const key = await createAccount(server.url, 'dry-lab');
    const response = await fetch(`${server.url}/v1/submissions?dry_run=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: artifact,
    });
    const answer = await response.json();
    const { text } = await paste({ artifact });
    expect(text).toContain(answer.artifact.sha256);
    // A visitor has no account, so the page does not compare with stored results.
    const found = answer.results.flatMap(({ findings }: { findings: { code: string; message: string }[] }) => findings);
    for (const { code, message } of found) if (code !== 'copied_artifact') expect(text).toContain(message);
  });

  test('keeps the pasted text and the fields, and shows missing facts at their fields', async () => {
    const bare = artifact.replace(/^ *Device.*\n/m, '');
    const { status, html, text } = await paste({ artifact: bare, engine_version: 'b1' });
    expect(status).toBe(422);
    expect(text).toMatch(/gpu/i);
    expect(html).toContain('| llama 7B Q4_0');
    expect(html).toMatch(/name="engine_version" value="b1"/);
    expect(html).toMatch(/<input id="fact-gpu"[^>]*aria-invalid="true"/);
    const { status: then } = await paste({ artifact: bare, gpu: 'rtx-4090' });
    expect(then).toBe(200);
  });

  test('marks the read lines, or the lines with errors after a rejection', async () => {
    const { html } = await paste({ artifact: `a log\nmore of it\nand more\n${artifact}` });
    expect(html).toMatch(/<li value="8" class="read"[^>]*>\s*<mark[^>]*>.*?llama 7B Q4_0/s);
    expect(html).not.toMatch(/<li value="8"[^>]*class="fault"/);
    const cut = artifact.replace('11634.04', '116…');
    const refused = await paste({ artifact: cut });
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/<li value="5" class="fault"/);
  });

  test('names the closest tool with its line marked, without the list of all tools', async () => {
    const { html, text } = await paste({
      artifact: 'a log\nSuccessful requests: 3\nBenchmark duration (s): 3\nTotal input tokens: 3\nMean TTFT (ms): 3\n',
    });
    expect(text).toContain('looks like');
    expect(html).toMatch(/<li value="5" class="fault"/);
    expect(text).not.toContain('evalscope perf:');
  });

  test('opens with a stored artifact and its marked lines, at the link in the response', async () => {
    const key = await createAccount(server.url, 'link-lab');
    const response = await fetch(`${server.url}/v1/submissions?gpu=RTX%204090&quantization=Q4_0`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: `${artifact}\n`,
    });
    const { links } = await response.json();
    const { pathname, search, hash } = new URL(links.read);
    expect(hash).toBe('#understood');
    const html = await (await fetch(`${server.url}${pathname}${search}`)).text();
    expect(html).toMatch(/<textarea[^>]*>\$ llama-bench -m/);
    expect(html).toMatch(/<li value="5" class="read"/);
    const nothing = await fetch(`${server.url}/submit?submission=sub_none`);
    expect(nothing.status).toBe(404);
    expect(await nothing.text()).toContain('role="alert"');
  });

  test('is linked in an error response', async () => {
    const key = await createAccount(server.url, 'refused-lab');
    const send = (format: string) =>
      fetch(`${server.url}/v1/submissions?format=${format}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: 'no tool printed this',
      });
    expect((await (await send('json')).json()).links.read).toMatch(/\/submit#paste$/);
    expect(await (await send('text')).text()).toMatch(/^See its lines: http.*\/submit#paste$/m);
  });

  test('accepts a file as well', async () => {
    const { status, text } = await paste({ artifact: '', file: new File([artifact], 'bench.txt') });
    expect(status).toBe(200);
    expect(text).toContain('@bench.txt');
  });

  test.each([
    ['an empty form', { artifact: '' }, 422],
    ['text that is not a result', { artifact: 'hello' }, 422],
    ['a body above the reading limit', { artifact: 'x'.repeat(1024 * 1024 + 1) }, 413],
    ['a body far above the limit', { artifact: 'x'.repeat(5 * 1024 * 1024) }, 413],
    ['an unknown fact', { artifact, tool: 'nobody-bench' }, 422],
    ['a character that text cannot have', { artifact: artifact.replace('CUDA', 'CU\u0000DA') }, 422],
  ])('returns a page for %s', async (_, fields, status) => {
    const answer = await paste(fields);
    expect(answer.status).toBe(status);
    expect(answer.html).toContain('<form id="paste-form"');
    expect(answer.text).toMatch(/role="alert"|Status \d{3}/);
  });

  test('shows an error on the page for a body that is not a form', async () => {
    for (const type of ['text/plain', 'multipart/form-data', 'application/json']) {
      const response = await fetch(`${server.url}/submit`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'x',
      });
      expect(response.status, type).toBe(400);
      expect(await response.text()).toContain('<form id="paste-form"');
    }
  });

  // Without a key, only the dry run is available.
  test('requires no key on the page, but requires one in the API', async () => {
    for (const query of ['', '?dry_run=true']) {
      const response = await fetch(`${server.url}/v1/submissions${query}`, { method: 'POST', body: artifact });
      expect(response.status).toBe(401);
    }
  });
});

describe('the buttons that submit', () => {
  test('store nothing for another site, or for an expired session', async () => {
    const before = await countSubmissions();
    const post = async (send: string, headers: Record<string, string> = {}) => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ artifact, send })) body.append(name, value);
      const response = await fetch(`${server.url}/submit`, { method: 'POST', body, headers, redirect: 'manual' });
      return { status: response.status, text: toText(await response.text()) };
    };
    const foreign = await post('account', { 'sec-fetch-site': 'cross-site' });
    expect([foreign.status, foreign.text]).toEqual([
      403,
      expect.stringContaining('The form was sent from another site.'),
    ]);
    const ended = await post('account');
    expect([ended.status, ended.text]).toEqual([401, expect.stringContaining('You are signed out.')]);
    // Registration is closed, so the API requires a key.
    expect((await post('anonymous')).status).toBe(401);

    const key = await createAccount(server.url, 'token-lab');
    const session = await fetch(`${server.url}/v1/sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { token } = (await session.json()) as { token: string };
    const stale = await post('account', { cookie: `inferboard=${token}` });
    expect([stale.status, stale.text]).toEqual([403, expect.stringContaining('The form belongs to another session.')]);
    expect(await countSubmissions()).toBe(before);
  });
});

describe.skipIf(chromiumPath === null)('with open registration', () => {
  let browser: Browser;
  let open: TestServer;
  beforeAll(async () => {
    [browser, open] = await Promise.all([launchBrowser(), startTestServer({ REGISTRATION: 'open' })]);
  });
  afterAll(async () => {
    await browser?.close();
    await open?.dispose();
  });

  test.each([true, false])(
    'requires no key, and the page shows the claim link, JavaScript %s',
    async (javaScriptEnabled) => {
      await withPage(browser, { javaScriptEnabled }, async (page, troubles) => {
        await page.goto(`${open.url}/submit`);
        expect(await page.locator('main').innerText()).toContain('You need no key');
        await page.getByLabel('Tool output').fill(artifact.replace('158.95', javaScriptEnabled ? '156.11' : '156.22'));
        await page.getByRole('button', { name: 'Preview' }).click();
        const submit = page.getByRole('button', { name: 'Submit without a key' });
        await submit.waitFor();
        if (javaScriptEnabled) expect(await axeViolations(page)).toEqual([]);
        await submit.press('Enter');
        const notice = page.getByRole('region', { name: 'Submitted' });
        await notice.waitFor();
        const claim = (await notice.locator('code').textContent()) ?? '';
        expect(claim).toMatch(/\/submissions\/sub_\w+\/claim\?token=ibc_/);
        expect(await page.locator('#send button').count()).toBe(0);
        if (javaScriptEnabled) expect(await axeViolations(page)).toEqual([]);
        await notice.getByRole('link', { name: 'Open the result' }).click();
        await page.waitForURL('**/submissions/sub_*');
        const stored = await (await fetch(`${open.url}/v1${new URL(page.url()).pathname}`)).json();
        expect(stored.account.name).toMatch(/^anonymous/);
        const { pathname, search } = new URL(claim);
        await page.goto(open.url + pathname + search);
        expect(await page.locator('h1').textContent()).toBe('Claim this submission');
        expect(troubles).toEqual([]);
      });
    },
  );

  test('still accepts a key', async () => {
    const key = await createAccount(open.url, 'open-lab');
    await withPage(browser, {}, async (page) => {
      await page.goto(`${open.url}/submit`);
      await page.getByLabel('Tool output').fill(artifact.replace('158.95', '155.11'));
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByLabel('Account key').fill(key);
      await page.getByRole('button', { name: 'Submit with the key' }).click();
      await page.waitForURL('**/submissions/sub_*');
      const stored = await (await fetch(`${open.url}/v1${new URL(page.url()).pathname}`)).json();
      expect(stored.account.name).toBe('open-lab');
    });
  });
});

describe('a submission', () => {
  test('has its verdict, provenance, findings, artifact, badge and data', async () => {
    const { data } = await (await fetch(`${server.url}/v1/submissions?limit=1`)).json();
    const [{ id }] = data;
    const html = await (await fetch(`${server.url}/submissions/${id}`)).text();
    for (const words of ['Provenance', 'Download the exact bytes', 'sha256', 'Findings', 'Badge'])
      expect(toText(html)).toContain(words);
    const links = [...html.matchAll(/(?:href|src)="(\/(?:v1|badges|og)[^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
    expect(links.some((href) => href.startsWith('/badges/submissions/'))).toBe(true);
    for (const href of new Set(links)) expect((await fetch(server.url + href)).status, href).toBe(200);
    const [, image = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
    expect(image).toContain(`/og/submissions/${id}.png`);
  });
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test.each([true, false])('pastes and reads, JavaScript %s', async (javaScriptEnabled) => {
    await withPage(browser, { javaScriptEnabled }, async (page, troubles) => {
      await page.goto(`${server.url}/submit`);
      await page.getByLabel('Tool output').fill(artifact);
      await page.getByLabel('Engine', { exact: true }).fill('llama.cpp');
      let loads = 0;
      page.on('load', () => {
        loads += 1;
      });
      await page.getByRole('button', { name: 'Preview' }).click();
      const understood = page.locator('#understood');
      await understood.getByRole('heading', { name: 'Preview' }).waitFor();
      expect(await understood.innerText()).toContain('158.95');
      expect(await page.getByLabel('Tool output').inputValue()).toContain('158.95');
      // With a script the page stays; without one it reloads.
      expect(loads).toBe(javaScriptEnabled ? 0 : 1);
      expect(troubles).toEqual([]);
    });
  });

  const read = 'Preview';

  test('marks missing facts next to the preview, without a new page', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/submit`);
      await page.getByLabel('Tool output').fill(artifact.replace(/^ *Device.*\n/m, ''));
      await page.getByRole('button', { name: read }).click();
      const gpu = page.locator('#fact-gpu[aria-invalid="true"]');
      await gpu.waitFor();
      expect(await page.getByRole('button', { name: 'Submit', exact: true }).isVisible()).toBe(false);
      await gpu.fill('rtx-4090');
      await page.getByRole('button', { name: read }).click();
      await page.locator('#understood').getByRole('heading', { name: 'Preview' }).waitFor();
      expect(await page.locator('[aria-invalid="true"]').count()).toBe(0);
      expect(await page.locator('#fact-gpu').inputValue()).toBe('rtx-4090');
    });
  });

  test('reads a dropped file and submits it with a key that stays in the tab', async () => {
    const key = await createAccount(server.url, 'drop-lab');
    await withPage(browser, {}, async (page, troubles) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`${server.url}/submit`);
      await page.locator('#paste-form').evaluate((form, text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], 'dropped.txt', { type: 'text/plain' }));
        form.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, artifact);
      await page.locator('#understood').getByRole('heading', { name: 'Preview' }).waitFor();
      const submit = page.getByRole('button', { name: 'Submit', exact: true });
      const field = page.getByLabel('Account key');
      await field.fill('ib_wrong');
      await submit.click();
      await page.locator('#send-fault', { hasText: 'key' }).waitFor();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
      await field.fill(key);
      await submit.click();
      await page.waitForURL('**/submissions/sub_*');
      const stored = await (await fetch(`${server.url}/v1${new URL(page.url()).pathname}`)).json();
      expect(stored.account.name).toBe('drop-lab');
      const bytes = await (await fetch(`${server.url}/v1${new URL(page.url()).pathname}/artifact`)).text();
      expect(bytes).toBe(artifact);
      expect(asked.filter((url) => url.includes(key))).toEqual([]);
      await page.goto(`${server.url}/submit`);
      await page.getByLabel('Tool output').fill(artifact);
      await page.getByRole('button', { name: read }).click();
      await field.waitFor();
      expect(await field.inputValue()).toBe(key);
      expect(troubles).toEqual([]);
    });
  });

  test.each([true, false])(
    'a signed-in account submits without entering its key, JavaScript %s',
    async (javaScriptEnabled) => {
      const name = `signed-in-${javaScriptEnabled}`;
      const key = await createAccount(server.url, name);
      await withPage(browser, { javaScriptEnabled }, async (page, troubles) => {
        await page.goto(`${server.url}/account`);
        await page.getByLabel('Account key').fill(key);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByLabel('Account key').waitFor({ state: 'detached' });
        await page.goto(`${server.url}/submit`);
        await page.getByLabel('Tool output').fill(artifact.replace('158.95', javaScriptEnabled ? '157.11' : '157.22'));
        await page.getByRole('button', { name: read }).click();
        const submit = page.getByRole('button', { name: 'Submit', exact: true });
        await submit.waitFor();
        expect(await page.locator('#send').innerText()).toContain(`You are signed in as ${name}.`);
        expect(await page.getByLabel('Account key').count()).toBe(0);
        await submit.press('Enter');
        await page.waitForURL('**/submissions/sub_*');
        const stored = await (await fetch(`${server.url}/v1${new URL(page.url()).pathname}`)).json();
        expect(stored.account.name).toBe(name);
        expect(troubles).toEqual([]);
      });
    },
  );

  test('requires a new preview after a change', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/submit`);
      const box = page.getByLabel('Tool output');
      await box.fill(artifact);
      await page.getByRole('button', { name: read }).click();
      const submit = page.getByRole('button', { name: 'Submit', exact: true });
      await submit.waitFor();
      await box.press('End');
      await box.pressSequentially(' ');
      expect(await submit.isVisible()).toBe(false);
    });
  });

  test('works by keyboard only', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/submit`);
      await page.getByLabel('Tool output').focus();
      await page.keyboard.insertText(artifact);
      await page.getByRole('button', { name: 'Preview' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('#understood').getByRole('heading', { name: 'Preview' }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('understood');
    });
  });

  test('copies each command with a button', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await withPage(browser, { permissions }, async (page) => {
      await page.goto(`${server.url}/submit`);
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(await page.locator('[data-copy] code').first().textContent());
    });
  });

  test('shows submitted text as plain text', async () => {
    const script = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
    await withPage(browser, { javaScriptEnabled: true }, async (page, troubles) => {
      page.on('dialog', (dialog) => {
        troubles.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      for (const name of ['Model', 'GPU', 'Quantization', 'Engine', 'Scenario']) {
        await page.goto(`${server.url}/submit`);
        await page.getByLabel('Tool output').fill(artifact.replace('llama 7B Q4_0', script));
        await page.getByLabel(name, { exact: true }).fill(script);
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.locator('#understood section').first().waitFor();
        expect(await page.locator('img[src="x"]').count(), name).toBe(0);
        expect(troubles, name).toEqual([]);
      }
    });
  });
});
