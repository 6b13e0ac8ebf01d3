import { findNamedScenario } from '../catalogue/scenario-names.ts';
import { promptsTitle } from './prompts-title.ts';
import { readShapeName, unspecifiedShape } from './shape-name.ts';

const count = (tokens: number) => tokens.toLocaleString('en-US');

/** The display name of a shape: "Chatbot", "1,500 → 260 tokens", "500 tokens in", "pp512 after 4,096 tokens". */
export function shapeTitle(id: string): string {
  const named = findNamedScenario(id);
  if (named !== null) return named.title;
  const lengths = readShapeName(id);
  if (lengths === null) return promptsTitle(id) ?? toTitle(id);
  const { inputTokens, outputTokens, depth } = lengths;
  const cached = depth === null ? '' : ` after ${count(depth)}`;
  if (inputTokens === null) return `${count(outputTokens ?? 0)} tokens out${cached}`;
  return outputTokens === null
    ? `${count(inputTokens)} tokens in${cached}`
    : `${count(inputTokens)} → ${count(outputTokens)} tokens${cached}`;
}

function toTitle(id: string): string {
  const [shape = '', depth] = id.split('@d');
  const title = shape === unspecifiedShape ? 'Workload not stated' : shape;
  return depth === undefined || !/^\d+$/.test(depth) ? title : `${title} after ${count(Number(depth))} tokens`;
}
