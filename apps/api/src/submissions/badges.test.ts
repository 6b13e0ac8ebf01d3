import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
// A strict parser, which `feed` depends on.
import { type Element, xml2js } from 'xml-js';
import { adminKey, useTestApp } from '../testing/index.ts';
import { submitMeasured } from '../testing/measured.ts';
import { drawBadge } from './actions/draw-badge.ts';

const app = useTestApp();
const submit = (...[points, parameters]: [Parameters<typeof submitMeasured>[2], Record<string, string>?]) =>
  submitMeasured(app, adminKey, points, parameters);

/** All elements of a document with their attributes, and all text. */
function read(svg: string) {
  const elements: Element[] = [];
  let text = '';
  const walk = (element: Element) => {
    if (element.type === 'text') text += `${element.text}\n`;
    if (element.type === 'element') elements.push(element);
    element.elements?.forEach(walk);
  };
  // The type covers both result forms of the parser.
  walk(xml2js(svg) as Element);
  return { elements, text };
}

async function badge(path: string) {
  const response = await app.request(`/badges/${path}`);
  const svg = await response.text();
  expect(response.status, svg).toBe(200);
  return { response, svg, title: read(svg).text.split('\n')[0] };
}

let measured: Awaited<ReturnType<typeof submit>>;
beforeAll(async () => {
  measured = await submit([
    { values: [1000, 1002], metric: 'output_tok_s' },
    { values: [1500.25], level: 16 },
    { values: [211.5], metric: 'ttft_ms_p99', level: 16 },
  ]);
});

describe('a badge of a system', () => {
  it('shows its best value with unit, workload, load and trust', async () => {
    const { title } = await badge(`systems/${measured.systems[0]}.svg`);
    expect(title).toBe(
      'Llama 3.1 8B on H100 SXM5 80GB: 1,500 tok/s per GPU · chatbot-steady, 16 concurrent · self-reported',
    );
  });

  it('shows the requested metric, with its name', async () => {
    const { title } = await badge(`systems/${measured.systems[0]}.svg?metric=ttft_ms_p99`);
    expect(title).toBe(
      'Llama 3.1 8B on H100 SXM5 80GB: p99 TTFT 211.5 ms · chatbot-steady, 16 concurrent · self-reported',
    );
    expect((await badge(`systems/${measured.systems[0]}.svg?metric=goodput_req_s`)).title).toContain('no Goodput');
  });

  it('can be embedded in any page, and runs no code', async () => {
    const { response } = await badge(`systems/${measured.systems[0]}.svg`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringContaining('image/svg+xml'),
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=300',
      'x-content-type-options': 'nosniff',
    });
    const etag = response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    const again = await app.request(`/badges/systems/${measured.systems[0]}.svg`, {
      headers: { 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
  });
});

describe('a badge of a submission', () => {
  it('shows its best value, or its number of results', async () => {
    expect((await badge(`submissions/${measured.submission}.svg`)).title).toContain(
      ': 1,500 tok/s per GPU · chatbot-steady, 16 concurrent · self-reported',
    );
    expect((await badge(`submissions/${measured.submission}.svg?metric=goodput_req_s`)).title).toContain(
      ': 4 results · self-reported',
    );
  });

  it('shows that it is quarantined or retracted, without a value', async () => {
    const held = await submit([{ values: [1000], gpu: 'Frobnicator <9000>', level: 64 }]);
    expect((await badge(`submissions/${held.submission}.svg`)).title).toMatch(/: quarantined$/);
    expect((await badge(`systems/${held.systems[0]}.svg`)).title).toMatch(
      /^Llama 3.1 8B on Frobnicator.*: quarantined$/,
    );
    const gone = await submit([{ values: [1000], version: '0.1.0' }]);
    await app.request(`/v1/submissions/${gone.submission}/retract`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'wrong machine' }),
    });
    expect((await badge(`submissions/${gone.submission}.svg`)).title).toMatch(/: retracted$/);
    expect((await badge(`systems/${gone.systems[0]}.svg`)).title).toMatch(/: retracted$/);
  });
});

describe('invalid badges', () => {
  it.each([
    'systems/sys_3f1c5a0b9d8e7f6a5b4c3d2e.svg',
    'systems/nothing.svg',
    'submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f.svg',
    'submissions/%3Cscript%3E.svg',
    'systems/sys_3f1c5a0b9d8e7f6a5b4c3d2e',
  ])('%s returns 404', async (path) => {
    const response = await app.request(`/badges/${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(await response.text()).not.toContain('script');
  });

  it('of an unknown metric or parameter returns an error', async () => {
    for (const query of ['metric=speed', 'colour=red']) {
      expect((await app.request(`/badges/systems/${measured.systems[0]}.svg?${query}`)).status).toBe(422);
    }
  });
});

describe('a badge with any text', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(
        fc.constantFrom(
          '"',
          "'",
          '<',
          '>',
          '&',
          ']]>',
          '<script>',
          '</text>',
          '&#0;',
          '<!--',
          '\u0000',
          '\ud800',
          '\u202e',
          '𝒳',
        ),
        {
          maxLength: 200,
        },
      )
      .map((parts) => parts.join('')),
  );

  it('has no other elements, is below 2 KB, and escapes the text', () => {
    const known = new Set(
      read(drawBadge({ label: 'a', message: 'b', color: '#5f6368' })).elements.map(({ name }) => name),
    );
    fc.assert(
      fc.property(hostile, (label) => {
        const svg = drawBadge({
          label,
          message: 'Memory bandwidth utilisation 0.4512 · 100000-100000-steady, 1024 concurrent · self-reported',
          color: '#5f6368',
        });
        expect(Buffer.byteLength(svg)).toBeLessThan(2048);
        // The parser accepts characters that XML forbids.
        expect(svg).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
        const { elements } = read(svg);
        for (const { name, attributes = {} } of elements) {
          expect(known).toContain(name);
          expect(Object.keys(attributes).filter((attribute) => /^on|href|^style$/i.test(attribute))).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
