import { engines, gpuFamilies, gpus, modelFamilies, models, quantizations, scenarios } from '../../catalogue/index.ts';
import { derived } from '../../catalogue/memo.ts';

/** Facts of a result that the catalogue names. Each is the query parameter of its filter. */
export const catalogueKinds = ['model', 'gpu', 'quantization', 'engine', 'scenario'] as const;
export type CatalogueKind = (typeof catalogueKinds)[number];

/** Splits a name into letters and digits: "Qwen3-30B-A3B" becomes qwen, 3, 30, b, a, 3, b. */
export function piecesOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/\d+(?:\.\d+)*|\p{L}+/gu) ?? []
  );
}

interface Named {
  id: string;
  name?: string;
  title?: string;
  aliases: readonly string[];
}

const namesOf = ({ id, name, title, aliases }: Named) =>
  [id, name, title, ...aliases].filter((text) => text !== undefined);

const rows: Record<CatalogueKind, () => readonly Named[]> = {
  model: () => models,
  gpu: () => gpus,
  quantization: () => quantizations,
  engine: () => engines,
  scenario: () => scenarios,
};

type Family = { id: string; name?: string; members: readonly string[] };

const families: Partial<Record<CatalogueKind, () => readonly Family[]>> = {
  model: () => modelFamilies,
  gpu: () => gpuFamilies,
};

/** Words that a resolver accepts although no entry has them in its name. */
const neutral: Record<CatalogueKind, readonly string[]> = {
  model: ['instruct', 'chat', 'base', 'it', 'hf', 'thinking', 'gguf'],
  gpu: ['gpu', 'gpus', 'card', 'cards', 'graphics', 'accelerator', 'accelerators', 'tensor', 'core', 'x', 's'],
  quantization: [
    'smooth',
    'sparse',
    'gptq',
    'awq',
    'smoothquant',
    'ptq',
    'mostly',
    'gguf',
    'torch',
    'bpw',
    'imatrix',
    'bit',
    'bits',
  ],
  engine: [],
  scenario: ['pp', 'tg', 'd'],
};

interface Vocabulary {
  /** All pieces of names of the kind. */
  pieces: ReadonlySet<string>;
  /** Pieces by entry or family. */
  own: ReadonlyMap<string, ReadonlySet<string>>;
  /** All names as written, for hints. */
  names: readonly string[];
}

function vocabularyOf(kind: CatalogueKind): Vocabulary {
  const entries = rows[kind]();
  const groups = families[kind]?.() ?? [];
  const own = new Map<string, ReadonlySet<string>>();
  for (const row of entries) own.set(row.id, new Set([...neutral[kind], ...namesOf(row).flatMap(piecesOf)]));
  for (const { id, name, members } of groups) {
    const inside = members.flatMap((member) => [...(own.get(member) ?? [])]);
    own.set(id, new Set([...(own.get(id) ?? []), ...piecesOf(id), ...piecesOf(name ?? ''), ...inside]));
  }
  return {
    pieces: new Set([...own.values()].flatMap((set) => [...set])),
    own,
    names: [...entries.flatMap(namesOf), ...groups.map(({ id }) => id)],
  };
}

const vocabularies = derived(
  (): Record<CatalogueKind, Vocabulary> => ({
    model: vocabularyOf('model'),
    gpu: vocabularyOf('gpu'),
    quantization: vocabularyOf('quantization'),
    engine: vocabularyOf('engine'),
    scenario: vocabularyOf('scenario'),
  }),
);

/** All names of the catalogue as written. */
export const catalogueNames: () => readonly string[] = derived(() =>
  catalogueKinds.flatMap((kind) => vocabularies()[kind].names),
);

/** Publishers of quantized models, whose repositories have the names of the models. */
const publishers = /^(?:unsloth|bartowski|ggml-org|lmstudio-community|mlx-community|thebloke|redhatai|neuralmagic)\//u;

/** The name of a model without the publisher of its repository. */
export const withoutPublisher = (name: string): string => name.replace(publishers, '');

/** True if a word can be part of a name of the kind. Names with other words are not looked up. */
export function mayName(kind: CatalogueKind, word: string): boolean {
  const { pieces } = vocabularies()[kind];
  const isFree = kind === 'gpu' || kind === 'scenario';
  // "pp512 @ d4096": only names of scenarios contain signs.
  if (kind !== 'scenario' && piecesOf(word).length === 0) return false;
  const isKnown = (text: string) =>
    piecesOf(text).every((piece) => pieces.has(piece) || (isFree && /^\d/u.test(piece)));
  // "8xH200" and "h200x8" include a GPU count.
  return (
    isKnown(kind === 'model' ? withoutPublisher(word) : word) ||
    (kind === 'gpu' && isKnown(word.replace(/^\d{1,4}[x×*](?=.)|[x×*]\d{1,4}$/u, '')))
  );
}

/** True if every word of a phrase is part of the names of its entry. Resolvers ignore some words. */
export function isExplained(kind: CatalogueKind, id: string, phrase: string): boolean {
  const own = vocabularies()[kind].own.get(id);
  return own === undefined || piecesOf(phrase).every((piece) => own.has(piece));
}
