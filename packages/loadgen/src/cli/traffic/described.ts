import { distributionForms } from '../../traffic/lengths.ts';

/** The options of the traffic that is sent, for `--help`. */
export const describedTraffic = {
  header: "a header of every request, such as 'X-Team: search'; repeat the option for more. Values are never stored",
  'extra-body': 'JSON object whose fields are added to every request body',
  prompts: 'file of prompts, sent unchanged: JSON, JSONL or CSV, such as ShareGPT or OpenAI messages',
  replay:
    'file of a trace or a request log, replayed by its timestamps: Mooncake, Azure, BurstGPT, or any JSONL or CSV',
  'replay-speed': 'speed relative to the recording, such as 2; default: 1',
  turns: 'requests per conversation; each includes the previous ones with the responses of the server',
  'think-s': `seconds between a response and the next turn: ${distributionForms}`,
  prefix: 'shared prefixes: 8x1024 starts each prompt with one of 8 texts of 1024 tokens, in addition to its tokens',
  mix: 'workloads by weight, such as chatbot=70,1024x64=25,team.jsonl=5',
  models: 'models in rotation, such as LoRA adapters: a,b,c',
  ramp: 'rate from one value to another: 1:20:60s sends from 1 to 20 requests per second over 60 seconds',
  images: 'images of each request, such as 1x512x512: number, width and height in pixels',
  tools: 'JSON file with a list of tool definitions, sent with every request',
  documents: 'texts of a rerank request, each of --input-tokens; default: 10',
  burstiness:
    'shape of the gaps of a rate or a ramp: 1 is Poisson (the default), less comes in bursts, 1000000 is constant',
  'max-concurrency':
    'maximum requests in flight at a rate; further ones wait, and the report states how late they are; default: no limit',
  'save-bodies': 'file for the body of every measured request, one per line',
} as const;

/** Options that may be given more than once. */
export const repeatedOptions: ReadonlySet<string> = new Set(['header']);

/** What the command line states of the traffic, without the defaults. */
export type GivenTraffic = Partial<Record<Exclude<keyof typeof describedTraffic, 'header'>, string>> & {
  header?: readonly string[];
} & Partial<Record<PlanOption, string>>;

/** Options of the plan, of the server and of the workload that exclude some kinds of traffic. */
type PlanOption =
  | 'api-key-env'
  | 'plan'
  | 'dataset'
  | 'scenario'
  | 'input-tokens'
  | 'output-tokens'
  | LoadOption
  | 'requests'
  | 'model'
  | 'endpoint';
export type LoadOption = 'concurrency' | 'burst' | 'rate';
