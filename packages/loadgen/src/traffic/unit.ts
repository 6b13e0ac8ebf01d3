import type { CountTokens, Vocabulary } from '../prompts/calibrator.ts';

/** A message of a chat request, as the OpenAI API has it. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | readonly object[];
  /** Calls of an assistant, answered by messages of the role `tool`. */
  tool_calls?: readonly ToolCall[];
  /** The call that a message of the role `tool` answers. */
  tool_call_id?: string;
}

/** A call of a function, as the OpenAI API has it. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** One request of a conversation. */
export interface Turn {
  /** What this turn adds to the conversation; the last message is the user's, or the result of a tool. */
  messages: readonly Message[];
  /** Requested tokens of the prompt; absent if its texts are given, or if it contains earlier turns. */
  inputTokens?: number;
  /** Tokens of the answer. */
  outputTokens: number;
  /** From the end of the answer before it to its start; 0 of a first turn. */
  thinkMs: number;
}

/** What one client sends: a conversation, mostly of one turn. */
export interface Unit {
  turns: readonly [Turn, ...Turn[]];
  /** Which part of a mix it is from. */
  workload?: string;
  /** The model that is asked, where several take turns. */
  model?: string;
  /** Its tool definitions. */
  tools?: readonly object[];
  /** What a rerank request ranks. */
  documents?: readonly string[];
}

/** The file that traffic comes from. */
export interface TrafficFile {
  /** Without its folder. */
  name: string;
  sha256: string;
  /** Usable records. */
  records: number;
}

/** What a source asks the server before the load. Texts are composed of words that the server has counted. */
export interface TrafficTools {
  vocabulary(): Promise<Vocabulary>;
  /** See `Calibrator`. */
  systemOverhead(): Promise<number>;
  countTokens: CountTokens;
}

/** Unit `index` of a point; any index has one, and the same seed and index give the same unit. */
export type Units = (index: number) => Unit;

/** Where the units of traffic come from. */
export interface TrafficSource {
  /** The workload as part of a data set's name, such as `prompts-1a2b3c4d`. */
  name: string;
  files: readonly TrafficFile[];
  /** Tokens that every request asks for, where all ask for the same. */
  lengths: { inputTokens: number | null; outputTokens: number | null };
  /** Whether prompts begin alike by design, so that the server's prefix cache is part of the measurement. */
  sharesPrefixes: boolean;
  /** When units are due, in ms, where the source decides it. */
  dueMs?: Float64Array;
  /** Notes on the figures of a point of so many units. */
  notes(units: number): string[];
  open(tools: TrafficTools): Promise<(seed: number) => Units>;
}
