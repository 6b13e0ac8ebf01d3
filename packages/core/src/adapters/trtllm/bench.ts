import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { checkMeasured } from '../reading/block-figures.ts';
import { findAt } from '../reading/by-line.ts';
import { recordFinder, toClaims, within } from '../reading/json-records.ts';
import { readConsoleReport } from './bench-console.ts';
import { readJsonReport, reportLikeness } from './bench-json.ts';
import { type TrtllmReport, toTrtllmResult } from './report.ts';
import { findSectionReports } from './sections.ts';

const id = 'trtllm-bench';
const findRecords = recordFinder(reportLikeness);

type Read = { report: TrtllmReport; ignored: string[] };

function checked(read: Read): Read {
  const { metrics, requests, from } = read.report;
  checkMeasured(new Map([...metrics, ...(requests === null ? [] : [['requests_ok', requests] as const])]), from, null);
  return read;
}

function readClaim(artifact: ArtifactText, claim: Claim): Read[] {
  const { found, before } = findAt(findSectionReports(artifact), claim.from);
  if (found !== null) return [checked(readConsoleReport(artifact, found, (before?.to ?? 0) + 1))];
  const read: Read[] = [];
  const faults: Fault[] = [];
  for (const record of within(findRecords(artifact), claim)) {
    if (faults.length >= maxFaults) break;
    try {
      read.push(checked(readJsonReport(record)));
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return read;
}

/**
 * TensorRT-LLM's `trtllm-bench`, its throughput and its latency command: the file of `--report_json` and the sections it
 * prints. TTFT counts from handing the request over, TPOT leaves the first token out; there is no network.
 *
 * Written by https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/bench/dataclasses/reporting.py
 */
export const trtllmBench: Adapter = {
  id,
  title: 'trtllm-bench',
  kind: 'serving',
  recognises:
    'JSON with engine, world_info, request_info and performance, or sections "= PERFORMANCE OVERVIEW" or "= THROUGHPUT OVERVIEW"',
  command: 'trtllm-bench --model MODEL throughput --dataset DATASET --report_json report.json',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findSectionReports(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const reports = readClaim(artifact, claim);
    const ignored = new Set(reports.flatMap((each) => each.ignored));
    const results = reports.map(({ report }) => toTrtllmResult(report));
    // The tool is part of the engine and has its version.
    const tool = { name: 'trtllm-bench', version: reports[0]?.report.version ?? null };
    return { tool, results, ignored: tellIgnored(ignored), ...noRemarks };
  },
};
