import { joinedName, prefixName, type SharedPrefix } from '@inferboard/core/plans/made-up-prompts';
import { createRandom, deriveSeed } from '../pacing/random.ts';
import { refuseTooShort } from '../prompts/calibrator.ts';
import type { ToolsFile } from './files/tools-file.ts';
import { makePng } from './png.ts';
import { composeTokens } from './synthetic.ts';
import type { Message, TrafficSource, Turn, Unit, Units } from './unit.ts';

/** The source with every unit changed. */
function changed(
  source: TrafficSource,
  part: string,
  change: (seed: number) => (unit: Unit, index: number) => Unit,
): TrafficSource {
  return {
    ...source,
    name: joinedName(part, source.name),
    open: async (tools) => {
      const open = await source.open(tools);
      return (seed): Units => {
        const [units, of] = [open(seed), change(seed)];
        return (index) => of(units(index), index);
      };
    },
  };
}

/** The source for embeddings, which generate no tokens. */
export function withoutAnswers(source: TrafficSource): TrafficSource {
  return { ...source, name: joinedName('embeddings', source.name), lengths: { ...source.lengths, outputTokens: null } };
}

const withSystem = (turn: Turn, content: string, tokens: number): Turn => ({
  ...turn,
  messages: [{ role: 'system', content }, ...turn.messages],
  ...(turn.inputTokens !== undefined && { inputTokens: turn.inputTokens + tokens }),
});

/** Puts a system message before every conversation: one of `groups`, drawn for each, of `tokens` tokens. */
export function withPrefix(source: TrafficSource, { groups, tokens }: SharedPrefix): TrafficSource {
  const { inputTokens } = source.lengths;
  return {
    ...source,
    name: joinedName(prefixName({ groups, tokens }), source.name),
    lengths: { ...source.lengths, inputTokens: inputTokens === null ? null : inputTokens + tokens },
    sharesPrefixes: true,
    notes: (units) => [
      ...source.notes(units),
      `prompts begin with one of ${groups} shared prefixes of ${tokens} tokens, which a prefix cache can reuse`,
    ],
    open: async (tools) => {
      const open = await source.open(tools);
      // The template is counted with the message of the user; a system message can add to it.
      const known = { ...(await tools.vocabulary()), overheadTokens: await tools.systemOverhead() };
      refuseTooShort('shared prefix', known, tokens);
      return (seed): Units => {
        const units = open(seed);
        const texts = Array.from({ length: groups }, (_, group) =>
          composeTokens(known, tokens, deriveSeed(seed, 'prefix', group)),
        );
        return (index) => {
          const unit = units(index);
          const content = texts[createRandom(deriveSeed(seed, 'group', index)).below(groups)] ?? '';
          const [first, ...rest] = unit.turns;
          return {
            ...unit,
            turns: [withSystem(first, content, tokens), ...rest],
          };
        };
      };
    },
  };
}

export interface ImageShape {
  /** Of each conversation. */
  count: number;
  width: number;
  height: number;
}

/** Puts images into the first message of the user, each another one, as data URLs. */
export function withImages(source: TrafficSource, { count, width, height }: ImageShape): TrafficSource {
  return changed(source, `images-${count}x${width}x${height}`, (seed) => (unit, index) => {
    const images = Array.from({ length: count }, (_, at) => {
      const png = makePng(width, height, deriveSeed(seed, 'image', index, at)).toString('base64');
      return { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } };
    });
    const [first, ...rest] = unit.turns;
    const place = first.messages.findLastIndex(({ role }) => role === 'user');
    const messages = first.messages.map((message, at) =>
      at === place ? { ...message, content: [...partsOf(message), ...images] } : message,
    );
    return { ...unit, turns: [{ ...first, messages }, ...rest] };
  });
}

const partsOf = ({ content }: Message): readonly object[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Sends tool definitions with every request. */
export function withTools(source: TrafficSource, { tools, file }: ToolsFile): TrafficSource {
  const named = changed(source, `tools-${tools.length}-${file.sha256.slice(0, 8)}`, () => (unit) => ({
    ...unit,
    tools,
  }));
  return { ...named, sharesPrefixes: true, files: [...source.files, file] };
}

/** Sends each conversation to the next of these models, such as the LoRA adapters of one server. */
export function withModels(source: TrafficSource, models: readonly string[]): TrafficSource {
  return changed(source, `models-${models.length}`, () => (unit, index) => {
    const model = models[index % models.length];
    return model === undefined ? unit : { ...unit, model };
  });
}
