import { createRoute, z } from '@hono/zod-openapi';
import { adapters } from '@inferboard/core/adapters/index';
import { toJsonFacts } from '@inferboard/core/catalogue/additions/additions';
import { engines, gpuFamilies, gpus, models, quantizations, scenarios } from '@inferboard/core/catalogue/index';
import { derived } from '@inferboard/core/catalogue/memo';
import { metrics, onRequestFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { promptsTitle } from '@inferboard/core/workloads/prompts-title';
import { shapeTitle } from '@inferboard/core/workloads/shape-title';
import { listWorkloads } from '@inferboard/db/boards/lists/workload-list';
import { listAdditions } from '@inferboard/db/catalogue/catalogue-entry';
import type { Database } from '@inferboard/db/connection/client';
import { countUsage, type UsageKind } from '@inferboard/db/service/usage-count';
import { type Ask, asks } from '../boards/asked-metrics.ts';
import { fieldsShape, requireFieldsOf } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { missing, readProblems } from '../schemas/common.ts';
import { viewWorkload } from '../views.ts';

const kinds = [
  ...(['models', 'gpus', 'quantizations', 'engines', 'scenarios', 'workloads', 'metrics', 'tools'] as const),
  ...(['additions', 'used'] as const),
] as const;
type Kind = (typeof kinds)[number];
type RegistryKind = Exclude<Kind, 'workloads' | 'additions' | 'used'>;

const ItemSchema = z
  .looseObject({
    id: z.string(),
    name: z.string(),
    points: z.number().int().optional().openapi({ description: 'Number of ranked points with this value.' }),
  })
  .openapi('CatalogueItem');

const listCatalogue = createRoute({
  method: 'get',
  path: '/v1/catalogue/{kind}',
  operationId: 'listCatalogue',
  tags: ['Catalogue'],
  summary: 'List models, GPUs, quantizations, engines, scenarios, workloads, metrics or tools',
  description: 'With the facts that checks and derived figures use, and the number of ranked points for each.',
  request: {
    params: z.object({ kind: z.enum(kinds).openapi({ description: 'What to list.', example: 'gpus' }) }),
    query: z.strictObject(fieldsShape(ItemSchema, 'id,name')),
  },
  responses: {
    200: {
      description:
        'All entries. A workload has `shape`, `regime`, and the numbers of its `systems`, `claims` and `metrics`. Values in use that are not in the catalogue follow with `known: false`. `additions` lists the models, GPUs, quantizations, engines and aliases that admins added. The entries are also in the list of their kind. `used` lists only what results have: the scenarios, models, quantizations, GPUs and engines with ranked points, with their `kind`, most used first in each. A metric has its ' +
        '`glossary`, the metrics it `needs` and its other `prerequisites`. One with `asked: true` is computed from what a ' +
        'client adds, and no result has it: it cannot be used as a column, bound or `metric`. `ask` states the ' +
        '`path` and `query` to request it, and the `field` of the response. For all others `ask` is null.',
      content: {
        'application/json': { schema: z.object({ data: z.array(ItemSchema), next_cursor: z.string().nullable() }) },
      },
    },
    ...readProblems,
    ...missing,
  },
});

type Item = { id: string; name: string } & Record<string, unknown>;

function toMetricItem(id: string, name: string, statistic: string | null, family: MetricFamily, ask: Ask | null): Item {
  const { title: _title, statistics: _statistics, ...rest } = family;
  return { id, name, statistic, ...rest, asked: ask !== null, ask };
}

/** The registries, one line each, without copies of their data. */
const registries: Record<RegistryKind, () => Item[]> = {
  models: () => models.map(({ id, name, family, ...rest }) => ({ id, name, family, ...rest })),
  gpus: () => [
    ...gpus.map(({ id, name, ...rest }) => ({ id, name, ...rest })),
    ...gpuFamilies
      .filter((family) => !gpus.some((gpu) => gpu.id === family.id))
      .map((family) => ({ ...family, is_family: true })),
  ],
  quantizations: () => quantizations.map((row) => ({ ...row })),
  engines: () => engines.map((row) => ({ ...row })),
  scenarios: () => scenarios.map(({ id, title, ...rest }) => ({ id, name: title, ...rest })),
  metrics: () => [
    ...metrics.map(({ name, title, statistic, family }) => toMetricItem(name, title, statistic, family, null)),
    // No result has these metrics: they are computed from the caller's price, limit or baseline.
    ...onRequestFamilies.map((family) => toMetricItem(family.base, family.title, null, family, asks[family.base])),
  ],
  tools: () =>
    adapters.map(({ id, title, kind, recognises, command }) => ({ id, name: title, kind, recognises, command })),
};

const usageOf: Partial<Record<Kind, UsageKind>> = {
  models: 'model',
  gpus: 'gpu',
  quantizations: 'quantization',
  engines: 'engine',
  scenarios: 'scenario',
};

/** Converts keys to snake_case for JSON. */
function toSnake(item: Item): Item {
  const entries = Object.entries(item).map(([key, value]) => [
    key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
    value,
  ]);
  return Object.fromEntries(entries) as Item;
}

const itemsMade = derived(() => new Map<Kind, Item[]>());

/** The items of a registry, cached until the catalogue changes. */
function itemsOf(kind: RegistryKind): Item[] {
  const made = itemsMade();
  const items = made.get(kind) ?? registries[kind]().map(toSnake);
  made.set(kind, items);
  return items;
}

/** Workloads that have results, sorted by number of systems. */
async function workloadItems(db: Database['db']): Promise<Item[]> {
  return (await listWorkloads(db)).map(({ scenario, ...row }) => {
    const { id, ...workload } = viewWorkload(row, scenario);
    const name = [shapeTitle(scenario.name), workload.regime].filter((part) => part !== null).join(', ');
    const { systems, claims, metrics } = row;
    return { id, name, shape: scenario.name, ...workload, kind: row.kind, systems, claims, metrics };
  });
}

/** Operators' additions to the models, GPUs, quantizations and engines of the release, in the order in which they were made. */
async function additionItems(db: Database['db']): Promise<Item[]> {
  return (await listAdditions(db)).map(({ additionId, kind, id, facts, aliases }) => ({
    ...{ id: additionId, name: typeof facts?.name === 'string' ? facts.name : id },
    ...{ kind, entry: id, facts: facts === null ? null : toJsonFacts(facts), aliases },
  }));
}

/** The name of a value that the catalogue does not have. */
const unknownName = (value: string) => promptsTitle(value) ?? value;

/** The values of all kinds that have ranked points. */
async function usedItems(db: Database['db']): Promise<Item[]> {
  const usage = await countUsage(db, Object.values(usageOf));
  return Object.entries(usageOf).flatMap(([kind, fact]) => {
    const names = new Map(itemsOf(kind as RegistryKind).map(({ id, name }) => [id, name]));
    const values = usage.get(fact) ?? [];
    return values.map(({ value, points }) => ({
      id: value,
      name: names.get(value) ?? unknownName(value),
      kind,
      points,
    }));
  });
}

async function withUsage(db: Database['db'], kind: RegistryKind): Promise<Item[]> {
  const items = itemsOf(kind);
  const fact = usageOf[kind];
  if (fact === undefined) return items;
  const usage = (await countUsage(db, [fact])).get(fact) ?? [];
  const counts = new Map(usage.map(({ value, points }) => [value, points]));
  const known = new Set(items.map((item) => item.id));
  const others = [...counts].filter(([value]) => !known.has(value));
  return [
    ...items.map((item) => ({ ...item, points: counts.get(item.id) ?? 0 })),
    ...others.map(([value, points]) => ({ id: value, name: unknownName(value), known: false, points })),
  ];
}

function itemsFor(db: Database['db'], kind: Kind): Promise<Item[]> {
  if (kind === 'workloads') return workloadItems(db);
  if (kind === 'used') return usedItems(db);
  return kind === 'additions' ? additionItems(db) : withUsage(db, kind);
}

export function catalogueRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, listCatalogue, ['results']),
    async (c) => {
      const { kind } = c.req.valid('param');
      const { db } = deps.database.reads;
      const data = await itemsFor(db, kind);
      requireFieldsOf(data, c.req.valid('query').fields);
      return c.json({ data, next_cursor: null }, 200);
    },
    refuse(listCatalogue),
  );
}
