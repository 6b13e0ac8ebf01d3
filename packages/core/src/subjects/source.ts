import { z } from 'zod';
import { SourceUrlSchema } from '../submission/source-url.ts';
import { NameSchema } from '../text/text.ts';

/** Publication of a figure, as stated by its sender or its file. Missing facts are null. */
export interface Source {
  /** The publisher: "MLCommons". */
  publisher: string | null;
  /** The publication: "MLPerf Inference v5.1, Closed". */
  title: string | null;
  url: string | null;
  licence: string | null;
  /** The entry within the publication: "5.1-0001, AMD", or a path. */
  entry: string | null;
  /** The retrieval date as YYYY-MM-DD. */
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

/** Source parameters of an import: the fields of a source, each prefixed with `source_`. */
export const sourceParameters = {
  source_publisher: shape.publisher.optional(),
  source_title: shape.title.optional(),
  source_licence: shape.licence.optional(),
  source_entry: shape.entry.optional(),
  source_retrieved_at: shape.retrieved_at.optional(),
} as const;

type Stated = { [Field in keyof Source]?: string | null | undefined };

/** Fills in a source; null if no field is stated. */
export function toSource(stated: Stated): Source | null {
  const given = sourceFields.filter((field) => stated[field] != null);
  if (given.length === 0) return null;
  return { ...noSource, ...Object.fromEntries(given.map((field) => [field, stated[field]])) };
}

/** Merges two sources: fields missing from `own` come from `general`. */
export function withGeneral(own: Source | null, general: Source | null): Source | null {
  if (own === null || general === null) return own ?? general;
  return toSource(Object.fromEntries(sourceFields.map((field) => [field, own[field] ?? general[field]])));
}

/** The source of a result, from the result and its document; no field if neither states one. */
export function readSource(own: Stated | null | undefined, general: Stated | null | undefined): { source?: Source } {
  const source = withGeneral(toSource(own ?? {}), toSource(general ?? {}));
  return source === null ? {} : { source };
}

/** The source that the operator states for a file. A URL alone is the URL of the submission. */
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

/** The common facts of all results' sources; null if there are none. */
export function commonSource(sources: readonly (Source | null)[]): Source | null {
  const [first = null] = sources;
  if (first === null) return null;
  const isCommon = (field: keyof Source) => sources.every((source) => source?.[field] === first[field]);
  return toSource(Object.fromEntries(sourceFields.map((field) => [field, isCommon(field) ? first[field] : null])));
}
