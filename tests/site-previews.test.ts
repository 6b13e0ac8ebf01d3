import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageTypes } from './support/page-types.ts';
import { type SiteWorld, startSiteWorld } from './support/site-world.ts';

/** What others read of the site: link previews, search engines, browsers that look for icons. */
describe('what others read of the site', () => {
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

  test('every page has a title, a description and a picture of 1200 by 630', async () => {
    const files = pageTypes.filter(({ file }) => file !== 'embed/explore.astro');
    const paths = new Set(
      files.flatMap(({ views }) => views(world)).map((view) => (typeof view === 'string' ? view : view.path)),
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
    // One of each kind, and every page that is one of its kind.
    const kinds = Map.groupBy(paths, (path) => (path.split('/').length > 2 ? path.split('/')[1] : path));
    for (const [path = ''] of kinds.values()) expect((await get(path)).status, path).toBe(200);
  });

  test('has icons', async () => {
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
