import { textOf } from '../features/submission/data/posted-form.ts';

/** A field of the form that registers an endpoint, named as in the API. */
export interface EndpointField {
  name: string;
  label: string;
  help: string;
  isRequired?: boolean;
  isNumber?: boolean;
  type?: 'url' | 'password';
}

export const serverFields: readonly EndpointField[] = [
  { name: 'name', label: 'Name', help: 'For your list. Unique within your account.', isRequired: true },
  {
    name: 'base_url',
    label: 'Base URL',
    help: 'Of the OpenAI-compatible API: https://llm.example.com/v1',
    isRequired: true,
    type: 'url',
  },
  { name: 'model', label: 'Model', help: 'Its name on the server, as in /v1/models.', isRequired: true },
  { name: 'api_key', label: 'Server key', help: 'Stored encrypted and never shown again.', type: 'password' },
  { name: 'metrics_url', label: 'Metrics URL', help: 'Prometheus metrics at the same origin.', type: 'url' },
];

/** What the server runs on. Results without it are not ranked with others. */
export const systemFields: readonly EndpointField[] = [
  { name: 'gpu', label: 'GPU', help: 'Name or catalogue id, such as h100-sxm.' },
  { name: 'gpu_count', label: 'GPU count', help: 'GPUs used.', isNumber: true },
  { name: 'quantization', label: 'Quantization', help: 'Weight format: bf16, fp8, Q4_K_M ...' },
  { name: 'engine', label: 'Engine', help: 'vllm, sglang, llama.cpp ...' },
  { name: 'engine_version', label: 'Engine version', help: 'Such as 0.13.0.' },
  { name: 'tensor_parallel', label: 'Tensor parallel', help: 'Width, in GPUs.', isNumber: true },
  { name: 'gpu_power_limit_w', label: 'Power limit (W)', help: 'Of each GPU, if one is set.', isNumber: true },
];

const fields = [...serverFields, ...systemFields];

/** A number if the text is one, otherwise the text: the API then names the fault. */
export const numberOf = (text: string): number | string => (/^\d+(?:\.\d+)?$/u.test(text) ? Number(text) : text);

/** The texts of the form, to show it again after an error. The key of the server is not sent back. */
export const givenOf = (form: FormData): Record<string, string> =>
  Object.fromEntries(fields.flatMap(({ name, type }) => (type === 'password' ? [] : [[name, textOf(form, name)]])));

/** The body of the request that registers the endpoint. Empty fields are omitted. */
export const endpointBody = (form: FormData): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ name, isNumber = false }) => {
      const text = textOf(form, name).trim();
      return text === '' ? [] : [[name, isNumber ? numberOf(text) : text]];
    }),
  );
