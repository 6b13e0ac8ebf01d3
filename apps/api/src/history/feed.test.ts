import { beforeAll, describe, expect, it } from 'vitest';
// A strict parser, which `feed` depends on.
import { type ElementCompact, xml2js } from 'xml-js';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';
import { submitMeasured } from '../testing/measured.ts';
import { writeFeed } from './write-feed.ts';

interface Entry {
  id: { _text: string };
  title: { _cdata: string; _attributes: { type: string } };
  content: { _cdata: string };
  updated: { _text: string };
  published: { _text: string };
  link: { _attributes: { href: string } };
}

const app = useTestApp();
const calm = (mean: number) => [mean - 1, mean, mean + 1, mean];

/** Parses a feed strictly. */
function read(xml: string) {
  // The type covers both result forms of the parser.
  const { feed } = xml2js(xml, { compact: true }) as ElementCompact;
  const entries: Entry[] = feed.entry === undefined ? [] : [feed.entry].flat();
  return { feed, entries };
}
async function get(path: string) {
  const response = await app.request(path);
  const xml = await response.text();
  expect(response.status, xml).toBe(200);
  return { response, xml, ...read(xml) };
}

beforeAll(async () => {
  await submitMeasured(app, adminKey, [{ version: '0.10.2', values: calm(1000) }]);
  await submitMeasured(app, adminKey, [{ version: '0.11.0', values: calm(900) }], { notes: 'a <b> & "c" ]]> &amp;' });
  await submitMeasured(app, adminKey, [{ version: '0.12.0', values: calm(901) }]);
  await submitMeasured(app, adminKey, [{ version: '0.13.0', values: calm(2000), level: 64 }]);
});

