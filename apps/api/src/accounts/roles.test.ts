import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtInPrices } from '@inferboard/core/prices/price-list';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { askApi } from '../site/ask-api.ts';
import { admitSite, siteKeyHeader } from '../site/site-key.ts';
import { parseEnv } from '../startup/env.ts';
import { builtCommand } from '../testing/built-command.ts';
import { useTestApp } from '../testing/index.ts';

describe('settings', () => {
  let folder: string;
  const prices = {
    as_of: '2026-11-01',
    source: { title: 'Our contract', url: 'https://example.com/prices' },
    tiers: { ours: 'what we pay' },
    default_tier: 'ours',
    gpus: { h100: { ours: 1.23 } },
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inferboard-settings-'));
    await writeFile(join(folder, 'secret'), 'sixteen-characters-and-more\n');
    await writeFile(join(folder, 'prices.json'), JSON.stringify(prices));
    await writeFile(join(folder, 'wrong.json'), JSON.stringify({ ...prices, default_tier: 'spot' }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('are read from files, without the final line break', () => {
    expect(parseEnv({ SECRET_KEY_FILE: join(folder, 'secret') }).SECRET_KEY).toBe('sixteen-characters-and-more');
    expect(parseEnv({ SECRET_KEY_FILE: '' }).SECRET_KEY).toBeUndefined();
  });

  it('can name a list of GPU prices that replaces the built-in one', () => {
    expect(parseEnv({ PRICES: join(folder, 'prices.json') }).PRICES).toMatchObject({
      asOf: '2026-11-01',
      gpus: [{ gpu: 'h100', usdPerHour: { ours: 1.23 } }],
    });
    expect(parseEnv({}).PRICES).toEqual(builtInPrices);
    expect(() => parseEnv({ PRICES: join(folder, 'wrong.json') })).toThrow(
      /PRICES names .*: "spot" is not in tiers\.$/,
    );
    expect(() => parseEnv({ PRICES: '/nonexistent' })).toThrow(
      'PRICES names /nonexistent, which cannot be read (ENOENT)',
    );
  });

  it('can name any number of read replicas', () => {
    const [one, two] = ['postgres://user:pass@10.0.0.6:5432/bench', 'postgres://user:pass@10.0.0.7:5432/bench'];
    expect(parseEnv({ DATABASE_READ_URL: `${one}, ${two}` }).DATABASE_READ_URL).toEqual([one, two]);
    expect(() => parseEnv({ DATABASE_READ_URL: ',' })).toThrow('DATABASE_READ_URL must name at least one database');
    expect(() => parseEnv({ DATABASE_READ_URL: `${one},10.0.0.7` })).toThrow('must be a URL such as postgres://');
  });

  it.each([
    [{ SECRET_KEY_FILE: '/nonexistent/secret' }, 'SECRET_KEY_FILE: /nonexistent/secret cannot be read (ENOENT)'],
    [{ SECRET_KEY_FILE: '/etc/hostname', SECRET_KEY: 'x'.repeat(20) }, 'SECRET_KEY and SECRET_KEY_FILE are both set'],
    [{ API_URL: 'http://api:8787' }, 'API_URL is only for a separate site process. Set ROLES to site'],
    [
      { API_URL: 'http://api:8787', ROLES: 'api,site' },
      'API_URL is only for a separate site process. Set ROLES to site',
    ],
    [
      { ROLES: 'worker' },
      'ROLES is worker, without api, so this process needs the database of the API. Set DATABASE_URL.',
    ],
    [{ ROLES: 'site' }, 'Set DATABASE_URL, or API_URL to the URL of the API.'],
    [{ SITE_KEY: 'short' }, 'SITE_KEY must have 24 characters or more'],
    [{ DRAIN_S: '61' }, 'DRAIN_S must be seconds: a whole number from 0 to 60'],
    [{ PROBE_PORT: 'none' }, 'PROBE_PORT must be a port number'],
    [{ PORT: '8787', PROBE_PORT: '8787' }, 'PROBE_PORT and PORT are both 8787. Set two different ports'],
    [{ DATABASE_DIRECT_URL: 'postgres://user@10.0.0.5/bench' }, 'DATABASE_DIRECT_URL requires DATABASE_URL'],
    [{ DATA_DIR_FILE: '/run/secrets/data' }, 'DATA_DIR_FILE is not a setting; set DATA_DIR itself.'],
    [{ SECRET_KEY_FIEL: '/run/secrets/key' }, 'SECRET_KEY_FIEL is not a setting; did you mean SECRET_KEY_FILE?'],
  ])('such as %o stop the start with a one-line message', (wrong, message) => {
    expect(() => parseEnv(wrong)).toThrow(message);
  });

  it('that are wrong are all named at once', () => {
    const wrong = { REGISTRATON: 'open', ADMN_KEY: 'x', SITE_KEY_FILE: '/nonexistent', CACHE_MB: 'lots', PORT: 'abc' };
    expect(() => parseEnv(wrong)).toThrow(
      'Cannot start: REGISTRATON is not a setting; did you mean REGISTRATION? ' +
        'ADMN_KEY is not a setting; did you mean ADMIN_KEY? SITE_KEY_FILE: /nonexistent cannot be read (ENOENT). ' +
        'PORT must be a port number; CACHE_MB must be megabytes: a whole number from 0 to 99999.',
    );
  });

  // An empty value counts as unset: a database URL in an empty file would start the embedded database.
  it('in an empty file stop the start', async () => {
    const empty = join(folder, 'empty');
    await writeFile(empty, '\n');
    expect(() => parseEnv({ DATABASE_URL_FILE: empty })).toThrow(`DATABASE_URL_FILE: ${empty} is empty.`);
  });

  it('can have the same port for probes in a process that only measures, or any free ports', () => {
    const DATABASE_URL = 'postgres://user@10.0.0.5/bench';
    expect(parseEnv({ ROLES: 'worker', DATABASE_URL, PROBE_PORT: '8787' }).PROBE_PORT).toBe(8787);
    expect(parseEnv({ PORT: '0', PROBE_PORT: '0' }).PROBE_PORT).toBe(0);
  });
});

describe('the key of a separate site', () => {
  const app = useTestApp({ reads: 1000 });
  const siteKey = 'a-key-that-both-know-0123456789';
  const paste = (headers: Record<string, string>, dryRun = true) => {
    const served = admitSite(createApp(app.deps), siteKey);
    const query = dryRun ? '?dry_run=true' : '';
    return served.request(`/v1/submissions${query}`, { method: 'POST', headers, body: 'nothing that a tool wrote' });
  };

  it('allows dry runs for visitors of the site, but stores nothing', async () => {
    expect((await paste({})).status).toBe(401);
    expect((await paste({ [siteKeyHeader]: 'a-key-that-nobody-knows-12345' })).status).toBe(401);
    expect((await paste({ [siteKeyHeader]: siteKey })).status).toBe(422);
    expect((await paste({ [siteKeyHeader]: siteKey }, false)).status).toBe(401);
  });

  it("exempts requests of the site from the API's quota", async () => {
    const served = admitSite(createApp(app.deps), siteKey);
    const counted = async (headers: Record<string, string>) =>
      (await served.request('/v1/systems', { headers })).headers.has('ratelimit');
    expect(await counted({})).toBe(true);
    expect(await counted({ [siteKeyHeader]: siteKey })).toBe(false);
  });

  it('has no effect if the API has no site key', async () => {
    const served = admitSite(createApp(app.deps), undefined);
    const init = { method: 'POST', headers: { [siteKeyHeader]: '' }, body: 'x' };
    expect((await served.request('/v1/submissions?dry_run=true', init)).status).toBe(401);
  });
});

describe('a separate site', () => {
  let server: Server;
  /** The outcome of each request in turn. */
  let fates: ('cut' | number)[] = [];
  const seen: { path: string | undefined; key: string | undefined }[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push({ path: request.url, key: request.headers[siteKeyHeader.toLowerCase()]?.toString() });
      const fate = fates.shift() ?? 200;
      if (fate === 'cut') request.destroy();
      else response.writeHead(fate).end(`answer ${fate}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());
  const ask = async (init?: RequestInit) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await askApi(url, 'the-key').fetch(new Request(`${url}/v1/systems`, init));
    return `${answer.status} ${await answer.text()}`;
  };

  it('retries while a process is being replaced, and sends its key', async () => {
    fates = ['cut', 502];
    seen.length = 0;
    expect(await ask()).toBe('200 answer 200');
    expect(seen).toEqual(Array(3).fill({ path: '/v1/systems', key: 'the-key' }));
    fates = ['cut'];
    expect(await ask({ method: 'POST', body: 'a paste' })).toBe('200 answer 200');
  });

  it('accepts any response of the API, including errors, and fails without a response', async () => {
    for (const status of [404, 422, 503]) {
      fates = [status];
      seen.length = 0;
      expect(await ask()).toBe(`${status} answer ${status}`);
      expect(seen).toHaveLength(1);
    }
    fates = ['cut', 'cut', 'cut'];
    await expect(ask()).rejects.toThrow();
  });
});

describe('npm run migrate', () => {
  const app = useTestApp();
  const run = (DATABASE_URL: string) =>
    promisify(execFile)(process.execPath, [builtCommand('migrate')], {
      env: { DATABASE_URL },
    });

  it('states that a database is up to date, and exits', async () => {
    expect((await run(app.databaseUrl)).stdout).toBe('The database is up to date.\n');
  });

  it('exits with 1 if there is no database', async () => {
    await expect(run('postgres://nobody:x@127.0.0.1:9/none')).rejects.toMatchObject({ code: 1 });
  });
});
