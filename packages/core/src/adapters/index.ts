import { DomainError, type Fault } from '../errors.ts';
import type { Adapter, ParsedResult, Reading, StatedUnit } from './adapter.ts';
import { aiHypercomputerInferenceBenchmark } from './ai-hypercomputer/inference-benchmark.ts';
import { aiperf } from './aiperf/aiperf.ts';
import { aiperfRecords } from './aiperf/records.ts';
import { aisbench } from './aisbench/aisbench.ts';
import { attentionGym } from './attention-gym/attention-gym.ts';
import { chooseAdapters } from './choose-adapters.ts';
import { club3090Bench } from './club-3090/bench.ts';
import { deepspeedMii } from './deepspeed-mii/mii.ts';
import { ds4Bench } from './dwarfstar/bench.ts';
import { ArtifactError, addFaults, maxFaults, maxResults } from './errors.ts';
import { evalscopePerf } from './evalscope/perf.ts';
import { evalscopeSpeed } from './evalscope/speed.ts';
import { exllamav2TestInference } from './exllamav2/test-inference.ts';
import { exllamav3Perf } from './exllamav3/perf.ts';
import { tabbyapiMetrics } from './exllamav3/tabbyapi.ts';
import { findClaims } from './find-claims.ts';
import { fireworksLoadTest } from './fireworks/load-test.ts';
import { genaiBench } from './genai-bench/genai-bench.ts';
import { genaiPerf } from './genai-perf/genai-perf.ts';
import { guidellm } from './guidellm/guidellm.ts';
import { withHeading } from './heading-facts.ts';
import { hfInferenceBenchmarker } from './hf-inference-benchmarker/hf-inference-benchmarker.ts';
import { mergeCopies, mergeIdentical } from './identical.ts';
import { inferencePerf } from './inference-perf/inference-perf.ts';
import { inferencexApi } from './inferencex/api.ts';
import { inferencexDashboard } from './inferencex/dashboard.ts';
import { inferencexEvaluations } from './inferencex/evaluations.ts';
import { inferencex } from './inferencex/inferencex.ts';
import { ipexLlmAllInOne } from './ipex-llm/all-in-one.ts';
import { koboldcppBenchmark } from './koboldcpp/benchmark.ts';
import { llamaBenchy } from './llama-benchy/llama-benchy.ts';
import { llamaBatchedBench, llamaSweepBench } from './llama-cpp/batched/batched-bench.ts';
import { llamaBench } from './llama-cpp/bench.ts';
import { llamaCompare } from './llama-cpp/compare.ts';
import { llamaPerplexity } from './llama-cpp/perplexity.ts';
import { llamaTimings } from './llama-cpp/timings.ts';
import { llmdBenchmarkReport } from './llm-d/benchmark-report.ts';
import { llmOptimizer } from './llm-optimizer/llm-optimizer.ts';
import { llmfitBench } from './llmfit/bench.ts';
import { llmperf } from './llmperf/llmperf.ts';
import { lmEvaluationHarness } from './lm-evaluation-harness/lm-evaluation-harness.ts';
import { lmcacheLongDocQa } from './lmcache/long-doc-qa.ts';
import { lmcacheMultiRoundQa } from './lmcache/multi-round-qa.ts';
import { lmdeployProfile } from './lmdeploy/profile.ts';
import { localscore } from './localscore/localscore.ts';
import { miniSglangClient } from './mini-sglang/client.ts';
import { mistralrsBench } from './mistralrs/bench.ts';
import { mlcLlmBench } from './mlc-llm/bench.ts';
import { mlperfAccuracy } from './mlperf/accuracy.ts';
import { mlperfLoadgen } from './mlperf/loadgen.ts';
import { mlperfResults } from './mlperf/results.ts';
import { mlxLmBenchmark } from './mlx-lm/benchmark.ts';
import { mlxLmGenerate } from './mlx-lm/generate.ts';
import { nativeCsv } from './native/csv.ts';
import { inferboardResults } from './native/inferboard-results.ts';
import { native } from './native/native.ts';
import { ollamaBench } from './ollama/bench.ts';
import { ollama } from './ollama/ollama.ts';
import { omlxBench } from './omlx/bench.ts';
import { openvinoBenchmarkGenai } from './openvino/benchmark-genai.ts';
import { openvinoLlmBench } from './openvino/llm-bench.ts';
import { optimumBenchmark } from './optimum/benchmark.ts';
import { noteIgnored, toPlainReading } from './plain-facts.ts';
import type { ArtifactText } from './reading/text/artifact-text.ts';
import { countBefore } from './reading/text/by-line.ts';
import { toMediaType } from './reading/text/media-type.ts';
import { findSections } from './reading/text/sections.ts';
import { refuse, refuseTooMany, requireTaker, toText } from './refusals/refuse.ts';
import { takeUnfinished, unfinishedFaults, withUnfinished } from './refusals/unfinished.ts';
import { brokenFaults, refuseUnrecognised, unreadFaults } from './refusals/unrecognised.ts';
import { rocmMad } from './rocm-mad/mad.ts';
import { sglangBenchMultiturn } from './sglang/bench-multiturn.ts';
import { sglangBenchOfflineThroughput } from './sglang/bench-offline-throughput.ts';
import { sglangBenchOneBatch } from './sglang/bench-one-batch.ts';
import { sglangBenchOneBatchServer } from './sglang/bench-one-batch-server.ts';
import { sglangBenchServing } from './sglang/bench-serving.ts';
import { tgiBenchmark } from './tgi/benchmark.ts';
import { tritonPerfReport } from './triton/perf-report.ts';
import { trtllmBench } from './trtllm/bench.ts';
import { trtllmBenchmarkServing } from './trtllm/benchmark-serving.ts';
import { trtllmGptManagerBenchmark } from './trtllm/gpt-manager.ts';
import { trtllmStaticBenchmark } from './trtllm/static-benchmark.ts';
import { ttInferenceServer } from './tt-inference-server/sweeps.ts';
import { unclaimed } from './unclaimed.ts';
import { vllmBenchLatency } from './vllm/bench-latency.ts';
import { vllmBenchServe } from './vllm/bench-serve.ts';
import { vllmBenchServeJson } from './vllm/bench-serve-json.ts';
import { vllmBenchSweepCsv } from './vllm/bench-sweep-csv.ts';
import { vllmBenchThroughput } from './vllm/bench-throughput.ts';
import { vllmCiTable } from './vllm/ci-table.ts';
import { vllmPytorchBenchmark } from './vllm/pytorch-benchmark.ts';
import { vllmServePlain } from './vllm/serve-plain.ts';
import { vllmMlxBench } from './vllm-mlx/bench.ts';

