import type { Message } from '../traffic/unit.ts';

type Fields = Record<string, unknown>;

function toPart(part: object): object {
  if ('text' in part) return { type: 'input_text', text: part.text };
  const image: unknown = 'image_url' in part ? part.image_url : null;
  if (typeof image === 'object' && image !== null && 'url' in image)
    return { type: 'input_image', image_url: image.url };
  return part;
}

/** A message without calls of tools: parts have other names. */
function toResponseMessage({ role, content }: Message): object {
  return { role, content: typeof content === 'string' ? content : content.map(toPart) };
}

const textOf = (content: Message['content']) =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? String(part.text) : '')).join('');

/** A message of a chat as `/v1/responses` has it: tool calls and their results are separate items. */
export function toResponseItems(message: Message): object[] {
  const { role, content, tool_calls: calls = [], tool_call_id: call } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: call, output: textOf(content) }];
  const items = calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called }));
  return calls.length > 0 && content === '' ? items : [toResponseMessage(message), ...items];
}

const toTool = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null && 'function' in tool && typeof tool.function === 'object'
    ? { type: 'function', ...tool.function }
    : tool;

/** Fields of a chat request as `/v1/responses` has them: tools without the object around each function. */
export function toResponseFields(fields: Fields = {}): Fields {
  return Array.isArray(fields.tools) ? { ...fields, tools: fields.tools.map(toTool) } : fields;
}
