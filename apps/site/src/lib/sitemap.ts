import type { Api } from './api.ts';
import { gpuKind, type Kind, modelKind, quantizationKind, scenarioKind } from './catalogue-facts.ts';
import { toIndexRows } from './catalogue-index.ts';
import { mainPages } from './site-map.ts';

/** Boards whose systems are listed, and how many of each: a file of a sitemap may have 50,000 addresses. */
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

/** Paths of all pages that a search engine should know: a bounded number, however many results there are. */
export async function sitemapPaths(api: Api): Promise<string[]> {
  const own = [...mainPages.map(({ href }) => href), ...kinds.map(({ folder }) => `/${folder}`), '/search', '/docs'];
  const found = await Promise.all([...kinds.map((kind) => entryPaths(api, kind)), systemPaths(api)]);
  return [...new Set([...own, ...found.flat()])];
}
