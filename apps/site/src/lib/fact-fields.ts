import { parameterShape } from '@inferboard/core/submission/parameters';
import type { CatalogueItem } from './api.ts';

/** An optional fact of the submit form. */
export interface FactField {
  name: string;
  label: string;
  help: string;
  value: string;
  /** Suggested names. Free text is also allowed, unless `isClosed`. */
  options: { value: string; label: string }[];
  isClosed: boolean;
}

/** Facts that artifacts omit most often. */
const common: ReadonlySet<string> = new Set(['model', 'gpu', 'gpu_count', 'quantization', 'engine', 'scenario']);
const initials: ReadonlySet<string> = new Set(['gpu', 'url', 'w']);

/** "gpu_power_limit_w" as "GPU power limit W". */
function labelOf(name: string): string {
  const words = name.split('_').map((word) => (initials.has(word) ? word.toUpperCase() : word));
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface FieldSchema {
  description?: string;
  options?: readonly string[];
  unwrap?: () => FieldSchema;
}

/** The values of a closed list; empty for a free field. */
function choicesOf(schema: FieldSchema): readonly string[] {
  return schema.options ?? (schema.unwrap === undefined ? [] : choicesOf(schema.unwrap()));
}

const toOption = ({ id, name }: CatalogueItem) => ({ value: id, label: name });

/** The fields of the paste form, the most used first. `tools` and `lists` are from the API. */
export function toFactFields(
  given: Record<string, string>,
  tools: readonly CatalogueItem[],
  lists: Readonly<Record<string, readonly CatalogueItem[]>>,
): { common: FactField[]; rare: FactField[] } {
  const fields = Object.entries(parameterShape).map(([name, schema]): FactField => {
    const choices = choicesOf(schema as FieldSchema);
    const known = name === 'tool' ? tools : (lists[name] ?? []);
    return {
      name,
      label: labelOf(name),
      // The page lists the tools separately.
      help: name === 'tool' ? 'Skips detection.' : (schema.description ?? ''),
      value: given[name] ?? '',
      options: known.length > 0 ? known.map(toOption) : choices.map((value) => ({ value, label: value })),
      isClosed: name === 'tool' || choices.length > 0,
    };
  });
  return {
    common: fields.filter(({ name }) => common.has(name)),
    rare: fields.filter(({ name }) => !common.has(name)),
  };
}
