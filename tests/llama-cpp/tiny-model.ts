import { createRandom, type Random } from '../../packages/loadgen/src/pacing/random.ts';
import { promptWords } from '../../packages/loadgen/src/prompts/words.ts';

/** https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
const gguf = { magic: 'GGUF', version: 3, alignment: 32 };
const types = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 };
const tensorF32 = 0;
const tokenNormal = 1;
const tokenControl = 3;

const shape = { blocks: 4, width: 256, heads: 4, inner: 768, context: 8192 };

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const f32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

type Value = string | number | readonly string[] | readonly number[] | { float: number };

function typedValue(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([u32(types.string), text(value)]);
  if (typeof value === 'number') return Buffer.concat([u32(types.uint32), u32(value)]);
  if ('float' in value) return Buffer.concat([u32(types.float32), f32(value.float)]);
  const isText = typeof value[0] === 'string';
  const items = value.map((item) => (typeof item === 'string' ? text(item) : u32(item)));
  return Buffer.concat([u32(types.array), u32(isText ? types.string : types.int32), u64(items.length), ...items]);
}

/** Characters that represent each byte in GPT-2's vocabularies. */
function byteNames(): string[] {
  const isPrinted = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrinted(byte) ? byte : next++));
}

interface Vocabulary {
  tokens: string[];
  merges: string[];
  /** True for tokens that can be in text: whole characters. */
  isText: boolean[];
}

/** All bytes, and the words of the prompts, merged as in GPT-2's tokenizer. */
function makeVocabulary(): Vocabulary {
  const bytes = byteNames();
  const space = bytes[32] ?? '';
  const tokens = [...bytes];
  const isText = bytes.map((_, byte) => byte >= 32 && byte < 127);
  const merges: string[] = [];
  for (const word of promptWords) {
    let joined = space;
    for (const letter of word) {
      const longer = joined + letter;
      if (!tokens.includes(longer)) {
        tokens.push(longer);
        isText.push(true);
        merges.push(`${joined} ${letter}`);
      }
      joined = longer;
    }
  }
  tokens.push('<|endoftext|>');
  isText.push(false);
  return { tokens, merges, isText };
}

interface Tensor {
  name: string;
  /** Dimensions, the innermost first. */
  dimensions: number[];
  values: Float32Array;
}

function noise(random: Random, dimensions: number[], name: string, scale: number): Tensor {
  const count = dimensions.reduce((product, size) => product * size, 1);
  return { name, dimensions, values: Float32Array.from({ length: count }, () => scale * (2 * random.next() - 1)) };
}

const ones = (name: string): Tensor => ({
  name,
  dimensions: [shape.width],
  values: new Float32Array(shape.width).fill(1),
});

function makeTensors(random: Random, { tokens, isText }: Vocabulary): Tensor[] {
  const { width, inner, blocks } = shape;
  const embedding = noise(random, [width, tokens.length], 'token_embd.weight', 1);
  const output = noise(random, [width, tokens.length], 'output.weight', 1);
  // Partial characters and the end token are never the most likely.
  isText.forEach((mayCome, token) => {
    if (!mayCome) output.values.fill(0, token * width, (token + 1) * width);
  });
  const perBlock = Array.from({ length: blocks }, (_, block) => {
    const weight = (name: string, dimensions: number[]) =>
      noise(random, dimensions, `blk.${block}.${name}.weight`, 0.3);
    return [
      ones(`blk.${block}.attn_norm.weight`),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) => weight(name, [width, width])),
      ones(`blk.${block}.ffn_norm.weight`),
      weight('ffn_gate', [width, inner]),
      weight('ffn_up', [width, inner]),
      weight('ffn_down', [inner, width]),
    ];
  });
  return [embedding, ones('output_norm.weight'), output, ...perBlock.flat()];
}

const padded = (bytes: number) => Math.ceil(bytes / gguf.alignment) * gguf.alignment;

/** A llama model with random weights, as a GGUF file: fast, with meaningless output. */
export function makeTinyModel(seed: number): Buffer {
  const vocabulary = makeVocabulary();
  const tensors = makeTensors(createRandom(seed), vocabulary);
  const end = vocabulary.tokens.length - 1;
  const facts: Record<string, Value> = {
    'general.architecture': 'llama',
    'general.name': 'tiny',
    'llama.block_count': shape.blocks,
    'llama.context_length': shape.context,
    'llama.embedding_length': shape.width,
    'llama.feed_forward_length': shape.inner,
    'llama.attention.head_count': shape.heads,
    'llama.attention.head_count_kv': shape.heads,
    'llama.attention.layer_norm_rms_epsilon': { float: 1e-5 },
    'llama.rope.dimension_count': shape.width / shape.heads,
    'llama.vocab_size': vocabulary.tokens.length,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': vocabulary.tokens,
    'tokenizer.ggml.token_type': vocabulary.tokens.map((_, token) => (token === end ? tokenControl : tokenNormal)),
    'tokenizer.ggml.merges': vocabulary.merges,
    'tokenizer.ggml.bos_token_id': end,
    'tokenizer.ggml.eos_token_id': end,
  };
  const parts: Buffer[] = [
    Buffer.from(gguf.magic),
    u32(gguf.version),
    u64(tensors.length),
    u64(Object.keys(facts).length),
  ];
  for (const [name, value] of Object.entries(facts)) parts.push(text(name), typedValue(value));
  let offset = 0;
  for (const { name, dimensions, values } of tensors) {
    parts.push(text(name), u32(dimensions.length), ...dimensions.map(u64), u32(tensorF32), u64(offset));
    offset += padded(values.byteLength);
  }
  const head = Buffer.concat(parts);
  const blocks: Buffer[] = [head, Buffer.alloc(padded(head.length) - head.length)];
  for (const { values } of tensors) {
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    blocks.push(bytes, Buffer.alloc(padded(bytes.length) - bytes.length));
  }
  return Buffer.concat(blocks);
}
