import { z } from '@hono/zod-openapi';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { nearest } from '@inferboard/core/text/nearest';

// Sparse fieldsets: `fields=rank,value,system.model.name` selects fields of each entry in `data`.

/** Fields by name; `any` matches all keys of a map, such as metrics. */
interface Tree {
  names: Map<string, Tree>;
  any: Tree | null;
}

interface JsonSchema {
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $defs?: Record<string, JsonSchema>;
}

const empty = (): Tree => ({ names: new Map(), any: null });

/** Accepts every path. */
const open: Tree = empty();
open.any = open;

/** Adds the fields of a schema to a tree. Paths do not name lists and nulls. */
function grow(tree: Tree, schema: JsonSchema, definitions: Record<string, JsonSchema>): Tree {
  const { $ref, properties = {}, additionalProperties, items, anyOf = [], allOf = [] } = schema;
  const referred = $ref === undefined ? undefined : definitions[$ref.split('/').at(-1) ?? ''];
  for (const part of [...anyOf, ...allOf, ...(items ? [items] : []), ...(referred ? [referred] : [])])
    grow(tree, part, definitions);
  for (const [name, part] of Object.entries(properties))
    tree.names.set(name, grow(tree.names.get(name) ?? empty(), part, definitions));
  if (typeof additionalProperties === 'object')
    tree.any =
      tree.any === open || Object.keys(additionalProperties).length === 0
        ? open
        : grow(tree.any ?? empty(), additionalProperties, definitions);
  return tree;
}

function treeOf(entry: z.ZodType): Tree {
  const schema = z.toJSONSchema(entry, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  return grow(empty(), schema, schema.$defs ?? {});
}

/** Null if a path leads to a field; otherwise the closest valid path, or ''. */
function correct(tree: Tree, path: string): string | null {
  let at: Tree = tree;
  const passed: string[] = [];
  for (const name of path.split('.')) {
    const next = at.names.get(name) ?? (/^\w+$/.test(name) ? at.any : null);
    if (!next) {
      const meant = nearest(name, at.names.keys());
      return meant === null ? '' : [...passed, meant].join('.');
    }
    passed.push(name);
    at = next;
  }
  return null;
}

const quoted = (words: readonly string[]) => words.map((word) => `"${word.slice(0, 100)}"`).join(', ');

/** All errors of a list of fields; null if it is valid. */
function faultOf(tree: Tree, paths: readonly string[]): Fault | null {
  const wrong = paths.flatMap((path) => {
    const meant = correct(tree, path);
    return meant === null ? [] : [{ path, meant }];
  });
  if (wrong.length === 0) return null;
  const names = quoted(wrong.map(({ path }) => path));
  const meant = quoted(wrong.flatMap((one) => (one.meant === '' ? [] : [one.meant])));
  return {
    code: 'value_unknown',
    parameter: 'fields',
    message: wrong.length === 1 ? `${names} is not a field of an entry.` : `${names} are not fields of an entry.`,
    hint: meant === '' ? `Valid fields: ${[...tree.names.keys()].join(', ')}.` : `Did you mean ${meant}?`,
  };
}

/** Adds the fields that a value has to a tree. Those of a null are unknown. */
function growFrom(tree: Tree, value: unknown): Tree {
  if (value === null) tree.any = open;
  else if (Array.isArray(value)) for (const item of value) growFrom(tree, item);
  else if (typeof value === 'object')
    for (const [name, part] of Object.entries(value))
      tree.names.set(name, growFrom(tree.names.get(name) ?? empty(), part));
  return tree;
}

/**
 * Checks `fields` against the entries of a list whose schema allows more fields than it names. A list without entries accepts all.
 *
 * @throws DomainError `request_invalid`
 */
export function requireFieldsOf(entries: readonly object[], fields: string | undefined): void {
  if (fields === undefined || entries.length === 0) return;
  const fault = faultOf(growFrom(empty(), entries), [...new Set(fields.split(','))]);
  if (fault !== null) throw new DomainError('request_invalid', 'The query is not valid.', [fault]);
}

const lengthMax = 1000;

/** The `fields` parameter of a list whose entries have this schema. */
export function fieldsShape(entry: z.ZodType, example: string) {
  // Built on first use: few clients need it.
  let tree: Tree | null = null;
  const fields = z
    .string()
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    .superRefine((text, context) => {
      tree ??= treeOf(entry);
      const fault = faultOf(tree, [...new Set(text.split(','))]);
      if (fault !== null) context.addIssue({ code: 'custom', message: fault.message, params: { fault } });
    })
    .optional()
    .openapi({
      example,
      maxLength: lengthMax,
      description:
        'Fields of each entry in `data`, separated by commas; use a dot for fields of an object or a list. Entries then have only these fields, from the full response.',
    });
  return { fields } as const;
}

type Picked = Map<string, Picked>;

function toPicked(fields: string): Picked {
  const picked: Picked = new Map();
  for (const path of fields.split(',')) {
    let at = picked;
    for (const name of path.split('.')) {
      const next: Picked = at.get(name) ?? new Map();
      at.set(name, next);
      at = next;
    }
  }
  return picked;
}

function pick(value: unknown, picked: Picked): unknown {
  if (picked.size === 0 || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, picked));
  const found = Object.entries(value).filter(([name]) => picked.has(name));
  return Object.fromEntries(found.map(([name, inner]) => [name, pick(inner, picked.get(name) ?? new Map())]));
}

/** A list whose entries have only the named fields; all other parts are unchanged. */
export function withFields(value: unknown, fields: string | undefined): unknown {
  if (fields === undefined || value === null || typeof value !== 'object' || !('data' in value)) return value;
  return { ...value, data: pick(value.data, toPicked(fields)) };
}
