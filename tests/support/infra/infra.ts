import { readdirSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { settingNames, settingsInFiles } from '../../../apps/api/src/startup/env.ts';

export const root: URL = new URL('../../../', import.meta.url);

export const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** A Kubernetes manifest, with the fields that tests use. */
// biome-ignore lint/suspicious/noExplicitAny: schemas say what it is
export type Manifest = Record<string, any> & { kind: string; apiVersion: string; metadata: { name: string } };

/** All documents of a YAML file. */
export const readYaml = (path: string): Manifest[] =>
  parseAllDocuments(read(path)).map((document) => {
    if (document.errors.length > 0) throw new Error(`${path}: ${document.errors.join('; ')}`);
    return document.toJS() as Manifest;
  });

export const kubernetesBase = 'infra/kubernetes/base';

/** All objects of the base, with their files. */
export const listManifests = (): { file: string; manifest: Manifest }[] =>
  readdirSync(new URL(kubernetesBase, root))
    .filter((file) => file !== 'kustomization.yaml')
    .flatMap((file) => readYaml(`${kubernetesBase}/${file}`).map((manifest) => ({ file, manifest })));

/** Whether the service reads a variable of this name. */
export const isSetting = (name: string): boolean =>
  settingNames.includes(name) || (name.endsWith('_FILE') && settingsInFiles.includes(name.replace(/_FILE$/, '')));

/** A tag that pins a release: not a moving name, and at least two numbers. */
export const isPinned = (image: string): boolean =>
  /:\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?$|@sha256:[0-9a-f]{64}$/.test(image);

/** URLs of the API, one of each kind, and of pages, for routing tests. */
export function listAddresses(): { api: string[]; site: string[] } {
  const document = JSON.parse(read('apps/api/openapi.json')) as { paths: Record<string, unknown> };
  const paths = Object.keys(document.paths).map((path) => path.replace(/\{[^}]+\}/g, 'some_id'));
  const others = [
    '/docs',
    '/docs/reference.css',
    '/docs/operations/getLeaderboard',
    '/docs/errors',
    '/openapi.json',
    '/mcp',
    '/llms.txt',
  ];
  return {
    api: [...paths.filter((path) => path !== '/metrics'), ...others],
    site: ['/', '/systems/some_id', '/compare', '/compare.csv', '/matrix', '/submit', '/_astro/a.css', '/og/board.png'],
  };
}
