import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../apps/api/src/testing/index.ts';
import {
  base64url,
  expectRule,
  multipart,
  multipartType,
  nativeReport,
  type Part,
  problemOf,
  see,
  sglangLine,
} from './support/hostile.ts';
import { startTestServer, type TestServer } from './support/server.ts';

// Whatever a client sends: never a 5xx, every refusal a problem document naming the fault, nothing ignored in silence.

const app = useTestApp();
const authorization = `Bearer ${adminKey}`;
const unspecified = 'model=unspecified&gpu=unspecified&quantization=bf16';
let systemId = '';

const look = (path: string, init?: RequestInit) => see(app.request, path, init);
const submit = (body: string | Uint8Array, query = '', headers: Record<string, string> = {}) =>
  look(`/v1/submissions${query === '' ? '' : `?${query}`}`, {
    method: 'POST',
    headers: { authorization, ...headers },
    body: typeof body === 'string' ? body : Uint8Array.from(body),
  });

interface Found {
  code: string;
  severity: string;
}
interface SystemView {
  id: string;
  label: string;
  gpu_count: number | null;
  model: { name: string };
  engine: { version: string | null };
}
interface SubmissionView {
  id: string | null;
  status: string;
  duplicate: boolean;
  notes: string | null;
  results: { system: SystemView; scenario: { kernel: unknown }; findings: Found[]; measured_at: string | null }[];
}
const viewOf = (text: string) => JSON.parse(text) as SubmissionView;

/** A submission that must be read; its first result. */
async function firstResult(body: string, query = 'dry_run=true') {
  const seen = await submit(body, query);
  expectRule(seen);
  expect(seen.status, seen.text.slice(0, 300)).toBeLessThan(300);
  const view = viewOf(seen.text);
  const [result] = view.results;
  if (result === undefined) throw new Error('no result');
  return { view, result };
}

beforeAll(async () => {
  const { result } = await firstResult(
    nativeReport({ system: { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', gpu_count: 1 } }),
    '',
  );
  systemId = result.system.id;
});

const reads = ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/systems/{id}'];
const pathOf = (template: string) => template.replace('{id}', systemId);

describe('filters', () => {
  const textFilters = ['model', 'model_family', 'quantization', 'gpu', 'engine', 'engine_version', 'scenario'];
  const names = [...textFilters, 'account', 'tool'];
  const hostileTexts: [string, string, number[]][] = [
    ['nothing', '', [422]],
    ['U+0000', '%00', [422]],
    ['U+0000 inside', 'a%00b', [422]],
    ['a broken escape', '%ff', [200, 422]],
    ['an encoded surrogate', '%ED%A0%80', [200, 422]],
    ['SQL in quotes', "'%20or%201%3D1--", [200, 422]],
    ['SQL behind a semicolon', '%27%3B%20drop%20table%20results%3B--', [200, 422]],
    ['a backslash', '%5C', [200, 422]],
    ['JSON', '%7B%22a%22%3A1%7D', [200, 422]],
    ['201 characters', 'x'.repeat(201), [422]],
    ['9 000 characters', 'y'.repeat(9000), [422]],
    ['__proto__', '__proto__', [200, 422]],
    ['letters that expand', encodeURIComponent('ﷺ'.repeat(100)), [200, 422]],
  ];
  describe.each(names)('%s', (name) => {
    it.each(hostileTexts)('takes or refuses %s', async (_, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses, `${read}: ${seen.text.slice(0, 200)}`).toContain(seen.status);
        if (seen.status === 422) expect(problemOf(seen).errors?.[0]?.parameter).toBe(name);
      }
    });
  });

  const numbers: [string, number[]][] = [
    ['1e400', [422]],
    ['-0', [200, 422]],
    ['NaN', [422]],
    ['Infinity', [422]],
    ['1e99', [200, 422]],
    ['9'.repeat(40), [422]],
    ['2147483648', [200, 422]],
    ['0x10', [422]],
    ['1,5', [422]],
    ['%D9%A1', [422]],
    ['1%00', [422]],
  ];
  const numeric = ['gpu_count', 'gpu_power_limit_w', 'load_level', 'min_load_level', 'min_ttft_ms', 'max_itl_ms_p99'];
  it.each(numeric.flatMap((name) => numbers.map(([value, statuses]) => [name, value, statuses] as const)))(
    '%s=%s',
    async (name, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses).toContain(seen.status);
      }
    },
  );

  const times: [string, number[]][] = [
    ['0000-01-01T00:00:00Z', [200, 422]],
    ['0001-01-01T00:00:00Z', [200, 422]],
    ['9999999-01-01', [422]],
    ['9999-12-31T23:59:59-23:59', [200, 422]],
    ['0000-01-01T00:00:00%2B23:59', [200, 422]],
    ['2026-01-01T00:00:00%2B23:59', [200, 422]],
    [`2026-01-01T00:00:00.${'1'.repeat(150)}Z`, [200, 422]],
    ['2026-02-30T00:00:00Z', [422]],
    ['2026-01-01T24:00:00Z', [422]],
    ['2026-01-01', [422]],
    ['now', [422]],
  ];
  it.each(['since', 'until'].flatMap((name) => times.map(([value, statuses]) => [name, value, statuses] as const)))(
    '%s=%s',
    async (name, value, statuses) => {
      for (const read of reads) {
        const seen = await look(`${pathOf(read)}?${name}=${value}`);
        expectRule(seen);
        expect(statuses, seen.text.slice(0, 200)).toContain(seen.status);
      }
    },
  );

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__[x]', 'a.b', 'gpu[]', 'Limit', 'q%00'])(
    'refuses the parameter %s by name',
    async (name) => {
      for (const read of [...reads, '/v1/submissions']) {
        const seen = await look(`${pathOf(read)}?${name}=1`);
        expectRule(seen);
        expect(seen.status).toBe(422);
        expect(problemOf(seen).errors?.[0]).toMatchObject({ code: 'parameter_unknown' });
      }
    },
  );

  it.each(['limit', 'cursor', 'since', 'min_ttft_ms', 'min_load_level'])(
    'says that %s may be given once',
    async (name) => {
      const seen = await look(`/v1/results?${name}=5&${name}=6`);
      expectRule(seen);
      expect(seen.status).toBe(422);
      expect(problemOf(seen).errors).toEqual([expect.objectContaining({ parameter: name })]);
    },
  );

  it('refuses more than 50 values', async () => {
    const seen = await look(`/v1/leaderboard?${'model=x&'.repeat(60)}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
  });

  it('names every fault at once', async () => {
    const seen = await look('/v1/leaderboard?rank_by=xx&gpu=nosuchgpu&cursor=zz&limit=0&bogus=1');
    expectRule(seen);
    const named = problemOf(seen).errors?.map((item) => item.parameter);
    expect(named?.toSorted()).toEqual(['bogus', 'cursor', 'gpu', 'limit', 'rank_by']);
  });

  it.each([
    ['/v1/leaderboard', 'account', 'nobody-at-all'],
    ['/v1/leaderboard', 'tool', 'no-such-tool'],
    ['/v1/leaderboard', 'model_family', 'llamma'],
    ['/v1/leaderboard', 'engine_version', 'no-such-version'],
    ['/v1/results', 'system', 'sys_nothing'],
    ['/v1/submissions', 'account', 'nobody-at-all'],
    ['/v1/systems/{id}', 'gpu', 'nosuchgpu'],
    ['/v1/systems/{id}', 'model', 'nosuchmodel'],
    ['/v1/systems/{id}', 'scenario', 'nosuchscenario'],
  ])('%s: an unknown %s is a typing error, not an empty answer', async (read, name, value) => {
    const seen = await look(`${pathOf(read)}?${name}=${value}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
    expect(problemOf(seen).errors?.[0]).toMatchObject({ code: 'value_unknown', parameter: name });
  });

  it.each([
    ['scenario', 'Decode-Bound'],
    ['scenario', 'decode_bound'],
    ['scenario', 'pp4096'],
    ['account', 'ADMIN'],
    ['tool', 'native'],
  ])('%s=%s is resolved as it would be in a submission', async (name, value) => {
    const seen = await look(`/v1/results?${name}=${value}`);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(200);
  });

  it('does not drop the count that a GPU value carries', async () => {
    const seen = await look('/v1/results?gpu=8xH100');
    expectRule(seen);
    // One H100 was submitted: either the count filters, or it is refused.
    if (seen.status === 200) expect(JSON.parse(seen.text).data).toEqual([]);
  });
});

