const qualityHint = 'Quality is a bound: use "at least 75 % on gsm8k" or "within 1 % of bf16 on gsm8k".';
const widthHint =
  'The widths of parallelism and the number of nodes are not filters. Name the number of GPUs, such as "8x h200".';
const taskHint =
  'Results are measured on workloads, not tasks. Name a workload, such as "chatbot" or "rag", or remove it.';
const featureHint = 'This is not a filter. The page of each system shows it.';
const backendHint = 'The backend is not a filter. Name the GPU and the engine, such as "llama.cpp on a 7900 xtx".';
const generationHint = 'Results are of text generation. Name a model, a GPU or an engine.';
const kindHint = 'Name a model or a family, such as "deepseek r1", "qwen3" or "moe".';
const sizeHint = 'Name a size, such as "under 10b" or "8b".';
const processorHint =
  'Name a device of the catalogue, such as "xeon 6980p", "apple m4 max" or "strix halo", or use "cpu" for its CPUs.';
const versionHint = 'Write the engine before its version, such as "llama.cpp b6413 vs llama.cpp b9187".';
const trustHint = 'Name how results were obtained, such as "managed runs only" or "replicated".';
const negativeHint = 'No value is below 0. Use a number of at least 0.';

const rateHint = 'Use a rate per second, such as "at least 50 tok/s": 3,000 tokens a minute are 50 tok/s.';
const formatHint = 'How a file was quantized is not a filter. Name its format, such as "q4_0" or "q4_k_m".';
const historyHint = 'The page /history lists how results changed. In a question, name a period, such as "since march".';

const powerHint = 'For a power limit, use "power limit 250 W".';
const lengthsHint = 'Give both lengths, such as "8k input 1k output".';
const providerHint = 'Hosted services and closed models are not measured. Name a model, a GPU or an engine.';
const purchaseHint =
  'Purchase prices are not stored. Use a price per hour, such as "under $2 an hour", or ask for the cheapest.';
const currencyHint = 'Prices are in US dollars per hour: use "under $2 an hour".';
const usersHint = 'Ask "how many users", or give a number, such as "64 concurrent users".';

/** Words for facts that no filter has, and the closest question. */
export const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^(?:quality|accuracy|accurate|gsm8k|mmlu|gpqa|score|loss|degradation)$/u, qualityHint],
  [/^(?:tensor|pipeline|tp|pp|ep|dp|(?:tp|pp|ep|dp)=?\d+|nodes?)$/u, widthHint],
  [/^(?:coding|coder|code|writing|roleplay|math|translation|summarization)$/u, taskHint],
  [/^(?:tok|toks|tokens?|req|reqs|requests?)\/(?:min|minute|h|hr|hour|day)$/u, rateHint],
  [/^(?:qat|imatrix|dynamic)$/u, formatHint],
  [/^(?:\d+ )?bits?$/u, 'Name the format, such as "bf16" or "fp16".'],
  [/^(?:sxm\d?|pcie|nvl)$/u, 'Name the GPU too, such as "h100 sxm vs h100 pcie".'],
  [/^context$/u, 'Give its length, such as "what fits in 24 GB with 32k context".'],
  [
    /^(?:pareto|frontier|curves?|charts?|graphs?|plots?)$/u,
    'The page /explore draws curves. Ask for a point of one, such as "tok/s/gpu at 50 tok/s/user".',
  ],
  [
    /^tco$/u,
    'Ask for the cost per token, such as "cost: h100 vs mi300x". price_tier=hyperscaler uses costs of ownership.',
  ],
  [
    /^(?:electricity|co2|carbon|emissions?)$/u,
    'Ask for energy per token, such as "joules per token" or "tokens per watt".',
  ],
  [/^hour(?:ly)?$/u, 'Prices per hour are limits, such as "under $2 an hour". /v1/prices has the price of each GPU.'],
  [/^worst$/u, 'Name a metric, such as "slowest" or "lowest throughput".'],
  [/^\d+k$/u, 'For a context, use "with 32k context"; for lengths, "8k input 1k output".'],
  [/^(?:changes?|changed|regressions?|regressed|trends?|history)$/u, historyHint],
  [
    /^(?:disagg\w*|pd-disagg\w*|spec|speculative|caching|prefix|eagle-?\d?|mtp|medusa|chunked|offload\w*|flash|attention)$/u,
    featureHint,
  ],
  [/^(?:vulkan|rocm|cuda|metal|sycl|backend)$/u, backendHint],
  [
    /^(?:embeddings?|embedder|rerankers?|reranking|images?|diffusion|whisper|tts|asr|finetun\w*|fine-tun\w*|lora)$/u,
    generationHint,
  ],
  [/^(?:reasoning|thinking|multimodal|vision|uncensored|dense)$/u, kindHint],
  [/^(?:small|smaller|tiny|large|larger|big|bigger)$/u, sizeHint],
  [/^(?:newest|latest|recent|recently|new|current)$/u, 'Name a period, such as "since march" or "last 30 days".'],
  [
    /^(?:laptops?|notebooks?|phones?|iphones?|ipads?|android|pixel|snapdragon|tablets?|cpus?|processors?|epyc|threadripper|ryzen|raspberry|trainium\d*|inferentia\d*|npus?|jetson)$/u,
    processorHint,
  ],
  [/^(?:i[3579]-?\d{4,5}[a-z]*|\d{4}x3?d?)$/u, processorHint],
  [/^-\d/u, negativeHint],
  [/^(?:verified|trusted|independent|official)$/u, trustHint],
  [/^(?:b\d{3,5}|v?\d+\.\d+\.\d+)$/u, versionHint],
  [/^\d+(?:\.\d+)?bpw$/u, 'Bits per weight are not a filter. Name the format, such as "exl3".'],
  [/^\d+ ?w(?:atts?)?$/u, powerHint],
  [/^(?:input|output|isl|osl)$/u, lengthsHint],
  [
    /^(?:api|apis|provider|providers|cerebras|groq|openrouter|lambda|runpod|vast(?:\.ai)?|coreweave|aws|gcp|azure|nebius|fireworks|replicate|deepinfra|hetzner|bedrock|openai|anthropic|together|claude|gemini|chatgpt|grok|gpt-?[45]\S*)$/u,
    providerHint,
  ],
  [/^(?:€|£|[\d.,]+ ?[€£]|eur|euros?|gbp|pounds?)$/u, currencyHint],
  [/^(?:\$|usd|dollars?|budget|price|msrp|hour)/u, purchaseHint],
  [/^(?:concurrent|users?|people|employees?|requests?)$/u, usersHint],
];
