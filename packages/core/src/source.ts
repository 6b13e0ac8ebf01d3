import { z } from 'zod';
import { SourceUrlSchema } from './submission/source-url.ts';
import { NameSchema } from './text.ts';

/** Where a figure was published, as its sender or its file states it. Missing facts are null. */
export interface Source {
  /** Who published it: "MLCommons". */
  publisher: string | null;
  /** The publication: "MLPerf Inference v5.1, Closed". */
  title: string | null;
  url: string | null;
  licence: string | null;
  /** The entry within the publication: "5.1-0001, AMD", or a path. */
  entry: string | null;
  /** The day on which it was retrieved, as YYYY-MM-DD. */
  retrieved_at: string | null;
}

export const sourceFields = ['publisher', 'title', 'url', 'licence', 'entry', 'retrieved_at'] as const;

const noSource: Source = { publisher: null, title: null, url: null, licence: null, entry: null, retrieved_at: null };

const shape = {
  publisher: NameSchema,
  title: NameSchema,
  url: SourceUrlSchema,
  licence: NameSchema,
  entry: NameSchema,
  retrieved_at: z.iso.date('must be a date, such as 2026-08-15'),
};

/** A source in the native format. */
export const SourceSchema = z.strictObject({
  publisher: shape.publisher.nullish(),
  title: shape.title.nullish(),
  url: shape.url.nullish(),
  licence: shape.licence.nullish(),
  entry: shape.entry.nullish(),
  retrieved_at: shape.retrieved_at.nullish(),
});

/** What the operator says of the source beside a file: the fields of a source, each under `source_`. */
export const sourceParameters = {
  source_publisher: shape.publisher.optional(),
  source_title: shape.title.optional(),
  source_licence: shape.licence.optional(),
  source_entry: shape.entry.optional(),
  source_retrieved_at: shape.retrieved_at.optional(),
} as const;

type Stated = { [Field in keyof Source]?: string | null | undefined };

/** A source with every field; null where none is stated. */
export function toSource(stated: Stated): Source | null {
  const given = sourceFields.filter((field) => stated[field] != null);
  if (given.length === 0) return null;
  return { ...noSource, ...Object.fromEntries(given.map((field) => [field, stated[field]])) };
}

/** One source over another: each field of `general` that the `own` one lacks. */
export function withGeneral(own: Source | null, general: Source | null): Source | null {
  if (own === null || general === null) return own ?? general;
  return toSource(Object.fromEntries(sourceFields.map((field) => [field, own[field] ?? general[field]])));
}

/** The source of a result, as it and its document state it; no field where neither does. */
export function readSource(own: Stated | null | undefined, general: Stated | null | undefined): { source?: Source } {
  const source = withGeneral(toSource(own ?? {}), toSource(general ?? {}));
  return source === null ? {} : { source };
}

/** The source that the operator states beside a file. An address alone is that of the submission. */
export function statedSource(
  given: {
    [Field in keyof typeof sourceParameters]?: string | undefined;
  } & { source_url?: string | undefined },
): Source | null {
  const named = toSource({
    publisher: given.source_publisher,
    title: given.source_title,
    licence: given.source_licence,
    entry: given.source_entry,
    retrieved_at: given.source_retrieved_at,
  });
  return withGeneral(named, named && toSource({ url: given.source_url }));
}

/** What the sources of all results have in common; null where that is nothing. */
export function commonSource(sources: readonly (Source | null)[]): Source | null {
  const [first = null] = sources;
  if (first === null) return null;
  const isCommon = (field: keyof Source) => sources.every((source) => source?.[field] === first[field]);
  return toSource(Object.fromEntries(sourceFields.map((field) => [field, isCommon(field) ? first[field] : null])));
}
