/** Maximum length to examine. Names are short, and a quantization is near the start or the end. */
const longest = 300;

/** Recipe words that belong to the preceding w{n}a{m} token. */
const recipeTag = 'sparse|smooth|smoothquant|gptq|awq|ptq';

/**
 * Spellings of a quantization, most specific first: of two matches at the same position the earlier pattern wins. Every
 * repetition is bounded, so matching is linear in the length of the text.
 */
const forms = [
  // fp8_w8a8, int4_w4a16: the number format precedes the widths
  '(?:fp8|int8|int4)[_-]w\\d{1,2}a\\d{1,2}',
  // w8a8_sparse_smooth_gptq, w4a4-nvfp4, w8a16
  `w\\d{1,2}a\\d{1,2}(?:[_-](?:fp8|int8|int4|nvfp4))?(?:[_-](?:${recipeTag})(?![a-z0-9])){0,6}`,
  // Q4_K - Medium, printed by llama.cpp
  'q\\d_k ?- ?(?:small|medium|large)',
  // UD-Q4_K_XL, IQ3_XXS, Q4_K_M, Q8_0, TQ1_0; and of ik_llama.cpp: IQ4_KS, IQ4_KSS, IQ2_KT, and IQ4_K_R4 with interleaved rows
  '(?:ud-)?(?:iq|tq|q)\\d_(?:k(?:_(?:xxs|xs|s|m|l|xl)|ss|s|l|t)?|xxs|xs|nl|s|m|l|[01])(?:_r(?:4|8))?',
  'mxfp4(?:[_ -]moe)?',
  'mxfp8|nvfp4',
  'fp8[_-](?:dynamic|static|e4m3|e5m2)',
  'fp32|fp16|fp8|fp4|bf16|bfloat16|float16|f16|f32',
  'gptq[_-]?int4|gptq[_-]?int8|gptq[_-]?[48]bit|awq[_-]?4bit',
  'awq|gptq|exl2|exl3|nf4|aqlm|vptq|hqq',
  '(?:bnb|bitsandbytes|mlx)[_-][48]-?bit',
  'int4|int8|[48]-?bit',
];

// KV-cache precision is a separate fact: "kv-cache-fp8" does not describe the weights. A model named "...-FP8-KV" does.
const pattern = new RegExp(
  `(?<![a-z0-9])(?<!kv[-_ ]?(?:cache)?[-_ ]?(?:dtype)?[-_ =]?)(?:${forms.join('|')})(?![a-z0-9])(?![-_ ]?kv[-_ ]?cache)`,
  'gi',
);

/** A precision of weights that may have been quantized afterwards: `DeepSeek-R1-BF16-256x21B-IQ4_K.gguf`. */
const unquantized = /^(?:bf16|bfloat16|fp16|float16|f16|fp32|f32)$/i;

/** Whether a quantization in a name is a precision of weights as published, such as bf16. */
export const isUnquantizedName = (name: string) => unquantized.test(name);

/** "original" is a quantization only at the start of a run name: `original_base_run1`. */
const leadingOriginal = /^original(?![a-z0-9])/i;

/**
 * Returns the quantization in a run or model name as written; null if it has none.
 *
 * `w8a8_sparse_smooth_gptq_decode_bound_run1` gives `w8a8_sparse_smooth_gptq`, `Llama-3.1-8B-FP8` gives `FP8`.
 */
export function quantizationHint(text: string): string | null {
  const head = text.slice(0, longest).trim();
  const original = leadingOriginal.exec(head)?.[0];
  if (original !== undefined) return original;
  const names = head.match(pattern) ?? [];
  return names.find((name) => !unquantized.test(name)) ?? names[0] ?? null;
}