describe('the feed of changes', () => {
  it('is valid Atom and has only notable changes', async () => {
    const { response, feed, entries } = await get('/feed.xml');
    expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(response.headers.get('etag')).toMatch(/^"/);
    expect(feed._attributes.xmlns).toBe('http://www.w3.org/2005/Atom');
    expect(entries.map(({ title }) => title._cdata.split(':')[0])).toEqual(['New best', 'Regression']);
    for (const { id, updated, published, link } of entries) {
      expect(id._text).toMatch(/^tag:inferboard\.test,2026:res_[0-9a-f]+-(?:new_best|version)-output_tok_s_per_gpu$/);
      expect(new Date(updated._text).toISOString()).toBe(updated._text);
      expect(Date.parse(updated._text)).toBeGreaterThanOrEqual(Date.parse(published._text));
      expect(link._attributes.href).toMatch(new RegExp(`^${baseUrl}/systems/sys_[0-9a-f]+$`));
    }
    expect(feed.updated._text).toBe(
      entries
        .map(({ updated }) => updated._text)
        .sort()
        .at(-1),
    );
    expect(feed.id._text).toBe(`${baseUrl}/feed.xml`);
  });

  it('is identical without changes, and keeps its ids after changes', async () => {
    const before = await get('/feed.xml');
    expect((await get('/feed.xml')).xml).toBe(before.xml);
    await submitMeasured(app, adminKey, [{ version: '0.13.0', values: calm(1500) }]);
    const after = await get('/feed.xml');
    expect(after.entries.length).toBe(before.entries.length + 1);
    expect(after.entries.slice(1).map(({ id }) => id._text)).toEqual(before.entries.map(({ id }) => id._text));
  });

  it('accepts the filters of the list', async () => {
    const { feed, entries } = await get('/feed.xml?verdict=stable&model=llama-3.1-8b&gpu=h100');
    expect(entries.map(({ title }) => title._cdata.split(':')[0])).toEqual(['No change']);
    expect(feed.id._text).toBe(`${baseUrl}/feed.xml?verdict=stable&model=llama-3.1-8b&gpu=h100`);
    expect((await get('/feed.xml?engine_version=0.10.2')).entries).toEqual([]);
    for (const query of ['gpu=h1000', 'metric=requests_ok', 'limit=5']) {
      expect((await app.request(`/feed.xml?${query}`)).status).toBe(422);
    }
  });
});

describe('the feed of submissions', () => {
  it('lists accepted submissions, newest first', async () => {
    await submitMeasured(app, adminKey, [{ version: '0.10.2', values: [1000], gpu: 'Frobnicator 9000' }]);
    const { entries } = await get('/feed/submissions.xml');
    expect(entries.length).toBeGreaterThanOrEqual(4);
    const stamps = entries.map(({ updated }) => updated._text);
    expect(stamps).toEqual(stamps.toSorted().reverse());
    expect(entries[0]?.link._attributes.href).toMatch(/\/submissions\/sub_/);
    expect(entries.map(({ content }) => content._cdata).filter((text) => text.startsWith('a '))).toEqual([
      'a &#60;b&#62; &#38; &#34;c&#34; ]]&#62; &#38;amp;',
    ]);
    expect((await app.request('/feed/submissions.xml?account=nobody')).status).toBe(422);
  });
});

describe('the feed of retractions', () => {
  it('lists each retraction with its reason, newest first, and keeps the stored data', async () => {
    const empty = await get('/feed/retractions.xml');
    expect(empty.entries).toEqual([]);
    // The start of the service: feed readers show 1970 as the date of the feed.
    expect(Date.parse(empty.feed.updated._text)).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z'));
    expect((await get('/feed/retractions.xml?account=admin')).feed.updated._text).toBe(empty.feed.updated._text);
    const submit = async (version: string) =>
      (await submitMeasured(app, adminKey, [{ version, values: [1000], gpu: 'Frobnicator 9000' }])).submission;
    const [early, late] = [await submit('0.20.0'), await submit('0.21.0')];
    const retract = async (id: string, reason: string) => {
      const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ reason }) };
      expect((await app.request(`/v1/submissions/${id}/retract`, init)).status).toBe(200);
    };
    await retract(late, 'a wrong <model>');
    await retract(early, 'the wrong GPU');
    const { response, entries } = await get('/feed/retractions.xml');
    expect(response.headers.get('etag')).toMatch(/^"/);
    expect(entries.map(({ id, content, link }) => [id._text, content._cdata, link._attributes.href])).toEqual([
      [`tag:inferboard.test,2026:${early}-retraction`, 'the wrong GPU', `${baseUrl}/submissions/${early}`],
      [`tag:inferboard.test,2026:${late}-retraction`, 'a wrong &#60;model&#62;', `${baseUrl}/submissions/${late}`],
    ]);
    expect((await app.request(`/v1/submissions/${early}`)).status).toBe(200);
    expect((await app.request('/feed/retractions.xml?account=nobody')).status).toBe(422);
  });
});

describe('an entry', () => {
  const about = {
    title: 'T',
    subtitle: 'S',
    self: `${baseUrl}/feed.xml?a=1&b="<`,
    base: baseUrl,
    startedAt: '2025-05-05T00:00:00Z',
  };
  const at = '2026-01-01T00:00:00Z';

  it('escapes any text', () => {
    const texts = [
      ['<script>alert(1)</script>'],
      [']]> ]]>'],
      ['&amp; &'],
      ['"\''],
      ['a\u0000b\u000bc\ufffed\ud800', 'a b c d\ufffd'],
    ];
    for (const [text = '', expected = text] of texts) {
      const entry = { id: 'res_1', title: text, summary: text, page: `${baseUrl}/x`, publishedAt: at, updatedAt: at };
      const { entries } = read(writeFeed(about, [entry]));
      const html = entries[0]?.title._cdata ?? '';
      const plain = html.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
      expect(html).not.toMatch(/[<>"']/);
      expect(plain).toBe(expected);
    }
  });

  it('is absent from an empty feed, whose update time is its start', () => {
    const { feed, entries } = read(writeFeed(about, []));
    expect([entries.length, feed.updated._text]).toEqual([0, '2025-05-05T00:00:00.000Z']);
  });
});
