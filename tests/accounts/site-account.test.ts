import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOfKey } from '../../apps/api/src/signing/ed25519.ts';
import { registerSigner } from '../../apps/api/src/testing/signing.ts';
import { adminKey, createAccount, startTestServer, type TestServer } from '../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage, wordsOf } from '../support/site/browser.ts';

// Accounts, keys and sessions in the browser: use by keyboard, and attacks.

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    ...{ REGISTRATION: 'open', SAMPLE_DATA: 'false' },
    // Webhooks of the tests have a receiver on this machine.
    ...{ ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8', SECRET_KEY: 'a-secret-key-of-this-test-0123' },
  });
});
afterAll(() => server?.dispose());

const url = (path: string) => `${server.url}${path}`;

interface Sent {
  headers?: Record<string, string>;
  cookie?: string;
}

/** Posts a form without a browser, which would add headers. */
async function post(path: string, fields: Record<string, string>, { headers = {}, cookie }: Sent = {}) {
  const response = await fetch(url(path), {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { ...headers, ...(cookie !== undefined && { cookie }) },
    redirect: 'manual',
  });
  const html = await response.text();
  return { status: response.status, headers: response.headers, html, words: wordsOf(html) };
}

const cookieOf = (headers: Headers) => headers.getSetCookie()[0]?.split(';')[0] ?? '';
const signIn = async (key: string, sent: Sent = {}) =>
  post('/account', { act: 'sign-in', key, next: '/account' }, sent);
const look = async (path: string, cookie: string) => {
  const response = await fetch(url(path), { headers: { cookie } });
  const html = await response.text();
  return { status: response.status, headers: response.headers, html, words: wordsOf(html) };
};
const formTokenIn = (html: string) => /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
const keysOf = async (key: string) => {
  const response = await fetch(url('/v1/keys'), { headers: { authorization: `Bearer ${key}` } });
  return {
    status: response.status,
    data: ((await response.json()) as { data?: { id: string; revoked_at: string | null }[] }).data,
  };
};