describe('cursors', () => {
  const forged = [
    '"\\u0000"',
    '"\\ud800"',
    '[1,"\\u0000"]',
    '["\\u0000","a"]',
    '["a","b"]',
    '[1e999,"a"]',
    '[-0,"a"]',
    '[5e-324,"a"]',
    '[null,null]',
    '{"__proto__":1}',
    '{"0":1,"1":"a","length":2}',
    '',
    'not json',
    `"${'x'.repeat(200)}"`,
  ];
  const lists = ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/submissions'];
  const cursors = [
    ...forged.map((text) => [`an encoded ${text.slice(0, 30)}`, base64url(text)] as const),
    ['!!!', '!!!'],
    ['%00', '%00'],
    ['600 characters', 'z'.repeat(600)],
  ] as const;
  describe.each(lists)('%s', (list) => {
    it.each(cursors)('takes or refuses %s', async (_, cursor) => {
      const seen = await look(`${list}?cursor=${cursor}`);
      expectRule(seen);
      expect([200, 422]).toContain(seen.status);
    });
  });

  it('takes every cursor it gave, however long the names are', async () => {
    const system = (i: string) => ({
      model: `${'模'.repeat(190)}${i}`,
      gpu: '卡'.repeat(200),
      quantization: '量'.repeat(200),
      engine: { name: '擎'.repeat(200), version: '版'.repeat(200) },
    });
    for (const i of ['a', 'b']) await firstResult(nativeReport({ system: system(i) }), '');
    let cursor: string | null = null;
    const seenIds = new Set<string>();
    do {
      const path: string = `/v1/systems?limit=1&include=quarantined${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = await app.get<{ data: { id: string }[]; next_cursor: string | null }>(path);
      for (const { id } of page.data) seenIds.add(id);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seenIds.size).toBeGreaterThanOrEqual(3);
  });

  it('refuses a cursor of another question', async () => {
    const cursor = base64url(JSON.stringify([5, 'sys_1']));
    const seen = await look(`/v1/leaderboard?rank_by=ttft_ms_mean&order=desc&cursor=${cursor}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
  });
});

describe('paths', () => {
  const ids = [
    '%00',
    'a%00b',
    '%2F',
    '..%2f..%2fetc%2fpasswd',
    '%E0%A4%A',
    '%ff',
    '%F0%9F%92%A9',
    'x'.repeat(10_000),
    "'%20or%201%3D1--",
    'sub_%0d%0aSet-Cookie%3Aa%3Db',
    '__proto__',
    '%22%3E%3Cscript%3E',
  ];
  const places = ['/v1/submissions/ID', '/v1/submissions/ID/artifact', '/v1/systems/ID', '/v1/ID'];
  it.each(places.flatMap((place) => ids.map((id) => [place, id] as const)))(
    '%s with %s is a 404',
    async (place, id) => {
      const seen = await look(place.replace('ID', id));
      expectRule(seen);
      expect(seen.status).toBe(404);
      expect(seen.headers.get('set-cookie')).toBeNull();
    },
  );

  it.each(['%00', 'nope', '__proto__', 'constructor'])(
    'a catalogue %s is refused in words about the path',
    async (kind) => {
      const seen = await look(`/v1/catalogue/${kind}`);
      expectRule(seen);
      expect([404, 422]).toContain(seen.status);
      expect(problemOf(seen).detail).not.toContain('body');
    },
  );
});

describe('methods', () => {
  const paths = [
    '/v1/results',
    '/v1/accounts',
    '/v1/catalogue/gpus',
    '/healthz',
    '/openapi.json',
    '/docs',
    '/docs/errors',
  ];
  it.each(paths.flatMap((path) => ['PATCH', 'PUT', 'DELETE', 'PROPFIND'].map((method) => [method, path] as const)))(
    '%s %s is a 405 that names what is possible',
    async (method, path) => {
      const seen = await look(path, { method });
      expectRule(seen);
      expect(seen.status).toBe(405);
      expect(seen.headers.get('allow')).toMatch(/GET|POST/);
    },
  );

  const compared = ['etag', 'content-type', 'content-encoding', 'vary', 'cache-control'];
  it.each(
    ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/catalogue/gpus', '/openapi.json'].flatMap((path) =>
      ['identity', 'gzip'].map((encoding) => [path, encoding] as const),
    ),
  )('HEAD %s (%s) has the headers of GET', async (path, encoding) => {
    const headers = { 'accept-encoding': encoding };
    const get = await app.request(path, { headers });
    const head = await app.request(path, { method: 'HEAD', headers });
    expect(await head.text()).toBe('');
    expect(head.status).toBe(get.status);
    for (const name of compared) expect(head.headers.get(name), name).toBe(get.headers.get(name));
  });

  it.each([
    '/v1/leaderboard',
    '/v1/results',
    '/v1/systems',
    '/v1/submissions',
    '/v1/catalogue/metrics',
    '/openapi.json',
  ])('GET %s has a strong ETag and answers 304', async (path) => {
    const etag = (await look(path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const sent of [etag, `"x", ${etag}`, `W/${etag}`, '*']) {
      const again = await look(path, { headers: { 'if-none-match': sent } });
      expect(again.status, sent).toBe(304);
      expect(again.text).toBe('');
    }
    expect((await look(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('does not answer a POST with 304', async () => {
    const seen = await submit(nativeReport(), 'dry_run=true', { 'if-none-match': '*' });
    expect(seen.status).toBe(200);
  });
});

describe('keys', () => {
  const secret = 'ib_abcdefghijklmnopqrstuvwxyz0123456789';
  it.each([
    '',
    'Bearer',
    'Basic abc',
    `Bearer ${adminKey} x`,
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer ib_short',
    `Bearer ${secret}`,
    adminKey,
    `Bearer ${adminKey},${adminKey}`,
  ])('Authorization: %s is a 401', async (header) => {
    const seen = await look('/v1/results', { headers: { authorization: header } });
    expectRule(seen, { secrets: [adminKey, secret] });
    expect(seen.status).toBe(401);
    expect(seen.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(['api_key', 'KEY', 'token', 'access_token'])(
    'a %s in the query is a 400 that does not repeat it',
    async (name) => {
      const seen = await look(`/v1/results?${name}=${secret}`);
      expectRule(seen, { secrets: [secret] });
      expect(seen.status).toBe(400);
    },
  );

  it.each(['/v1/submissions/KEY', '/v1/systems/KEY', '/v1/KEY'])(
    'a key in the path %s is not repeated',
    async (path) => {
      const seen = await look(path.replace('KEY', secret));
      expectRule(seen, { secrets: [secret] });
    },
  );

  it.each([
    ['notes', `key is ${secret} indeed`],
    ['notes', 'HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123'],
    ['source_url', 'https://user:hunter2-pass@example.org/run'],
  ])('a secret in %s is not published', async (name, value) => {
    const seen = await submit(nativeReport(), `dry_run=true&${new URLSearchParams({ [name]: value })}`);
    expectRule(seen, { secrets: [value] });
    expect(seen.status).toBe(422);
  });

  it.each([
    ['/v1/submissions?bogus=1', 'text/plain', 'x'],
    ['/v1/accounts', 'application/json', '{"bogus":1}'],
    ['/v1/accounts', 'application/json', '{'],
  ])('POST %s without a key is a 401 before anything is looked at', async (path, type, body) => {
    const seen = await look(path, { method: 'POST', headers: { 'content-type': type }, body });
    expectRule(seen);
    expect(seen.status).toBe(401);
  });
});

describe('artifacts', () => {
  const raw = (from: string, to: string, over?: Parameters<typeof nativeReport>[0]) =>
    nativeReport(over).replace(from, to);
  const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
  const refused: [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['blanks', '  \n\t '],
    ['a byte order mark alone', Buffer.from([0xef, 0xbb, 0xbf])],
    ['a UTF-16 mark alone', Buffer.from([0xff, 0xfe])],
    ['brackets 100 000 deep', '['.repeat(100_000)],
    ['objects 100 000 deep', '{"a":'.repeat(100_000)],
    ['objects 201 deep', `${'{"a":'.repeat(201)}1${'}'.repeat(201)}`],
    ['1e309', raw('800', '1e309')],
    ['-1e309', raw('800', '-1e309')],
    ['100 000 digits', raw('800', '9'.repeat(100_000))],
    ['2^53 + 1 requests', raw('"output_tok_s":800', '"requests_ok":9007199254740993')],
    ['a key twice', raw('"load":', '"load":1,"load":')],
    ['__proto__ as a key', raw('"load":', '"__proto__":1,"load":')],
    ['constructor as a key', raw('"load":', '"constructor":1,"load":')],
    ['toString as a metric', raw('"output_tok_s"', '"toString"')],
    ['constructor as a definition', nativeReport({ result: { definitions: { constructor: 'x' } } })],
    ['U+0000', '{"a":"\u0000"}'],
    ['U+0000 escaped', raw('unspecified', 'a\\u0000')],
    ['a lone high surrogate', raw('unspecified', 'a\\ud800')],
    ['a lone low surrogate', raw('unspecified', '\\udc00a')],
    ['a lone surrogate in a key', raw('"output_tok_s"', '"\\ud800"')],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['half a UTF-16 character', Buffer.from([0xff, 0xfe, 0x61])],
    ['UTF-16 without a mark', Buffer.from(nativeReport(), 'utf16le')],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x7b, 0, 0, 0])],
    ['a zip', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(1000, 7)])],
    ['a gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['null', 'null'],
    ['an empty object', '{}'],
    ['no results', '{"schema":"inferboard/v1","results":[]}'],
    ['a schema of the future', '{"schema":"inferboard/v9","results":[]}'],
    ['99 999 999 999 GPUs', nativeReport({ system: { gpu_count: 99_999_999_999 } })],
    ['2^31 GPUs', nativeReport({ system: { gpu_count: 2 ** 31 } })],
    ['2^31 wide tensors', nativeReport({ system: { parallelism: { tensor: 2 ** 31 } } })],
    ['2^31 input tokens', nativeReport({ scenario: { input_tokens: 2 ** 31, output_tokens: 1 } })],
    ['2^53 - 1 output tokens', nativeReport({ scenario: { input_tokens: 1, output_tokens: 2 ** 53 - 1 } })],
    ['2^31 deep', nativeReport({ scenario: { input_tokens: 1, output_tokens: 1, depth: 2 ** 31 } })],
    ['repetition 2^31', nativeReport({ result: { repetition: 2 ** 31 } })],
    ['a fractional concurrency', nativeReport({ result: { load: { mode: 'concurrency', level: 1.5 } } })],
    ['an infinite feature', raw('"x":1', '"x":Infinity', { system: { features: { x: 1 } } })],
    ['a duration of 0', nativeReport({ result: { metrics: { duration_s: 0, requests_ok: 0, req_s: 0 } } })],
    ['the year 0', nativeReport({ result: { measured_at: '0000-01-01T00:00:00Z' } })],
    ['the year 10 000', nativeReport({ result: { measured_at: '9999-12-31T23:59:59-23:59' } })],
    ['a name with a bidi override', nativeReport({ system: { model: 'abc\u202egpj' } })],
    ['a name with an escape', nativeReport({ system: { model: 'abc\u001b[31m' } })],
    ['a name of two lines', nativeReport({ system: { engine: { name: 'a\nb' } } })],
    ['a name of 201 characters', nativeReport({ system: { model: 'm'.repeat(201) } })],
    ['2^31 input tokens of SGLang', sglangLine(0, { input_len: 2 ** 31 })],
    ['3e9 output tokens of SGLang', sglangLine(0, { output_len: 3e9 })],
    ['samples without their metric', nativeReport({ result: { repeats: { samples: { decode_tok_s: [1, 2] } } } })],
    ['1e308', raw('800', '1e308')],
    ['5e-324', raw('800', '5e-324')],
    ['2^53 - 1 repetitions', nativeReport({ result: { repeats: { n: 2 ** 53 - 1, sd: { output_tok_s: 1 } } } })],
    ['10 001 lines', Array.from({ length: 10_001 }, (_, i) => sglangLine(i)).join('\n')],
  ];
  it.each(refused)('refuses %s, whether stored or tried', async (_, body) => {
    for (const query of [`dry_run=true&${unspecified}`, unspecified]) {
      const seen = await submit(body, query);
      expectRule(seen, { slowestMs: 2000 });
      expect(seen.status, seen.text.slice(0, 200)).toBe(422);
    }
  });

  const taken: [string, string | Uint8Array][] = [
    ['a byte order mark', `\ufeff${nativeReport()}`],
    ['UTF-16', utf16(nativeReport())],
    ['NaN beside a figure', raw('"output_tok_s":800', '"output_tok_s":800,"req_s":NaN')],
    ['constructor as a feature', nativeReport({ system: { features: { constructor: 1, to_string: true } } })],
    ['a power limit of a megawatt', nativeReport({ system: { gpu_power_limit_w: 1_000_000 } })],
    ['a power limit of a milliwatt', nativeReport({ system: { gpu_power_limit_w: 0.001 } })],
    ['1e308 requests a second', nativeReport({ result: { load: { mode: 'rate', level: 1e308 } } })],
    ['quotes and SQL in a name', nativeReport({ system: { model: `"'; drop table results; --\\` } })],
    ['a name in four alphabets', nativeReport({ system: { model: 'модель-模型-नमूना-𝕄' } })],
  ];
  it.each(taken)('takes %s, and every board still answers', async (_, body) => {
    const seen = await submit(body, unspecified.replace('model=unspecified&', ''));
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBeLessThan(300);
    expect(seen.text).not.toMatch(/\bNaN\b|Infinity/);
    for (const metric of ['output_tok_s', 'output_tok_s_per_gpu', 'tok_per_joule', 'req_s']) {
      const board = await look(`/v1/leaderboard?rank_by=${metric}&include=quarantined&limit=200`);
      expectRule(board);
      expect(board.status).toBe(200);
    }
  });

  it.each([
    'measured_at=0000-01-01T00:00:00Z',
    'measured_at=2026-01-01T00:00:00%2B23:59',
    `measured_at=2026-01-01T00:00:00.${'1'.repeat(200)}Z`,
    'source_url=http://a/%00',
    'source_url=http://a/%0Ab',
    'source_url=javascript:alert(1)',
    'notes=%00',
    `notes=${'x'.repeat(4001)}`,
    'gpu_count=0',
    'gpu_count=1e3',
    'gpu_power_limit_w=0',
    'tool=__proto__',
    'tool=%00',
    'tool=native&tool=native',
    'scenario=%00',
    'engine=%E2%80%AE',
  ])('refuses %s beside an artifact, whether stored or tried', async (parameter) => {
    for (const dry of ['dry_run=true&', '']) {
      const seen = await submit(sglangLine(), `${dry}${unspecified}&${parameter}`);
      expectRule(seen);
      expect(seen.status, seen.text.slice(0, 200)).toBe(422);
      expect(problemOf(seen).errors?.[0]?.parameter).toBe(parameter.split('=')[0]);
    }
  });

  it('refuses 16 MiB and a byte, whoever says how long it is', async () => {
    const seen = await submit(new Uint8Array(16 * 1024 * 1024 + 1).fill(97));
    expectRule(seen);
    expect(seen.status).toBe(413);
  });
});

describe('large artifacts', () => {
  const size = 4 * 1024 * 1024;
  const fill = (unit: string) => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
  const keys = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',');
  const cases: [string, () => string, slowestMs?: number][] = [
    ['one line', () => fill('a')],
    ['line feeds', () => fill('\n')],
    ['carriage returns', () => fill('a\r')],
    ['opening braces', () => fill('{')],
    ['broken objects', () => fill('{"\n')],
    // Sixteen of them would be more lines than are read.
    ['small objects in lines', () => fill('{"a":1}\n'), 2000],
    ['small objects in one line', () => fill('{"a":1}')],
    ['table rows', () => fill('| a | b | t/s |\n')],
    ['bars', () => fill('|\n')],
    ['escape sequences', () => fill('\u001b[')],
    ['unclosed titles', () => fill('\u001b]')],
    ['things like keys', () => fill('api_key= bearer --api-key sk- ib_a password=')],
    ['opened Namespaces', () => fill('Namespace(\n')],
    ['commands with continuations', () => fill('vllm bench serve --model a \\\n')],
    ['opened quotes', () => fill(`vllm bench serve ${'"a'.repeat(9000)}\n`)],
    ['titles of result blocks', () => fill('============ Serving Benchmark Result ============\n')],
    [
      '200 000 empty results',
      () => `{"schema":"inferboard/v1","results":[${Array(200_000).fill('{"metrics":{}}').join(',')}]}`,
    ],
    ['300 000 unknown fields', () => `{"schema":"inferboard/v1","results":[],${keys(300_000)}}`],
    ['300 000 unknown metrics', () => `{"schema":"inferboard/v1","results":[{"metrics":{${keys(300_000)}}}]}`],
  ];
  it.each(cases)('refuses 4 MiB of %s within a quarter of what 16 MiB may take', async (_, make, slowestMs = 1000) => {
    const seen = await submit(make(), `dry_run=true&${unspecified}`);
    expectRule(seen, { slowestMs });
    expect(seen.status).toBe(422);
    expect(seen.text.length).toBeLessThan(200_000);
  });

  it('answers with no more than a few times what was sent', async () => {
    const features = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, 'v'.repeat(90)]));
    const results = Array.from({ length: 1000 }, (_, i) => ({
      load: { mode: 'concurrency', level: i + 1 },
      metrics: { output_tok_s: 1 },
    }));
    const body = nativeReport({ system: { features }, results });
    const seen = await submit(body, 'dry_run=true');
    expectRule(seen, { slowestMs: 2000 });
    expect(seen.text.length).toBeLessThan(60 * body.length);
  });
});

describe('forms', () => {
  const whole: Part[] = [
    { name: 'artifact', value: sglangLine(), filename: 'a.json' },
    { name: 'model', value: 'unspecified' },
    { name: 'gpu', value: 'unspecified' },
    { name: 'quantization', value: 'bf16' },
  ];
  const refused: [string, string, string?][] = [
    ['an empty body', ''],
    ['no end', multipart(whole, { end: false })],
    ['no boundary', multipart(whole), 'multipart/form-data'],
    ['another boundary', multipart(whole), 'multipart/form-data; boundary=other'],
    ['no parts', multipart([])],
    ['no artifact', multipart(whole.slice(1))],
    ['an empty artifact', multipart([{ name: 'artifact', value: '' }, ...whole.slice(1)])],
    ['two artifacts', multipart([...whole, { name: 'artifact', value: sglangLine(1), filename: 'b.json' }])],
    ['a field twice', multipart([...whole, { name: 'model', value: 'Llama-3.1-8B' }])],
    ['a file where text belongs', multipart([...whole, { name: 'notes', value: 'x', filename: 'n.txt' }])],
    ['__proto__', multipart([...whole, { name: '__proto__', value: 'x' }])],
    ['constructor', multipart([...whole, { name: 'constructor', value: 'x' }])],
    ['an unknown field', multipart([...whole, { name: 'modle', value: 'x' }])],
    ['U+0000 in a field', multipart([...whole, { name: 'notes', value: 'a\u0000b' }])],
    ['U+0000 in a URL', multipart([...whole, { name: 'source_url', value: 'http://a/\u0000' }])],
    ['a key in a field', multipart([...whole, { name: 'api_key', value: adminKey }])],
  ];
  it.each(refused)('refuses %s', async (_, body, type = multipartType) => {
    const seen = await submit(body, 'dry_run=true', { 'content-type': type });
    expectRule(seen, { secrets: [adminKey] });
    expect(seen.status, seen.text.slice(0, 200)).toBe(422);
  });

  it('names at most a hundred of very many unknown fields', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `k${i}`, value: 'x' }));
    const seen = await submit(multipart([...whole, ...many]), 'dry_run=true', { 'content-type': multipartType });
    expectRule(seen);
    expect(seen.text.length).toBeLessThan(50_000);
  });
});