/** All supported tools. The order has no effect, because two adapters may not claim the same line. */
export const adapters: readonly Adapter[] = [
  vllmBenchServe,
  vllmBenchServeJson,
  vllmBenchSweepCsv,
  vllmBenchLatency,
  vllmBenchThroughput,
  vllmPytorchBenchmark,
  vllmCiTable,
  vllmServePlain,
  trtllmBench,
  trtllmBenchmarkServing,
  trtllmGptManagerBenchmark,
  trtllmStaticBenchmark,
  sglangBenchServing,
  sglangBenchOfflineThroughput,
  sglangBenchMultiturn,
  sglangBenchOneBatch,
  sglangBenchOneBatchServer,
  llamaBench,
  llamaBatchedBench,
  llamaSweepBench,
  llamaCompare,
  llamaTimings,
  llamaBenchy,
  localscore,
  club3090Bench,
  omlxBench,
  vllmMlxBench,
  lmcacheLongDocQa,
  lmcacheMultiRoundQa,
  mlcLlmBench,
  mlxLmBenchmark,
  mlxLmGenerate,
  koboldcppBenchmark,
  mistralrsBench,
  exllamav2TestInference,
  exllamav3Perf,
  tabbyapiMetrics,
  ds4Bench,
  ollama,
  ollamaBench,
  llmfitBench,
  inferencePerf,
  mlperfLoadgen,
  mlperfResults,
  openvinoBenchmarkGenai,
  openvinoLlmBench,
  ipexLlmAllInOne,
  optimumBenchmark,
  llmperf,
  hfInferenceBenchmarker,
  tgiBenchmark,
  genaiPerf,
  genaiBench,
  evalscopePerf,
  evalscopeSpeed,
  aisbench,
  fireworksLoadTest,
  miniSglangClient,
  lmdeployProfile,
  aiHypercomputerInferenceBenchmark,
  ttInferenceServer,
  rocmMad,
  deepspeedMii,
  aiperf,
  aiperfRecords,
  guidellm,
  inferencex,
  inferencexDashboard,
  inferencexApi,
  llmOptimizer,
  llmdBenchmarkReport,
  tritonPerfReport,
  attentionGym,
  lmEvaluationHarness,
  llamaPerplexity,
  mlperfAccuracy,
  inferencexEvaluations,
  native,
  nativeCsv,
  inferboardResults,
];

type Tool = Reading['tool'];

/** The result of reading a whole artifact. */
export interface ArtifactReading {
  /** The tool of the first result. If several tools wrote the artifact, their names are joined with " + ". */
  tool: Tool;
  mediaType: string;
  /** In order of appearance. */
  results: (ParsedResult & { tool: Tool })[];
  /** Names of fields and labels that were found but not used. */
  ignored: string[];
  /** From the first report that has any. */
  notes: string | null;
  sourceUrl: string | null;
}

