import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminKey } from '../support/server.ts';
import { viewsMax } from '../support/site/every-page.ts';
import { pageTypes } from '../support/site/page-types.ts';
import { readPng } from '../support/site/png.ts';
import { type SiteWorld, startSiteWorld } from '../support/site/site-world.ts';

/** Throughput and per-user speed of one GPU at four loads. */
async function submitThroughput(url: string, gpu: string): Promise<void> {
  const results = [1, 4, 16, 64].map((level) => ({
    scenario: 'chatbot',
    load: { mode: 'concurrency', level },
    metrics: { output_tok_s: 90 * level ** 0.8, tpot_ms_mean: 11 * level ** 0.2 },
  }));
  const system = { model: 'Qwen/Qwen3-14B', quantization: 'fp8', gpu, gpu_count: 1, engine: 'vllm' };
  const response = await fetch(`${url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify({ schema: 'inferboard/v1', system, results }),
  });
  expect(response.status).toBe(201);
}

/** Metadata of the site for link previews, search engines, and browsers that request icons. */
describe('previews for other sites', () => {
  let world: SiteWorld;
  beforeAll(async () => {
    world = await startSiteWorld();
  });
  afterAll(async () => {
    await world?.dispose();
  });

  const get = (path: string) => fetch(world.url + path);
  const sizeOfPng = async (path: string): Promise<number[]> => {
    const response = await get(path);
    expect(response.headers.get('content-type'), path).toBe('image/png');
    const view = new DataView(await response.arrayBuffer());
    return [view.getUint32(16), view.getUint32(20)];
  };

  test('every page has a title, a description and an image of 1200 by 630', async () => {
    const files = pageTypes.filter(({ file }) => file !== 'embed/explore.astro');
    const paths = new Set(
      files
        .flatMap(({ views }) => views(world).slice(0, viewsMax))
        .map((view) => (typeof view === 'string' ? view : view.path)),
    );
    const images = new Set<string>();
    for (const path of paths) {
      const html = await (await get(path)).text();
      const read = (name: string) =>
        new RegExp(`<meta property="og:${name}" content="([^"]*)"`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
      for (const name of ['title', 'description', 'site_name', 'type'])
        expect(read(name), `${path} ${name}`).not.toBe('');
      const image = new URL(read('image'));
      expect(image.pathname, path).toMatch(/\.png$/);
      images.add(image.pathname + image.search);
    }
    expect(images.size).toBeGreaterThan(10);
    for (const path of images) expect(await sizeOfPng(path), path).toEqual([1200, 630]);
  });

  test('the image of a board has the curves of its page, or the bars of its rows', async () => {
    const pictureOf = async (path: string) => {
      const html = await (await get(path)).text();
      const [, image = ''] = /<meta property="og:image" content="([^"]*)"/.exec(html) ?? [];
      const { pathname, search } = new URL(image.replaceAll('&amp;', '&'));
      const png = readPng(new Uint8Array(await (await get(pathname + search)).arrayBuffer()));
      return { pathname, png, hasCurves: html.includes('id="explorer-title"') };
    };
    const [firstSeries, leadBar] = [
      [0, 114, 178],
      [233, 180, 143],
    ] as const;
    for (const gpu of ['H100 SXM', 'B200']) await submitThroughput(world.url, gpu);
    for (const [path, image] of [
      ['/models/qwen3-14b', '/og/models/qwen3-14b.png'],
      ['/gpus/b200', '/og/gpus/b200.png'],
      ['/?model=qwen3-14b', '/og/board.png'],
    ] as const) {
      const { pathname, png, hasCurves } = await pictureOf(path);
      expect(hasCurves, path).toBe(true);
      expect(pathname).toBe(image);
      expect(png.count(firstSeries), path).toBeGreaterThan(500);
    }
    for (const path of ['/models/llama-2-7b', '/?subject=quantization&rank_by=decode_tok_s&scenario=base']) {
      const { png, hasCurves } = await pictureOf(path);
      expect(hasCurves, path).toBe(false);
      expect(png.count(leadBar), path).toBeGreaterThan(5000);
    }
    // A scenario has the picture of its board.
    expect((await pictureOf('/scenarios/tg128')).png.count(firstSeries)).toBeGreaterThan(100);
    expect((await get('/og/models/llama-9-900b.png')).status).toBe(404);
  });

  test('robots.txt names the sitemap, whose pages exist', async () => {
    const robots = await get('/robots.txt');
    expect(robots.headers.get('content-type')).toContain('text/plain');
    const [, address = ''] = /^Sitemap: (.+)$/m.exec(await robots.text()) ?? [];
    const response = await get(new URL(address).pathname);
    expect(response.headers.get('content-type')).toContain('application/xml');
    const xml = await response.text();
    const paths = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc = '']) => new URL(loc).pathname);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toEqual(
      expect.arrayContaining(['/', '/models/llama-2-7b', '/gpus/h100-sxm', `/systems/${world.limits[0]}`]),
    );
    // One page of each kind, and every unique page.
    const kinds = Map.groupBy(paths, (path) => (path.split('/').length > 2 ? path.split('/')[1] : path));
    for (const [path = ''] of kinds.values()) expect((await get(path)).status, path).toBe(200);
  });

  test('the site has icons', async () => {
    const html = await (await get('/')).text();
    const icons = [...html.matchAll(/<link rel="(?:icon|apple-touch-icon)" href="([^"]+)"/g)].map(
      ([, href = '']) => href,
    );
    expect(icons).toEqual(['/favicon.svg', '/apple-touch-icon.png']);
    for (const href of icons) expect((await get(href)).status, href).toBe(200);
    expect(await sizeOfPng('/apple-touch-icon.png')).toEqual([180, 180]);
    const ico = new DataView(await (await get('/favicon.ico')).arrayBuffer());
    expect([ico.getUint16(2, true), ico.getUint16(4, true), ico.getUint32(18, true)]).toEqual([1, 1, 22]);
    expect(ico.byteLength).toBe(22 + ico.getUint32(14, true));
  });
});