describe('a session', () => {
  test('uses a cookie that scripts cannot read, and the account page is never cached', async () => {
    const key = await createAccount(server.url, 'cookie owner');
    const { status, headers } = await signIn(key);
    expect([status, headers.get('location')]).toEqual([303, '/account']);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^inferboard=ibs_[0-9A-Za-z]{36}; Path=\/; HttpOnly; SameSite=Lax; Expires=/),
    ]);
    const page = await look('/account', cookieOf(headers));
    expect(page.words).toContain('cookie owner');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.html).not.toContain(cookieOf(headers).split('=')[1]);
    // The same URL for an anonymous client, before and after.
    expect((await look('/account', '')).words).not.toContain('cookie owner');
    expect((await look('/account', cookieOf(headers))).words).toContain('cookie owner');
  });

  test('is new at each sign-in, regardless of the sent cookie, and ends the previous one', async () => {
    const key = await createAccount(server.url, 'fixated');
    const planted = `inferboard=ibs_${'a'.repeat(36)}`;
    const first = cookieOf((await signIn(key, { cookie: planted })).headers);
    expect(first).not.toBe(planted);
    expect((await look('/account', planted)).words).not.toContain('fixated');
    const attacker = cookieOf((await signIn(await createAccount(server.url, 'attacker'))).headers);
    // The attacker has planted their session in the victim's browser.
    const second = await fetch(url('/sign-in?link=x'), { headers: { cookie: attacker } });
    expect(second.status).toBe(200);
    const joined = await post(
      '/join',
      { name: 'fixated too', form_token: formTokenIn((await look('/join', attacker)).html) },
      { cookie: attacker },
    );
    expect(joined.words).toContain('fixated too');
    expect(cookieOf(joined.headers)).not.toBe(attacker);
    expect((await look('/account', attacker)).words).not.toContain('attacker');
  });

  test('ends when its key is revoked, and at sign-out', async () => {
    const key = await createAccount(server.url, 'robbed');
    const [mine, theirs] = [cookieOf((await signIn(key)).headers), cookieOf((await signIn(key)).headers)];
    const form_token = formTokenIn((await look('/account', mine)).html);
    expect((await post('/account', { act: 'sign-out', form_token }, { cookie: mine })).status).toBe(303);
    expect((await look('/account', mine)).words).not.toContain('robbed');
    expect((await look('/account', theirs)).words).toContain('robbed');
    const [id] = ((await keysOf(key)).data ?? []).map((one) => one.id);
    await fetch(url(`/v1/keys/${id}`), { method: 'DELETE', headers: { authorization: `Bearer ${key}` } });
    const after = await look('/account', theirs);
    expect(after.words).not.toContain('robbed');
    // The browser deletes the invalid cookie.
    expect(after.headers.getSetCookie()[0]).toMatch(/^inferboard=; .*Max-Age=0/);
  });

  test('lists the signing keys of the account, and can revoke them', async () => {
    const key = await createAccount(server.url, 'signs here');
    const signer = await registerSigner({ request: (path, init) => fetch(url(path), init) }, key);
    const cookie = cookieOf((await signIn(key)).headers);
    const page = await look('/account', cookie);
    expect(page.words).toContain(fingerprintOfKey(signer.publicKey));
    expect(page.words).toContain('never used');
    const form = { act: 'revoke-signing-key', id: signer.id, form_token: formTokenIn(page.html) };
    expect((await post('/account', { ...form, form_token: 'x' }, { cookie })).status).toBe(403);
    const { status, headers } = await post('/account', form, { cookie });
    expect([status, headers.get('location')]).toEqual([303, '/account#signing-keys']);
    expect((await look('/account', cookie)).words).toContain('Revoked signing keys (1)');
    expect((await post('/account', form, { cookie })).words).toContain('no signing key with this id');
  });

  test('shows the delivery log of its webhooks, and can send a message again', async () => {
    const received: { id: string; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      received.push({ id: String(request.headers['webhook-id']), body });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const key = await createAccount(server.url, 'hooked');
      const send = async (path: string, body: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const response = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
        return (await response.json()) as { id: string };
      };
      const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      const { id } = await send('/v1/webhooks', { url: hook, events: ['run.ended'] });
      const cookie = cookieOf((await signIn(key)).headers);
      expect((await look('/account', cookie)).words).toContain('No messages sent yet.');
      await send(`/v1/webhooks/${id}/test`, {});
      await expect
        .poll(async () => (await look('/account', cookie)).words)
        .toMatch(/Delivery log: 1 message .*ping .*delivered/);
      const page = await look('/account', cookie);
      const [message] = received;
      expect(page.words).toContain(message?.id);
      const form = { act: 'redeliver', id: message?.id ?? '', form_token: formTokenIn(page.html) };
      expect((await post('/account', { ...form, form_token: 'x' }, { cookie })).status).toBe(403);
      const { status, headers } = await post('/account', form, { cookie });
      expect([status, headers.get('location')]).toEqual([303, '/account#webhooks']);
      await expect.poll(() => received.length).toBe(2);
      expect(received[1]).toEqual(message);
      // Another account cannot send it.
      const other = cookieOf((await signIn(await createAccount(server.url, 'not hooked'))).headers);
      const form_token = formTokenIn((await look('/account', other)).html);
      const refused = await post('/account', { ...form, form_token }, { cookie: other });
      expect([refused.status, refused.words]).toEqual([
        404,
        expect.stringContaining('There is no delivery with this id'),
      ]);
    } finally {
      receiver.close();
    }
  });

  test('cannot be used by another site, or by a form without its token', async () => {
    const key = await createAccount(server.url, 'forged');
    const cookie = cookieOf((await signIn(key)).headers);
    const form_token = formTokenIn((await look('/account', cookie)).html);
    const [{ id = '' } = {}] = (await keysOf(key)).data ?? [];
    const revoke = { act: 'revoke-key', id };
    const tries: [Record<string, string>, Record<string, string>][] = [
      [{ ...revoke, form_token }, { 'sec-fetch-site': 'cross-site' }],
      [{ ...revoke, form_token }, { 'sec-fetch-site': 'same-site' }],
      [{ ...revoke, form_token }, { origin: 'http://evil.example' }],
      [{ ...revoke, form_token }, { origin: 'null' }],
      [revoke, {}],
      [{ ...revoke, form_token: 'x'.repeat(43) }, { 'sec-fetch-site': 'same-origin' }],
    ];
    for (const [fields, headers] of tries) {
      expect((await post('/account', fields, { cookie, headers })).status, JSON.stringify([fields, headers])).toBe(403);
      const forged = { ...fields, act: 'create-key', scope: 'submit' };
      expect((await post('/account', forged, { cookie, headers })).status).toBe(403);
    }
    expect((await keysOf(key)).data).toHaveLength(1);
    // Nor is the visitor signed in as another account.
    expect((await signIn(key, { headers: { 'sec-fetch-site': 'cross-site' } })).headers.getSetCookie()).toEqual([]);
    // The API accepts no cookies.
    expect((await fetch(url('/v1/me'), { headers: { cookie } })).status).toBe(401);
  });

  test('redirects only to pages of this site', async () => {
    const key = await createAccount(server.url, 'led');
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/a\r\nSet-Cookie: x=1',
    ])
      expect((await post('/account', { act: 'sign-in', key, next })).headers.get('location')).toBe('/account');
    expect((await post('/account', { act: 'sign-in', key, next: '/admin' })).headers.get('location')).toBe('/admin');
  });

  test('with a submit-only key cannot create or revoke keys', async () => {
    const key = await createAccount(server.url, 'narrow');
    const made = await fetch(url('/v1/keys'), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['submit'] }),
    });
    const { key: narrow } = (await made.json()) as { key: string };
    const cookie = cookieOf((await signIn(narrow)).headers);
    const page = await look('/account', cookie);
    expect(page.words).toContain('it cannot create or revoke keys');
    const form_token = formTokenIn(page.html);
    expect((await post('/account', { act: 'create-key', scope: 'submit', form_token }, { cookie })).status).toBe(403);
    const [, first] = (await keysOf(key)).data ?? [];
    expect((await post('/account', { act: 'revoke-key', id: first?.id ?? '', form_token }, { cookie })).status).toBe(
      403,
    );
  });
});