describe('accounts', () => {
  const create = (body: string | Uint8Array, type: string | null = 'application/json') =>
    look('/v1/accounts', {
      method: 'POST',
      headers: { authorization, ...(type === null ? {} : { 'content-type': type }) },
      body: typeof body === 'string' && type !== null ? body : Uint8Array.from(Buffer.from(body)),
    });
  it.each<[string, string | Uint8Array, (string | null)?]>([
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1'],
    ['a broken object', '{'],
    ['8 000 levels', `{"name":${'['.repeat(8_000)}`],
    ['a key twice', '{"name":"twice-a","name":"twice-b"}'],
    ['__proto__', '{"__proto__":{"x":1},"name":"p"}'],
    ['constructor', '{"constructor":1,"name":"c"}'],
    ['scopes of one’s own choice', '{"name":"x","scopes":["admin"]}'],
    ['U+0000', '{"name":"a\\u0000"}'],
    ['a lone surrogate', '{"name":"a\\ud800"}'],
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from('{"name":"a'), 0xff, ...Buffer.from('"}')])],
    ['UTF-16', Buffer.from('{"name":"x"}', 'utf16le')],
    ['a name that only looks like another', '{"name":"adm\\u200ein"}'],
    ['a number as a name', '{"name":5}'],
    ['2 000 characters', `{"name":"${'x'.repeat(2000)}"}`],
  ])('refuses %s', async (_, body, type) => {
    const seen = await create(body, type);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(422);
  });

  it.each<[string, string, string | null]>([
    ['text/plain', '{"name":"by-text"}', 'text/plain'],
    ['no content type', '{"name":"by-nothing"}', null],
    ['a form', 'name=x', 'application/x-www-form-urlencoded'],
  ])('refuses %s or reads it, but does not break', async (_, body, type) => {
    const seen = await create(body, type);
    expectRule(seen);
    expect([201, 415, 422]).toContain(seen.status);
  });

  it('does not read a body of any size', async () => {
    const seen = await create(`{"name":"${'x'.repeat(20 * 1024 * 1024)}"}`);
    expectRule(seen);
    expect(seen.status).toBe(413);
  });
});

