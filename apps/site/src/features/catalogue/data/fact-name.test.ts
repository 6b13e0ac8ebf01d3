import { expect, test } from 'vitest';
import { factName } from './fact-name.ts';

test.each([
  ['gpu', 'b200-sxm', 'B200 SXM 180GB'],
  ['gpu', 'h100', 'H100'],
  ['engine', 'tensorrt-llm', 'TensorRT-LLM'],
  ['gpu', 'an unknown card', 'an unknown card'],
  ['quantization', 'gguf-q4_k_m', 'Q4_K_M'],
  ['quantization', 'fp4', 'NVFP4 or MXFP4 (fp4)'],
  // A feature can have any name.
  ['toString', 'on', 'on'],
])('the name of %s=%s is %s', (fact, value, name) => {
  expect(factName(fact, value)).toBe(name);
});
