import { describe, expect, test } from 'vitest';
import { integratePower } from './energy.ts';
import { readEngineMetrics } from './engine-metrics.ts';
import { readNvidiaFacts, readRocmFacts } from './gpu-facts.ts';
import { NvidiaReader, readRocm, toSample } from './gpu-readings.ts';

describe('metrics of a server', () => {
  test('are read from two engines of vLLM', () => {
    const text = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-8B"} 12.0
vllm:num_requests_running{engine="1",model_name="Qwen/Qwen3-8B"} 8.0
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-8B"} 3.0
vllm:num_requests_waiting{engine="1",model_name="Qwen/Qwen3-8B"} 0.0
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-8B"} 0.5
vllm:kv_cache_usage_perc{engine="1",model_name="Qwen/Qwen3-8B"} 0.25
vllm:num_preemptions_total{engine="0",model_name="Qwen/Qwen3-8B"} 1.0
vllm:num_preemptions_created{engine="0",model_name="Qwen/Qwen3-8B"} 1.73e+09
vllm:e2e_request_latency_seconds_bucket{le="0.3",model_name="Qwen/Qwen3-8B"} 5.0`;
    expect(readEngineMetrics(text)).toEqual({ running: 20, waiting: 3, kv_cache_share: 0.375, preemptions: 1 });
  });

  test('are read from an older vLLM', () => {
    expect(readEngineMetrics('vllm:gpu_cache_usage_perc{model_name="m"} 0.125\n')).toEqual({ kv_cache_share: 0.125 });
  });

  test('are read from SGLang, with ranks of one engine counted once', () => {
    const text = `sglang:num_running_reqs{model_name="m",tp_rank="0"} 162.0
sglang:num_running_reqs{model_name="m",tp_rank="1"} 162.0
sglang:num_queue_reqs{model_name="m",tp_rank="0"} 2826.0
sglang:token_usage{model_name="meta \\"x\\"} 9",tp_rank="0"} 0.28`;
    expect(readEngineMetrics(text)).toEqual({ running: 162, waiting: 2826, kv_cache_share: 0.28 });
  });

  test('are read from llama.cpp', () => {
    const text = `# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 4
llamacpp:requests_deferred 2
llamacpp:kv_cache_usage_ratio nan`;
    expect(readEngineMetrics(text)).toEqual({ running: 4, waiting: 2 });
  });

  test('are empty for other text', () => {
    expect(readEngineMetrics('<html>404</html>\nprocess_cpu_seconds_total 3.4\n')).toEqual({});
  });
});

describe('GPUs', () => {
  test('nvidia-smi: a round ends where the next one begins', () => {
    const reader = new NvidiaReader();
    const read = (line: string) => reader.read(line);
    expect(read('2026/11/24 02:17:01.100, 0, 312.45, 1980, 2619, 97, 70144')).toBe(null);
    expect(read('2026/11/24 02:17:01.102, 1, 100.05, 1410, 2619, 33, 1024')).toBe(null);
    const round = read('2026/11/24 02:17:01.200, 0, 300.00, 1980, 2619, 97, 70144') ?? [];
    expect(round.map(({ index }) => index)).toEqual([0, 1]);
    expect(toSample(round)).toEqual({
      unixMs: new Date(2026, 10, 24, 2, 17, 1, 101).getTime(),
      values: { power_w: 412.5, sm_clock_mhz: 1695, memory_clock_mhz: 2619, gpu_use_percent: 65, gpu_memory_gib: 69.5 },
    });
  });

  test('omits values that a GPU does not report, and total power unless all GPUs report it', () => {
    const reader = new NvidiaReader();
    reader.read('2026/11/24 02:17:01.100, 0, [N/A], 1980, [N/A], 97, [Not Supported]');
    reader.read('2026/11/24 02:17:01.100, 1, 200.0, 1980, [N/A], 97, [Not Supported]');
    const round = reader.read('2026/11/24 02:17:01.200, 0, [N/A], 1980, [N/A], 97, [N/A]') ?? [];
    expect(toSample(round).values).toEqual({ sm_clock_mhz: 1980, gpu_use_percent: 97 });
    expect(reader.read('Unable to determine the device handle for GPU0')).toBe(null);
  });

  test('rocm-smi: reads JSON after warnings', () => {
    const text = `WARNING: AMD GPU device(s) is/are in a low-power state.
{"card0": {"Current Socket Graphics Package Power (W)": "520.0", "sclk clock speed:": "(2100Mhz)", "sclk clock level:": "1",
 "mclk clock speed:": "(1300Mhz)", "GPU use (%)": "98"}, "card1": {"Average Graphics Package Power (W)": "130.5"}, "system": {"Driver version": "6.8"}}`;
    expect(toSample(readRocm(text, 5000))).toEqual({
      unixMs: 5000,
      values: { power_w: 650.5, sm_clock_mhz: 2100, memory_clock_mhz: 1300, gpu_use_percent: 98 },
    });
  });
});

describe('energy', () => {
  const samples = (...pairs: [at: number, watts: number][]) =>
    pairs.map(([unixMs, power_w]) => ({ unixMs, values: { power_w } }));

  test('integrates power over the window, with interpolated ends', () => {
    // A ramp from 100 W to 300 W within 1 s. The window is its middle half, 150 W to 250 W.
    const ramp = Array.from({ length: 11 }, (_, at): [number, number] => [at * 100, 100 + at * 20]);
    const energy = integratePower(samples(...ramp), 250, 750);
    expect(energy?.joules).toBeCloseTo(100, 9);
    expect(energy?.meanW).toBeCloseTo(200, 9);
  });

  test('interpolates a window between two readings', () => {
    expect(integratePower(samples([0, 100], [1000, 200]), 400, 600)?.meanW).toBeCloseTo(150, 9);
  });

  test.each([
    ['begin after it', samples([300, 100], [1000, 100])],
    ['end before it', samples([0, 100], [700, 100])],
    ['have a gap', samples([0, 100], [300, 100], [2900, 100])],
    ['are missing', []],
  ])('is null if readings %s', (_what, readings) => {
    expect(integratePower(readings, 200, 800)).toBe(null);
  });
});

describe('name, number and driver of GPUs', () => {
  test('are read from nvidia-smi', () => {
    const line = 'NVIDIA H100 80GB HBM3, 580.95.05\n';
    expect(readNvidiaFacts(line.repeat(2))).toEqual({ name: 'NVIDIA H100 80GB HBM3', count: 2, driver: '580.95.05' });
    expect(readNvidiaFacts(`${line}NVIDIA L4, 580.95.05\n`)).toMatchObject({
      name: 'NVIDIA H100 80GB HBM3 + NVIDIA L4',
    });
    expect(readNvidiaFacts('')).toBeNull();
  });

  test('are read from rocm-smi', () => {
    const card = { 'Card Series': 'AMD Instinct MI300X OAM', 'Card Model': '0x74a1', 'Card SKU': 'M3000100' };
    const text = JSON.stringify({ card0: card, card1: card, system: { 'Driver version': '6.12.12' } });
    const found = { name: 'AMD Instinct MI300X OAM', count: 2, driver: '6.12.12' };
    expect(readRocmFacts(`WARNING: no fan\n${text}`)).toEqual(found);
    expect(readRocmFacts('{}')).toBeNull();
  });
});