describe('at the same time', () => {
  const report = (i: number) =>
    nativeReport({
      system: { engine: 'crowd' },
      scenario: { input_tokens: 11, output_tokens: 7 },
      results: Array.from({ length: 5 }, (_, k) => ({
        // Half of them meet the points in the other order.
        load: { mode: 'concurrency', level: 1 + (i % 2 === 0 ? k : 4 - k) },
        metrics: { output_tok_s: 100 + i },
      })),
    });

  it('stores the same once, however often it arrives', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => submit(report(0))));
    for (const seen of all) expectRule(seen, { slowestMs: 60_000 });
    expect(all.filter((seen) => seen.status === 201)).toHaveLength(1);
    expect(all.filter((seen) => seen.status === 200)).toHaveLength(49);
    expect(new Set(all.map((seen) => viewOf(seen.text).id)).size).toBe(1);
  });

  it('counts every one of fifty that meet on the same points', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, (_, i) => submit(report(i + 1))));
    for (const seen of all) {
      expectRule(seen, { slowestMs: 60_000 });
      expect(seen.status).toBe(201);
    }
    const system = viewOf(all[0]?.text ?? '').results[0]?.system.id;
    const { points } = await app.get<{
      points: { result_count: number; statistics: { output_tok_s: { n: number; mean: number } } }[];
    }>(`/v1/systems/${system}`);
    expect(points).toHaveLength(5);
    for (const point of points) {
      expect(point.result_count).toBe(51);
      expect(point.statistics.output_tok_s.n).toBe(51);
      expect(point.statistics.output_tok_s.mean).toBeCloseTo(125, 9);
    }
  });

  it('gives one account of a name', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        look('/v1/accounts', {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: '{"name":"race"}',
        }),
      ),
    );
    for (const seen of all) expectRule(seen, { slowestMs: 60_000 });
    expect(all.map((seen) => seen.status).toSorted()).toEqual([201, ...Array(19).fill(409)]);
  });

  it('pages without a gap or a repeat', async () => {
    for (const list of ['/v1/results', '/v1/submissions', '/v1/systems']) {
      const include = list === '/v1/submissions' ? '' : '&include=quarantined';
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const path: string = `${list}?limit=7${include}${cursor === null ? '' : `&cursor=${cursor}`}`;
        const page = await app.get<{ data: { id: string }[]; next_cursor: string | null }>(path);
        ids.push(...page.data.map(({ id }) => id));
        cursor = page.next_cursor;
        // Newer ones that arrive meanwhile neither repeat nor push out what is still to come.
        if (list !== '/v1/systems' && ids.length === 7) await submit(report(1000 + ids.length));
      } while (cursor !== null);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});

