import { createRandom, deriveSeed, shuffled } from '../../pacing/random.ts';
import { DatasetError } from '../../prompts/datasets/dataset-error.ts';
import { type Distribution, drawTokens } from '../lengths.ts';
import { type ConversationOptions, drawThinkMs, nameOfConversation } from '../synthetic.ts';
import type { Message, TrafficSource, Turn, Unit, Units } from '../unit.ts';
import { describeFaults } from './file-error.ts';
import { type PromptFault, type RecordedPrompt, readPrompt } from './read-prompt.ts';
import { fileSlug, readRecords } from './read-records.ts';

export interface PromptsFileOptions {
  /** In place of the lengths that the records state. */
  outputTokens: Distribution | null;
  /** Conversations are sent turn by turn; null sends each record as one request. */
  conversation: ConversationOptions | null;
  /** A record without documents cannot be sent: they are to be ranked. */
  needsDocuments?: boolean;
}

/** Of a record that states no length and has no answer. */
const outputTokensUsual = 256;
const sampledRecords = 32;
const sampledChars = 16_000;

const faultWords: Record<PromptFault, string> = {
  fields_missing: 'has neither prompt, text, messages nor conversations',
  messages_invalid:
    'has messages that cannot be sent: each needs a known role (system, user, assistant, tool) and a text, and a result of a tool its tool_call_id',
  no_question: 'has no message of a user',
  text_empty: 'has an empty prompt',
  text_unfit: 'contains U+0000 or an incomplete character',
};

const promptFix =
  'Give each record a prompt, such as {"prompt": "Hello"} or {"messages": [{"role": "user", "content": "Hello"}]}. A file that begins with neither { nor [ is read as CSV: its first line must name the columns, such as prompt,max_tokens.';
const documentsFix = 'Give each record a query and its documents, such as {"query": "Hello", "documents": ["A", "B"]}.';

/** Everything up to the last question is one request; the answers before it are recorded ones. */
function asOneTurn(prompt: RecordedPrompt): RecordedPrompt {
  const { turns } = prompt;
  const last = turns.at(-1) ?? turns[0];
  const messages = turns.flatMap((turn, at): Message[] => [
    ...turn.messages,
    ...(at < turns.length - 1 && turn.answer !== null ? [{ role: 'assistant' as const, content: turn.answer }] : []),
  ]);
  return { ...prompt, turns: [{ messages, answer: last.answer }] };
}

function collect(
  path: string,
  lines: readonly { value: Record<string, unknown>; line: number }[],
  needsDocuments: boolean,
) {
  const usable: RecordedPrompt[] = [];
  const faults: string[] = [];
  for (const { value, line } of lines) {
    const prompt = readPrompt(value);
    if (typeof prompt === 'string') faults.push(`line ${line} ${faultWords[prompt]}`);
    else if (needsDocuments && prompt.documents === undefined) faults.push(`line ${line} has no documents to rank`);
    else usable.push(prompt);
  }
  if (usable.length > 0) return { usable, skipped: faults.length };
  const fix = needsDocuments ? documentsFix : promptFix;
  throw new DatasetError('no_usable_records', describeFaults(`${path} has no usable prompt`, faults, fix));
}

/** Characters of a token, by one count of a sample; 4 where no record has an answer whose length it is needed for. */
async function charsPerToken(prompts: readonly RecordedPrompt[], count: (text: string) => Promise<number>) {
  const answers = prompts.flatMap(({ turns, outputTokens }) =>
    outputTokens === null ? turns.flatMap(({ answer }) => answer ?? []) : [],
  );
  if (answers.length === 0) return 4;
  const sample = shuffled(answers, createRandom(deriveSeed(0, 'sample'))).slice(0, sampledRecords);
  const text = sample.join('\n').slice(0, sampledChars).toWellFormed();
  return text.length / (await count(text));
}

/**
 * The prompts of a file, unchanged, in an order drawn by the seed, each once before any comes again. Records that cannot
 * be sent are counted and left out.
 *
 * @throws DatasetError on a file that cannot be read or has no usable prompt
 */
export async function openPromptsFile(path: string, options: PromptsFileOptions): Promise<TrafficSource> {
  const file = await readRecords(path);
  const { usable, skipped } = collect(path, file.records, options.needsDocuments ?? false);
  const prompts = options.conversation === null ? usable.map(asOneTurn) : usable;
  return {
    name:
      options.conversation === null ? fileSlug(file) : `${fileSlug(file)}-${nameOfConversation(options.conversation)}`,
    files: [{ name: file.name, sha256: file.sha256, records: prompts.length }],
    lengths: { inputTokens: null, outputTokens: options.outputTokens?.fixed ?? null },
    sharesPrefixes: true,
    notes: (units) => [
      ...(skipped > 0
        ? [
            `${skipped} ${skipped === 1 ? 'record' : 'records'} of ${file.name} cannot be sent and ${skipped === 1 ? 'is' : 'are'} left out`,
          ]
        : []),
      ...(units > prompts.length
        ? [
            `${file.name} has ${prompts.length} ${prompts.length === 1 ? 'prompt' : 'prompts'} for ${units} requests: prompts repeat, and a prefix cache has them`,
          ]
        : []),
    ],
    open: async ({ countTokens }) => {
      const isNeeded = options.outputTokens === null;
      const chars = isNeeded ? await charsPerToken(prompts, countTokens) : 4;
      return (seed) => unitsOf(prompts, seed, chars, options);
    },
  };
}

function unitsOf(prompts: readonly RecordedPrompt[], seed: number, chars: number, options: PromptsFileOptions): Units {
  const rounds: RecordedPrompt[][] = [];
  const promptAt = (index: number) => {
    const round = Math.floor(index / prompts.length);
    rounds[round] ??= shuffled(prompts, createRandom(deriveSeed(seed, 'records', round)));
    const prompt = rounds[round][index % prompts.length];
    if (prompt === undefined) throw new RangeError(`there is no unit ${index}`);
    return prompt;
  };
  return (index) => {
    const { turns, outputTokens, tools, documents } = promptAt(index);
    const toTurn = ({ messages, answer }: RecordedPrompt['turns'][number], place: number): Turn => {
      const asked =
        options.outputTokens !== null
          ? drawTokens(options.outputTokens, createRandom(deriveSeed(seed, 'output', index, place)))
          : (outputTokens ?? (answer === null ? outputTokensUsual : Math.max(1, Math.round(answer.length / chars))));
      return {
        messages,
        outputTokens: asked,
        thinkMs:
          place === 0 || options.conversation === null
            ? 0
            : drawThinkMs(options.conversation, deriveSeed(seed, 'think', index, place)),
      };
    };
    const [first, ...rest] = turns.slice(0, options.conversation?.turns ?? 1).map(toTurn);
    if (first === undefined) throw new RangeError(`unit ${index} has no turn`);
    const unit: Unit = {
      turns: [first, ...rest],
      ...(tools !== undefined && { tools }),
      ...(documents !== undefined && { documents }),
    };
    return unit;
  };
}
