import { z } from 'zod';
import type { Message } from '../unit.ts';

/** A question of a conversation, with the messages before it that belong to it and the recorded answer. */
export interface RecordedTurn {
  messages: readonly Message[];
  answer: string | null;
}

/** A usable record of a file of prompts. */
export interface RecordedPrompt {
  turns: readonly [RecordedTurn, ...RecordedTurn[]];
  /** Stated by the record. */
  outputTokens: number | null;
  tools?: readonly object[];
  documents?: readonly string[];
}

/** Why a record cannot be sent. */
export const promptFaults = ['fields_missing', 'messages_invalid', 'no_question', 'text_empty', 'text_unfit'] as const;
export type PromptFault = (typeof promptFaults)[number];

const ContentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string() })).min(1)]);
const ToolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const MessageSchema = z.object({
  role: z.string(),
  // A message of an assistant that calls tools has no text.
  content: ContentSchema.nullish().transform((content) => content ?? null),
  tool_calls: z.array(ToolCallSchema).min(1).nullish(),
  tool_call_id: z.string().nullish(),
});
const MessagesSchema = z.array(MessageSchema).min(1);
const ConversationsSchema = z.array(z.object({ from: z.string(), value: z.string() })).min(1);
const ToolsSchema = z.array(z.looseObject({}));
const DocumentsSchema = z.array(z.string()).min(1);

const roles: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  gpt: 'assistant',
  chatgpt: 'assistant',
  bing: 'assistant',
  bard: 'assistant',
  tool: 'tool',
};

/** Fields that hold a prompt or an answer, the first that is there. */
const promptFields = ['prompt', 'text', 'question', 'query', 'instruction', 'input', 'problem'] as const;
const answerFields = ['completion', 'answer', 'response', 'output', 'solution'] as const;
const lengthFields = ['output_tokens', 'max_tokens', 'output_len', 'output_length'] as const;

type Fields = Readonly<Record<string, unknown>>;

const textOf = (content: Message['content']) =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? String(part.text) : 'x')).join('');

/**
 * Each user message begins a turn that ends with the answer after it. Calls of tools and their results before the answer are
 * part of the turn.
 */
function toTurns(messages: readonly Message[]): RecordedPrompt['turns'] | PromptFault {
  const turns: RecordedTurn[] = [];
  let waiting: Message[] = [];
  let isAnswered = false;
  for (const message of messages) {
    const last = turns.at(-1);
    const isToolUse = message.role === 'tool' || message.tool_calls !== undefined;
    if (isToolUse && last !== undefined && !isAnswered) {
      turns[turns.length - 1] = { ...last, messages: [...last.messages, message] };
    } else if (message.role === 'assistant' && !isToolUse) {
      // An answer without a question is part of the prompt.
      if (last === undefined || isAnswered) waiting.push(message);
      else {
        turns[turns.length - 1] = { ...last, answer: textOf(message.content) };
        isAnswered = true;
      }
    } else if (message.role === 'user') {
      turns.push({ messages: [...waiting, message], answer: null });
      waiting = [];
      isAnswered = false;
    } else waiting.push(message);
  }
  const [first, ...rest] = turns;
  return first === undefined ? 'no_question' : [first, ...rest];
}

type ParsedMessage = Pick<z.infer<typeof MessageSchema>, 'role' | 'content'> & Partial<z.infer<typeof MessageSchema>>;

/** A message that can be sent; none if its role is not known, or it lacks its text or the call that it answers. */
function toMessage({ role: name, content, tool_calls: calls, tool_call_id: call }: ParsedMessage): Message[] {
  const role = roles[name.toLowerCase()];
  const hasCalls = role === 'assistant' && calls != null;
  if (role === undefined || (content === null && !hasCalls) || (role === 'tool' && call == null)) return [];
  return [
    {
      ...{ role, content: content ?? '' },
      ...(hasCalls && { tool_calls: calls }),
      ...(role === 'tool' && call != null && { tool_call_id: call }),
    },
  ];
}

function readMessages({ messages, conversations }: Fields): Message[] | PromptFault | null {
  if (messages === undefined && conversations === undefined) return null;
  const parsed =
    messages !== undefined
      ? MessagesSchema.safeParse(messages).data
      : ConversationsSchema.safeParse(conversations).data?.map(({ from, value }) => ({ role: from, content: value }));
  if (parsed === undefined) return 'messages_invalid';
  const known = parsed.flatMap(toMessage);
  return known.length === parsed.length ? known : 'messages_invalid';
}

const firstText = (fields: Fields, names: readonly string[]) =>
  names.map((name) => fields[name]).find((value) => typeof value === 'string') as string | undefined;

function readCount(fields: Fields): number | null {
  const given = lengthFields.map((name) => fields[name]).find((value) => value !== undefined && value !== '');
  const count = Number(given);
  return given !== undefined && Number.isSafeInteger(count) && count > 0 ? count : null;
}

/** Servers refuse lone halves of characters and U+0000, each differently. */
const isFit = (text: string) => text.isWellFormed() && !text.includes('\u0000');

function checkTexts(turns: RecordedPrompt['turns']): PromptFault | null {
  for (const { messages } of turns) {
    if (messages.every(({ content }) => textOf(content).trim() === '')) return 'text_empty';
    if (!messages.every(({ content }) => isFit(textOf(content)))) return 'text_unfit';
  }
  return null;
}

/**
 * Reads a record: a ShareGPT conversation, `messages` of the OpenAI API, or a prompt as text; with the tokens of its
 * answer, the recorded answer, tools and documents where it has them.
 */
export function readPrompt(fields: Fields): RecordedPrompt | PromptFault {
  const messages = readMessages(fields);
  if (typeof messages === 'string') return messages;
  const text = firstText(fields, promptFields);
  if (messages === null && text === undefined) return 'fields_missing';
  const turns: RecordedPrompt['turns'] | PromptFault =
    messages === null
      ? [{ messages: [{ role: 'user', content: text ?? '' }], answer: firstText(fields, answerFields) ?? null }]
      : toTurns(messages);
  if (typeof turns === 'string') return turns;
  const fault = checkTexts(turns);
  if (fault !== null) return fault;
  const tools = ToolsSchema.safeParse(fields.tools).data;
  const documents = DocumentsSchema.safeParse(fields.documents).data;
  return {
    turns,
    outputTokens: readCount(fields),
    ...(tools !== undefined && tools.length > 0 && { tools }),
    ...(documents !== undefined && { documents }),
  };
}
