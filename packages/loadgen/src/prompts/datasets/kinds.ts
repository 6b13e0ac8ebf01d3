import type { DatasetId } from '@inferboard/core/plans/datasets';
import { z } from 'zod';

/** What is asked of a record: a prompt, and the recorded answer where there is one. */
export interface Question {
  prompt: string;
  answer: string | null;
}

/** Why a record cannot be asked. */
export const skipReasons = ['fields_missing', 'no_exchange', 'text_empty', 'text_unfit'] as const;
export type SkipReason = (typeof skipReasons)[number];

export interface DatasetKind {
  /** Columns that are needed. */
  columns: readonly string[];
  read(record: unknown): Question | SkipReason;
  /** Tokens of a prompt at most, and of prompt and answer: what vLLM's benchmark keeps of the set. */
  promptTokensMax: number;
  totalTokensMax: number;
  /** Requested tokens if no response is recorded. */
  outputTokens: number;
}

const TurnSchema = z.object({ from: z.string(), value: z.string() });
const ShareGptSchema = z.object({ conversations: z.array(TurnSchema) });
const NuminaSchema = z.object({ problem: z.string(), solution: z.string() });
const EditSchema = z.object({ code: z.string(), change_request: z.string() });

const askers: ReadonlySet<string> = new Set(['human', 'user']);
const answerers: ReadonlySet<string> = new Set(['gpt', 'chatgpt', 'assistant', 'bing', 'bard']);

/** The first question of a conversation and the answer after it: one turn, as the benchmarks of the engines take it. */
function readShareGpt(record: unknown): Question | SkipReason {
  const parsed = ShareGptSchema.safeParse(record);
  if (!parsed.success) return 'fields_missing';
  const turns = parsed.data.conversations.filter(({ from }) => from !== 'system');
  const [first, second] = turns;
  if (first === undefined || second === undefined || !askers.has(first.from) || !answerers.has(second.from))
    return 'no_exchange';
  return fit({ prompt: first.value, answer: second.value });
}

function readNumina(record: unknown): Question | SkipReason {
  const parsed = NuminaSchema.safeParse(record);
  return parsed.success ? fit({ prompt: parsed.data.problem, answer: parsed.data.solution }) : 'fields_missing';
}

function readEdit(record: unknown): Question | SkipReason {
  const parsed = EditSchema.safeParse(record);
  if (!parsed.success) return 'fields_missing';
  const { code, change_request: request } = parsed.data;
  if (code.trim() === '' || request.trim() === '') return 'text_empty';
  const prompt = `Apply the change to the file and answer with the whole new file.\n\nFile:\n\n${code}\n\nChange:\n\n${request}\n`;
  return fit({ prompt, answer: null });
}

/** Servers refuse lone halves of characters and U+0000, each in its own way. */
function fit(question: Question): Question | SkipReason {
  const { prompt, answer } = question;
  if (prompt.trim() === '' || answer?.trim() === '') return 'text_empty';
  const isFit = [prompt, answer ?? ''].every((text) => text.isWellFormed() && !text.includes('\u0000'));
  return isFit ? question : 'text_unfit';
}

/** The data sets of the catalogue's scenarios, by the scenario's id. */
export const datasetKinds = {
  // Bounds: is_valid_sequence of vllm/benchmarks/datasets.py
  sharegpt: {
    columns: ['conversations'],
    read: readShareGpt,
    promptTokensMax: 1024,
    totalTokensMax: 2048,
    outputTokens: 256,
  },
  // Bounds: AIMODataset of the same file
  'numina-math': {
    columns: ['problem', 'solution'],
    read: readNumina,
    promptTokensMax: 2048,
    totalTokensMax: 32_000,
    outputTokens: 1024,
  },
  // Length of the answer: BlazeditDataset of the same file
  'edit-10k': {
    columns: ['code', 'change_request'],
    read: readEdit,
    promptTokensMax: 8192,
    totalTokensMax: 16_384,
    outputTokens: 4000,
  },
} as const satisfies Record<DatasetId, DatasetKind>;
