/**
 * The fields that a server supports beyond OpenAI's. `openai` is for unknown servers: an unknown field may be an
 * error there.
 */
export const dialects = ['vllm', 'sglang', 'llama.cpp', 'tgi', 'ollama', 'openai'] as const;
export type Dialect = (typeof dialects)[number];

/**
 * How an answer is brought to its asked length.
 *
 * - `none`: it may end early
 * - `ignore_eos`: the end of sequence does not end it
 * - `ignore_eos_and_min_tokens`: forbidden before the length too, for servers that stop in spite of the former. Costs
 *   the server a look at the logits of every token, so it is not the first choice.
 */
export const forcings = ['none', 'ignore_eos', 'ignore_eos_and_min_tokens'] as const;
export type Forcing = (typeof forcings)[number];

interface DialectRow {
  /** Whether there is a field at all that makes answers reach their length; where not, shortfall is to be expected. */
  forcesLength: boolean;
  /** Whether each chunk can report the tokens so far. */
  tellsContinuousUsage: boolean;
  /** @param usesCache whether the server's prefix cache is part of the measurement */
  fields(outputTokens: number, forcing: Forcing, usesCache: boolean): Record<string, unknown>;
}

const none = { forcesLength: false, tellsContinuousUsage: false, fields: () => ({}) } satisfies DialectRow;

function eosFields(outputTokens: number, forcing: Forcing): Record<string, unknown> {
  if (forcing === 'none') return {};
  return forcing === 'ignore_eos' ? { ignore_eos: true } : { ignore_eos: true, min_tokens: outputTokens };
}

const rows: Record<Dialect, DialectRow> = {
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, extra parameters
  vllm: { forcesLength: true, tellsContinuousUsage: true, fields: eosFields },
  // https://docs.sglang.ai/basic_usage/sampling_params.html
  sglang: { forcesLength: true, tellsContinuousUsage: false, fields: eosFields },
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  'llama.cpp': {
    forcesLength: true,
    tellsContinuousUsage: false,
    // Its slots keep the last prompt, and the chat template alone would be found there again.
    fields: (_outputTokens, forcing, usesCache) => ({
      ...(!usesCache && { cache_prompt: false }),
      ...(forcing !== 'none' && { ignore_eos: true }),
    }),
  },
  // Its ignore_eos_token is not reachable over HTTP: https://github.com/huggingface/text-generation-inference/issues/1944
  tgi: none,
  // https://github.com/ollama/ollama/blob/main/docs/openai.md lists the fields it reads
  ollama: none,
  openai: none,
};

/** What can be asked of a dialect. */
export function dialectRow(dialect: Dialect): Readonly<DialectRow> {
  return rows[dialect];
}

/** The dialect of an engine of the catalogue; `openai` for engines without a dialect. */
export function dialectOfEngine(engineId: string | null): Dialect {
  if (engineId === 'ik_llama.cpp' || engineId === 'llamafile') return 'llama.cpp';
  return dialects.find((dialect) => dialect === engineId) ?? 'openai';
}
