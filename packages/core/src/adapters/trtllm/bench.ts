import type { Adapter } from '../adapter.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { recordFinder } from '../reading/documents/json-records.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import { readConsoleReport } from './bench-console.ts';
import { readJsonReport, reportLikeness } from './bench-json.ts';
import { type TrtllmReport, toTrtllmResult } from './report.ts';
import { findSectionReports } from './sections.ts';

const id = 'trtllm-bench';

function toRead({ report, ignored }: { report: TrtllmReport; ignored: string[] }): ReadOne {
  const { metrics, requests, from } = report;
  checkMeasured(new Map([...metrics, ...(requests === null ? [] : [['requests_ok', requests] as const])]), from, null);
  return { result: toTrtllmResult(report), ignored };
}

const { detect, read } = blocksAndRecords({
  id,
  name: id,
  findBlocks: findSectionReports,
  readBlock: (artifact, block) => toRead(readConsoleReport(artifact, block)),
  findRecords: recordFinder(reportLikeness),
  readRecord: (record) => toRead(readJsonReport(record)),
});

/**
 * TensorRT-LLM's `trtllm-bench`, its throughput and its latency command: the file of `--report_json` and the printed
 * sections. TTFT counts from submitting the request; TPOT excludes the first token. There is no network.
 *
 * Written by https://github.com/NVIDIA/TensorRT-LLM/blob/main/tensorrt_llm/bench/dataclasses/reporting.py
 */
export const trtllmBench: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'JSON with engine, world_info, request_info and performance, or sections "= PERFORMANCE OVERVIEW" or "= THROUGHPUT OVERVIEW"',
  command: 'trtllm-bench --model MODEL throughput --dataset DATASET --report_json report.json',
  detect,
  read: (artifact, claim) => {
    const reading = read(artifact, claim);
    // The tool is part of the engine and has its version.
    const version = reading.results[0]?.system.engineVersion?.value ?? null;
    return { ...reading, tool: { name: id, version } };
  },
};
