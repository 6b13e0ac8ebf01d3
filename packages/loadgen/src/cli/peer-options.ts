/**
 * What to write instead of an option of another benchmark client (vllm bench serve, GuideLLM, AIPerf, genai-bench, oha), or of a
 * common name.
 */
const advice: readonly (readonly [names: string, advice: string])[] = [
  ['base-url host port target u api-base', 'Use --url http://HOST:PORT.'],
  ['m served-model-name model-name model-names', 'Use --model.'],
  ['tokenizer tokenizer-mode trust-remote-code processor', 'Omit it: the server counts the tokens.'],
  ['backend endpoint-type api-backend request-type service-kind', 'Use --endpoint.'],
  ['num-prompts n max-requests request-count num-requests max-requests-per-run', 'Use --requests.'],
  [
    'request-rate qps q',
    'Use --rate. For an infinite rate, which sends all requests at once, use --burst N with their number.',
  ],
  ['c concurrency-range num-concurrency', 'Use --concurrency.'],
  [
    'profile rate-type',
    'Use --concurrency 1 (synchronous), --concurrency N, --rate N (Poisson), or --burst N (all at once).',
  ],
  ['sweep', 'Use several levels, such as --concurrency 1,2,4,8, or --find with latency limits.'],
  [
    'request-rate-mode arrival-pattern',
    'Use --rate with --burstiness: 1 is Poisson, 1000000 sends at constant intervals.',
  ],
  ['random-input-len input-len sonnet-input-len isl synthetic-input-tokens-mean prompt-tokens', 'Use --input-tokens.'],
  [
    'random-output-len output-len osl sharegpt-output-len custom-output-len hf-output-len sonnet-output-len output-tokens-mean',
    'Use --output-tokens.',
  ],
  [
    'random-range-ratio synthetic-input-tokens-stddev isl-stddev osl-stddev output-tokens-stddev prompt-tokens-stdev',
    'Use a distribution: --input-tokens uniform:MIN:MAX or normal:MEAN:SD, and the same for --output-tokens.',
  ],
  [
    'random-prefix-len prefix-len prefix-repetition-prefix-len prefix-repetition-num-prefixes num-prefix-prompts prefix-prompt-length',
    'Use --prefix GROUPSxTOKENS.',
  ],
  [
    'dataset-name dataset-path data data-type input-file public-dataset hf-subset hf-split custom-dataset-type',
    'Use --input-tokens and --output-tokens for generated prompts, --prompts FILE for prompts of a file, or --replay FILE for a trace.',
  ],
  ['goodput', 'Use --slo with limits in ms, such as --slo "ttft<500,tpot<30".'],
  ['ramp-up-strategy ramp-up-start-rps ramp-up-end-rps', 'Use --ramp FROM:TO:SECONDS.'],
  [
    'percentile-metrics metric-percentiles',
    'Omit it: the table, --json and the records have the percentiles that the samples support.',
  ],
  [
    'save-result save-detailed append-result result-dir result-filename output-path output-dir artifact-dir profile-export-file output',
    'Use --out FILE. Records are always stored, with every request.',
  ],
  ['output-csv csv', 'Use --records FILE.csv.'],
  ['html', 'Use --report FILE.html.'],
  ['metadata', 'Use --gpu, --engine-version and the other options of facts.'],
  ['ignore-eos', 'Omit it: ignore_eos is sent to engines that support it. --engine names the engine.'],
  [
    'temperature top-p top-k min-p repetition-penalty frequency-penalty presence-penalty extra-inputs backend-kwargs',
    'Use --extra-body, such as --extra-body \'{"top_k": 20}\'. The temperature is 0 by default.',
  ],
  ['api-key auth-token', 'Use --api-key-env NAME, with the key in the environment variable NAME.'],
  ['num-warmups warmup-request-count warmup-requests num-warmup-requests', 'Use --warmup.'],
  [
    'z duration max-seconds benchmark-duration max-time-per-run',
    'Use --duration-s. It limits all points together. State --requests too: sending ends at the earlier limit.',
  ],
  ['random-seed', 'Use --seed.'],
  ['lora-modules', 'Use --models.'],
  ['streaming stream disable-tqdm request-id-prefix', 'Omit it.'],
  [
    'insecure cacert',
    'Use an http URL, or set the environment variable NODE_EXTRA_CA_CERTS to the file of the CA certificate.',
  ],
];

/** The advice by the name of the option. */
export const peerOptions: ReadonlyMap<string, string> = new Map(
  advice.flatMap(([names, text]) => names.split(' ').map((name) => [name, text] as const)),
);
