import { createRoute, z } from '@hono/zod-openapi';
import { tableHeading, toTableRow } from '@inferboard/core/adapters/native-columns';
import type { Filters } from '@inferboard/core/filters/filters';
import { toFilters } from '@inferboard/core/filters/parameters';
import { listResults } from '@inferboard/db/queries/result-list';
import { stringify } from 'csv-stringify/sync';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { readProblems } from '../schemas/common.ts';
import { viewResult } from '../views.ts';
import { resultsQuery } from './results.ts';

/** Results that are read and written at once: what an export holds in memory, however long it gets. */
const chunkSize = 500;

type Viewed = ReturnType<typeof viewResult>;

interface Format {
  mediaType: string;
  heading: string;
  write(results: Viewed[]): string;
}

const jsonl: Format = {
  mediaType: 'application/x-ndjson',
  heading: '',
  write: (results) => results.map((result) => `${JSON.stringify(result)}\n`).join(''),
};

const csv: Format = {
  mediaType: 'text/csv; charset=utf-8',
  heading: stringify([[...tableHeading]]),
  // A view holds nothing but JSON.
  write: (results) => stringify(results.map((result) => toTableRow(result as never))),
};

/** Every result that meets the filters, chunk by chunk as the reader takes them. */
async function* write(deps: Deps, filters: Filters, { heading, write: toText }: Format): AsyncGenerator<string> {
  yield heading;
  let after: string | null = null;
  for (;;) {
    const rows = await listResults(deps.database.db, { filters, limit: chunkSize, after });
    if (rows.length > 0) yield toText(rows.map((row) => viewResult(row, deps.publicUrl)));
    if (rows.length < chunkSize) return;
    after = rows.at(-1)?.id ?? null;
  }
}

/** Bytes as the reader asks for them. A failure breaks the answer off: an export that ends is whole. */
function toStream(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

const exportRoute = (name: 'jsonl' | 'csv', { mediaType }: Format, summary: string) =>
  createRoute({
    method: 'get',
    path: `/v1/results.${name}`,
    operationId: name === 'csv' ? 'exportResultsCsv' : 'exportResultsJsonl',
    tags: ['Results'],
    summary,
    description:
      'All results that meet the filters, newest first, as a stream. The file can be submitted again as it is, here or elsewhere.',
    request: { query: resultsQuery },
    responses: {
      200: {
        description: 'All of them.',
        headers: z.object({ 'Content-Disposition': z.string() }),
        content: { [mediaType]: { schema: z.string() } },
      },
      ...readProblems,
    },
  });

const jsonlRoute = exportRoute('jsonl', jsonl, 'All results, one JSON object a line');
const csvRoute = exportRoute('csv', csv, 'All results as a table in the native format');

export function exportRoutes(deps: Deps) {
  const respond = async (
    query: z.output<typeof resultsQuery>,
    given: Record<string, string[]>,
    format: Format,
    name: string,
  ) => {
    const { system, ...rest } = query;
    const filters = { ...toFilters(rest), ...(system === undefined ? {} : { system: [system] }) };
    await requireKnownValues(deps.database.db, given);
    return new Response(toStream(write(deps, filters, format)), {
      headers: { 'Content-Type': format.mediaType, 'Content-Disposition': `attachment; filename="results.${name}"` },
    });
  };
  return createRouter()
    .openapi(
      jsonlRoute,
      (c) => respond(c.req.valid('query'), c.req.queries(), jsonl, 'jsonl'),
      refuse(jsonlRoute, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
    )
    .openapi(
      csvRoute,
      (c) => respond(c.req.valid('query'), c.req.queries(), csv, 'csv'),
      refuse(csvRoute, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
    );
}