test('over HTTPS the session cookie is limited to this host and to HTTPS', async () => {
  const secure = await startTestServer({
    REGISTRATION: 'open',
    SAMPLE_DATA: 'false',
    PUBLIC_URL: 'https://board.example',
  });
  try {
    const key = await createAccount(secure.url, 'encrypted');
    const response = await fetch(`${secure.url}/account`, {
      method: 'POST',
      body: new URLSearchParams({ act: 'sign-in', key }),
      // The headers of a browser behind a proxy.
      headers: { origin: 'https://board.example' },
      redirect: 'manual',
    });
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-inferboard=ibs_\w{36}; Path=\/; HttpOnly; SameSite=Lax; Secure; /,
    );
  } finally {
    await secure.dispose();
  }
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  /** Presses Tab until the wanted element has the focus. */
  async function tabTo(page: Page, name: string | RegExp) {
    for (let i = 0; i < 80; i += 1) {
      await page.keyboard.press('Tab');
      const words = await page.evaluate(() => {
        const at = document.activeElement as HTMLInputElement | null;
        // The focus is between the last and the first element.
        if (at === null || at === document.body) return '';
        return `${at.getAttribute('aria-label') ?? ''} ${[...(at.labels ?? [])].map((label) => label.textContent).join(' ')} ${at.textContent ?? ''}`;
      });
      if (typeof name === 'string' ? words.includes(name) : name.test(words)) return;
    }
    throw new Error(`Tab never reached ${name}`);
  }

  test.each([
    ['with', true, 1280],
    ['without', false, 390],
  ])(
    'by keyboard %s JavaScript: join, store the key, create another, revoke it, sign out and in',
    async (_, javaScriptEnabled, width) => {
      const name = `by keyboard ${width}`;
      await withPage(browser, { javaScriptEnabled, viewport: { width, height: 800 } }, async (page, troubles) => {
        const check = async (what: string) => {
          if (javaScriptEnabled) expect(await axeViolations(page), what).toEqual([]);
        };
        await page.goto(url('/join'));
        await check('join');
        await tabTo(page, 'Name of the account');
        await page.keyboard.type(name);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Your account was created' }).waitFor();
        await check('joined');
        const key = (await page.getByRole('region', { name: 'Your key', exact: true }).textContent())?.trim() ?? '';
        expect(key).toMatch(/^ib_\w{36}$/);
        await tabTo(page, 'Go to your account');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
        expect(await page.content()).not.toContain(key);
        await tabTo(page, 'New key');
        await page.keyboard.press('Enter');
        await tabTo(page, 'Name');
        await page.keyboard.type('ci runner');
        await check('account');
        await page.keyboard.press('Enter');
        const made = page.getByRole('region', { name: 'Your key', exact: true });
        await made.waitFor();
        await check('made');
        const second = (await made.textContent())?.trim() ?? '';
        expect((await fetch(url('/v1/me'), { headers: { authorization: `Bearer ${second}` } })).status).toBe(200);
        await tabTo(page, 'Revoke ci runner');
        await page.keyboard.press('Enter');
        await tabTo(page, /^\s*Revoke ci runner$/);
        await page.keyboard.press('Enter');
        await page.getByText('Expired and revoked keys (1)').waitFor();
        expect((await fetch(url('/v1/me'), { headers: { authorization: `Bearer ${second}` } })).status).toBe(401);
        await tabTo(page, 'Sign out');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await check('signed out');
        await tabTo(page, 'Account key');
        await page.keyboard.type(`${key}x`);
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await check('refused');
        await tabTo(page, 'Account key');
        await page.keyboard.type(key);
        await page.keyboard.press('Enter');
        await page.getByText(name).waitFor();
        expect(await page.evaluate(() => document.cookie)).toBe('');
        expect(troubles).toEqual([]);
      });
    },
  );

  test.each([
    ['from another site', 'localhost'],
    ['from another port of the same host', '127.0.0.1'],
  ])('a page %s cannot send a form for a signed-in user, or frame the page', async (_, host) => {
    const name = `victim of ${host.replaceAll('.', '-')}`;
    const key = await createAccount(server.url, name);
    let body = '';
    const evil = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(body));
    evil.listen(0, '127.0.0.1');
    await once(evil, 'listening');
    const { port } = evil.address() as AddressInfo;
    try {
      await withPage(browser, {}, async (page) => {
        await page.goto(url('/account'));
        await page.getByLabel('Account key').fill(key);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText(name).waitFor();
        // The attacker even knows the form token of the session.
        const token = await page.locator('[name=form_token]').first().getAttribute('value');
        body = `<iframe src="${url('/account')}"></iframe><form method="post" action="${url('/account')}">
          <input name="act" value="create-key"><input name="scope" value="keys"><input name="form_token" value="${token}">
          <button>Win</button></form>`;
        await page.goto(`http://${host}:${port}/`);
        await page.getByRole('button', { name: 'Win' }).waitFor();
        expect(await page.frames()[1]?.content()).not.toContain(name);
        await page.getByRole('button', { name: 'Win' }).click();
        await page.getByRole('alert').waitFor();
        expect(await page.getByRole('alert').textContent()).toContain('another site');
      });
    } finally {
      evil.close();
    }
    expect((await keysOf(key)).data).toHaveLength(1);
  });
});

test('with closed registration, the page names who creates accounts, and an operator can sign in', async () => {
  const closed = await startTestServer({ SAMPLE_DATA: 'false' });
  try {
    const page = wordsOf(await (await fetch(`${closed.url}/join`)).text());
    expect(page).toContain('The operator of this board creates accounts');
    const posted = await fetch(`${closed.url}/join`, { method: 'POST', body: new URLSearchParams({ name: 'nobody' }) });
    expect(wordsOf(await posted.text())).not.toContain('Your key');
    const response = await fetch(`${closed.url}/account`, {
      method: 'POST',
      body: new URLSearchParams({ act: 'sign-in', key: adminKey }),
      redirect: 'manual',
    });
    expect(response.status).toBe(303);
  } finally {
    await closed.dispose();
  }
});
