import { html } from 'hono/html';
import { page, prose } from './page.ts';

/** URL of the JSON Schema of the native format. */
export const nativeSchemaPath = '/docs/native.schema.json';

const example = {
  schema: 'inferboard/v1',
  tool: { name: 'my-bench', version: '1.3' },
  system: {
    model: 'meta-llama/Llama-3.1-8B-Instruct',
    quantization: 'bf16',
    gpu: 'H100 SXM',
    gpu_count: 1,
    engine: 'vllm',
  },
  scenario: 'chatbot',
  results: [
    { load: { mode: 'concurrency', level: 8 }, metrics: { ttft_ms_mean: 211, itl_ms_p99: 12.5, output_tok_s: 880 } },
  ],
};

/** The native report used as an example in the document. @internal */
export const nativeExample = example;

const block = (label: string, value: object) =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><pre><code>${JSON.stringify(value, null, 2)}</code></pre></div>`;

/** The page on the native format for authors of tools, with an example and the schema. */
export const nativePage = (schema: object, baseUrl: string) =>
  page(
    'The native format',
    'JSON Schema and example of a format that any tool can write.',
    html`<h1>The native format</h1>
<p class="lede">${prose('For tools without an adapter: write this format and send it to `POST /v1/submissions`.')}</p>
<p><a href="${nativeSchemaPath}">The JSON Schema as a file</a> (2020-12). It is also <code>NativeReport</code> in the OpenAPI document. ${prose('`NaN` and `Infinity` are also accepted and mean that a metric was not measured.')}</p>
<h2>Example</h2>
${block('Example', example)}
<h2>JSON Schema</h2>
${block('JSON Schema', schema)}`,
    baseUrl,
  );