describe('what was measured', () => {
  const known = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'fp8' };

  it.each([
    ['NVIDIA H100 80GB HBM3', '8xH100'],
    ['8x H100', 'h100-sxm'],
    ['8x H100 SXM', 'h100-sxm'],
  ])('keeps the count when the file says "%s" and the caller "%s"', async (gpu, given) => {
    const { result } = await firstResult(nativeReport({ system: { ...known, gpu } }), `dry_run=true&gpu=${given}`);
    expect(result.system.gpu_count).toBe(8);
  });

  it('tells two versions of an engine apart, wherever they are written', async () => {
    const systems = await Promise.all(
      ['vLLM 0.11.0', 'vLLM 0.6.0'].map(
        async (engine) => (await firstResult(nativeReport({ system: { ...known, engine } }))).result.system,
      ),
    );
    expect(systems[0]?.id).not.toBe(systems[1]?.id);
  });

  it.each([
    ['the engine’s version', { ...known, engine: { name: 'vllm', version: '0.11.0' } }, 'engine=vllm%200.6.0'],
    ['another model than the family stated', { ...known, model: 'Llama 3.1' }, 'model=Qwen3-30B-A3B'],
    ['another quantization than in the name', { ...known, model: 'Llama-3.1-8B-Instruct-Q4_K_M.gguf' }, ''],
  ])('does not choose in silence: %s', async (_, system, query) => {
    const seen = await submit(nativeReport({ system }), `dry_run=true&${query}`);
    expectRule(seen);
    const told =
      seen.status === 422 || viewOf(seen.text).results[0]?.findings.some(({ code }) => /model|quant|engine/.test(code));
    expect(told, seen.text.slice(0, 300)).toBe(true);
  });

  it('refuses two times of measurement', async () => {
    const body = nativeReport({ result: { measured_at: '2026-01-01T00:00:00Z' } });
    const seen = await submit(body, 'dry_run=true&measured_at=2020-01-01T00:00:00Z');
    expectRule(seen);
    expect(seen.status).toBe(422);
    expect(problemOf(seen).code).toBe('facts_contradict');
  });

  it.each([
    [{ name: 'chatbot', input_tokens: 4096, output_tokens: 256 }, ''],
    [{ input_tokens: 4096, output_tokens: 256 }, 'scenario=chatbot'],
  ])('calls a contradicted scenario a contradiction: %j %s', async (scenario, query) => {
    const seen = await submit(nativeReport({ scenario }), `dry_run=true&${query}`);
    expectRule(seen);
    expect(problemOf(seen).code).toBe('facts_contradict');
  });

  it.each([
    [{ name: 'tool-calling' }, 'scenario=Tool%20Calling'],
    [{ input_tokens: 1, output_tokens: 1, dataset: 'ShareGPT_V3_unfiltered.json' }, 'dataset=sharegpt'],
  ])('takes two spellings of one workload: %j %s', async (scenario, query) => {
    const seen = await submit(nativeReport({ scenario }), `dry_run=true&${query}`);
    expectRule(seen);
    expect(seen.status, seen.text.slice(0, 200)).toBe(200);
  });

  it.each([
    { name: 'my workload zzz' },
    { name: 'qqqqqqqq' },
    { name: 'chatbt', input_tokens: 4096, output_tokens: 256 },
  ])('does not drop a scenario’s name in silence: %j', async (scenario) => {
    const seen = await submit(nativeReport({ scenario }), 'dry_run=true');
    expectRule(seen);
    const told =
      seen.status === 422 || viewOf(seen.text).results[0]?.findings.some(({ code }) => code.includes('scenario'));
    expect(told).toBe(true);
  });

  it('names the line of a fact that is missing or contradicted', async () => {
    const lines = [nativeReport(), nativeReport({ system: { model: null } }), nativeReport()].join('\n');
    const missing = await submit(lines, 'dry_run=true');
    expectRule(missing);
    expect(problemOf(missing).errors?.[0]).toMatchObject({ code: 'model_missing', line: 2 });
    const gpus = ['h100-sxm', 'a100-sxm-80gb', 'h100-sxm'].map((gpu) => nativeReport({ system: { gpu } })).join('\n');
    const contradicted = await submit(gpus, 'dry_run=true&gpu=h100-sxm');
    expectRule(contradicted);
    expect(problemOf(contradicted).errors?.[0]).toMatchObject({ code: 'facts_contradict', line: 2 });
  });

  it.each(['Unspecified', 'UNSPECIFIED', ' unspecified '])('knows the word %s', async (word) => {
    const query = new URLSearchParams({ dry_run: 'true', model: word, gpu: word, quantization: word });
    const { view } = await firstResult(sglangLine(), query.toString());
    expect(view.status).toBe('accepted');
  });

  it('does not let samples outrank the value they belong to', async () => {
    const body = nativeReport({
      system: { ...known, engine: 'samples' },
      result: { metrics: { output_tok_s: 6 }, repeats: { samples: { output_tok_s: [1e6, 1e6] } } },
    });
    const seen = await submit(body);
    expectRule(seen);
    expect(seen.status === 422 || viewOf(seen.text).status === 'quarantined').toBe(true);
  });

  it('counts the GPUs of every way to split a model, or says that it guesses', async () => {
    const { result } = await firstResult(
      nativeReport({ system: { ...known, parallelism: { tensor: 4, pipeline: 2 } } }),
    );
    const guessed = result.findings.some(({ code }) => code.startsWith('gpu_count'));
    expect(result.system.gpu_count === 8 || guessed).toBe(true);
  });

  it('averages one metric over all results that made it the same way', async () => {
    const system = { ...known, gpu_count: 1, engine: 'one-point' };
    const metrics = [
      { output_tok_s: 100 },
      { output_tok_s: 110, ttft_ms_mean: 5 },
      { output_tok_s: 105, tpot_ms_mean: 4 },
    ];
    for (const measured of metrics) await firstResult(nativeReport({ system, result: { metrics: measured } }), '');
    const board = await app.get<{ data: { value: number; statistics: { n: number } }[] }>(
      '/v1/leaderboard?rank_by=output_tok_s&engine=one-point',
    );
    expect(board.data.map(({ value, statistics }) => [value, statistics.n])).toEqual([[105, 3]]);
  });

  it('shows no folder of one submitter to another', async () => {
    const report = (model: string, value: number) =>
      nativeReport({ system: { ...known, model, engine: 'folders' }, result: { metrics: { output_tok_s: value } } });
    await firstResult(report('/home/alice/secret-client/Llama-3.1-8B-Instruct', 1), '');
    const { result } = await firstResult(report('meta-llama/Llama-3.1-8B-Instruct', 2), '');
    expect(JSON.stringify(result)).not.toContain('alice');
  });

  it('tells two sparsities of a kernel apart', async () => {
    const report = (sparsity: number) =>
      nativeReport({
        system: { gpu: 'h100-sxm' },
        scenario: { kernel: { operation: 'flex', case: 'x', sparsity } },
        result: { kind: 'kernel', load: { mode: 'batch', level: 1 }, metrics: { forward_ms: 1 + sparsity } },
      });
    await firstResult(report(0.1), '');
    const { result } = await firstResult(report(0.9), '');
    expect(result.scenario.kernel).toMatchObject({ sparsity: 0.9 });
  });

  it('does not ignore a workload given beside a kernel', async () => {
    const body = nativeReport({
      scenario: { kernel: { operation: 'flex', case: 'x' } },
      result: { kind: 'kernel', load: { mode: 'batch', level: 1 }, metrics: { forward_ms: 1 } },
    });
    const seen = await submit(body, 'dry_run=true&scenario=chatbot&input_tokens=5');
    expectRule(seen);
    expect(seen.status).toBe(422);
  });
});