export interface ReadOptions {
  /** Id of the adapter to use. An artifact that it does not claim is rejected. */
  tool?: string;
  /** The unit of a table's figures, if the tool does not print it. */
  unit?: StatedUnit;
  /** Maximum number of results; more are rejected. */
  maxResults?: number;
  /** The adapters to try; for tests. */
  adapters?: readonly Adapter[];
}

function joinTools(results: readonly { tool: Tool }[]): Tool {
  const names = [...new Set(results.map((result) => result.tool.name))];
  const version = results[0]?.tool.version ?? null;
  return { name: names.join(' + '), version };
}

/**
 * Reads an artifact: recognises the tool from the content alone and translates everything. The read is atomic, and the
 * result does not depend on the order of the adapters. Log line prefixes are removed first. If that text is rejected but the
 * original lines are readable, the original lines are used.
 *
 * Throws only `DomainError`: `body_empty`, `request_invalid` (an unknown `tool`), `tool_unrecognised` (also if two tools
 * match), `artifact_unreadable` with up to a hundred errors and their lines, `results_too_many`.
 */
export function readArtifact(bytes: Uint8Array, options: ReadOptions = {}): ArtifactReading {
  const asked = chooseAdapters(options.adapters ?? adapters, options.tool);
  const artifact = toText(bytes);
  try {
    return readText(artifact, asked, options);
  } catch (error) {
    if (artifact.prefixed === null || !(error instanceof DomainError)) throw error;
    try {
      return readText(artifact.prefixed, asked, options);
    } catch {
      throw error;
    }
  }
}

function readText(artifact: ArtifactText, asked: readonly Adapter[], options: ReadOptions): ArtifactReading {
  const most = options.maxResults ?? maxResults;
  if (artifact.lines.every((line) => line.trim() === ''))
    throw new DomainError('body_empty', 'The artifact is empty.', [
      { code: 'body_empty', message: 'The artifact has only whitespace.', hint: 'Send the output of the tool.' },
    ]);
  const claims = findClaims(artifact, asked);
  if (options.unit !== undefined && claims.length > 0) requireTaker(claims);
  if (claims.length === 0)
    refuseUnrecognised(
      artifact,
      asked,
      brokenFaults(artifact, claims),
      options.tool === undefined ? undefined : asked[0],
    );
  // Every claim has at least one result, so too many claims are rejected before reading.
  if (claims.length > most) refuseTooMany(claims[most]?.claim.from ?? 1, most);
  const faults: Fault[] = [];
  addFaults(faults, brokenFaults(artifact, claims));
  addFaults(faults, unreadFaults(artifact));
  const { documents } = artifact.json;
  const sections = findSections(artifact);
  const records: ArtifactReading['results'] = [];
  const blocks: ArtifactReading['results'] = [];
  const ignored = new Set<string>();
  let notes: string | null = null;
  let sourceUrl: string | null = null;
  for (const { adapter, claim } of claims) {
    if (faults.length >= maxFaults) break;
    try {
      const reading = toPlainReading(adapter.read(artifact, claim, options));
      const target = documents[countBefore(documents, claim.from)]?.from === claim.from ? records : blocks;
      for (const result of reading.results)
        target.push({ ...withHeading(artifact, result, sections), tool: reading.tool });
      for (const name of reading.ignored) ignored.add(name);
      notes ??= reading.notes;
      sourceUrl ??= reading.sourceUrl;
      if (records.length + blocks.length > most) refuseTooMany(claim.from, most);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
      if (error.faults.some((fault) => fault.code === 'results_too_many')) refuse(error.faults, error.message);
    }
  }
  if (records.length + blocks.length > 0) for (const name of takeUnfinished(faults)) ignored.add(name);
  if (faults.length > 0) {
    addFaults(faults, unfinishedFaults(artifact));
    const [first] = faults;
    const count = faults.length >= maxFaults ? `${maxFaults} errors or more` : `${faults.length} errors`;
    refuse(faults, faults.length === 1 && first ? first.message : `The artifact cannot be parsed: ${count}.`);
  }
  const results = [...mergeCopies(records), ...mergeIdentical(blocks)].sort((a, b) => a.lines.from - b.lines.from);
  for (const name of unclaimed(artifact, sections, claims)) ignored.add(name);
  if (artifact.unfinished !== null)
    ignored.add(`number at the end of line ${artifact.unfinished}, which has no line end`);
  return {
    tool: joinTools(results),
    mediaType: toMediaType(artifact),
    results: withUnfinished(results, artifact),
    ignored: noteIgnored(ignored),
    notes,
    sourceUrl,
  };
}
