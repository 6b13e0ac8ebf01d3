import {
  gpuKind,
  type Kind,
  modelKind,
  quantizationKind,
  scenarioKind,
} from '../features/catalogue/data/catalogue-facts.ts';
import { toIndexRows } from '../features/catalogue/data/catalogue-index.ts';
import type { Api } from './api.ts';
import { mainPages } from './site-map.ts';

/** Number of boards and of systems per board: a sitemap file can have 50,000 URLs. */
const boardsMax = 20;
const systemsOfBoard = 100;

const kinds: readonly Kind[] = [modelKind, gpuKind, quantizationKind, scenarioKind];

async function entryPaths(api: Api, kind: Kind): Promise<string[]> {
  const { data } = await api.listCatalogue(kind.folder);
  return toIndexRows(kind, data?.data ?? []).map(({ href }) => href);
}

/** The best systems of the workloads with the most systems. */
async function systemPaths(api: Api): Promise<string[]> {
  const { data } = await api.listCatalogue('workloads');
  const workloads = (data?.data ?? []).slice(0, boardsMax).map(({ id }) => id);
  const boards = await Promise.all(
    workloads.map((id) => api.getLeaderboard({ workload: [id], limit: [String(systemsOfBoard)] })),
  );
  return boards.flatMap((board) => board.data?.data.map(({ system }) => `/systems/${system.id}`) ?? []);
}

/** Paths of all pages for search engines. Their number is bounded, regardless of the number of results. */
export async function sitemapPaths(api: Api): Promise<string[]> {
  const own = [
    ...mainPages.map(({ href }) => href),
    ...kinds.map(({ folder }) => `/${folder}`),
    '/submissions',
    '/search',
    '/docs',
  ];
  const found = await Promise.all([...kinds.map((kind) => entryPaths(api, kind)), systemPaths(api)]);
  return [...new Set([...own, ...found.flat()])];
}