describe('on the wire', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ SAMPLE_DATA: 'false', ROLES: 'api' });
  });
  afterAll(() => server.dispose());

  /** Sends bytes as they are; answers what came back until the other side closed, or the wait was over. */
  function exchange(head: string, chunks: Iterable<Buffer> = []): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      let answer = '';
      const timer = setTimeout(() => socket.destroy(), 10_000);
      socket.on('data', (bytes) => {
        answer += bytes.toString('latin1');
        // A problem document is one JSON object; whoever has it may hang up.
        if (/^HTTP\/1\.1 4\d\d /.test(answer) && answer.endsWith('}')) socket.destroy();
      });
      // The other side may close before it took everything.
      socket.on('error', () => {});
      socket.on('close', () => {
        clearTimeout(timer);
        resolve(answer);
      });
      socket.write(head);
      const iterator = chunks[Symbol.iterator]();
      const go = () => {
        for (let next = iterator.next(); !next.done; next = iterator.next()) {
          if (socket.destroyed) return;
          if (!socket.write(next.value)) {
            socket.once('drain', go);
            return;
          }
        }
      };
      go();
    });
  }

  function* chunked(bytes: number): Generator<Buffer> {
    const data = Buffer.alloc(65_536, 97);
    for (let sent = 0; sent < bytes; sent += data.length)
      yield Buffer.concat([Buffer.from('10000\r\n'), data, Buffer.from('\r\n')]);
    yield Buffer.from('0\r\n\r\n');
  }
  const post = (path: string, type: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;

  it.each([
    ['/v1/submissions?dry_run=true', 'text/plain'],
    ['/v1/submissions?dry_run=true', multipartType],
    ['/v1/accounts', 'application/json'],
  ])('POST %s as %s stops reading at the limit', async (path, type) => {
    const answer = await exchange(post(path, type), chunked(64 * 1024 * 1024));
    expect(answer.slice(0, 300)).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('body_too_large');
  });

  it.each([
    ['a header of 20 000 characters', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['an address of 20 000 characters', `GET /v1/results?model=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a host that is none', 'GET /v1/results HTTP/1.1\r\nHost: a b/..\r\nConnection: close\r\n\r\n'],
    ['no request at all', '\u0000\u0001 nonsense\r\n\r\n'],
    ['a method nobody has', 'FOO /v1/results HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('answers %s with a problem document', async (_, request) => {
    const answer = await exchange(request);
    expect(answer.slice(0, 40)).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json');
  });

  it('lives on', async () => {
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(200);
  });
});
