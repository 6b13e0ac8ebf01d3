/** A reading of a server or its GPUs during a measurement, at a time of the wall clock. */
export interface Sample {
  unixMs: number;
  /** By name, such as `running` or `power_w`. */
  values: Readonly<Record<string, number>>;
}

/** Samples that are drawn in one chart: their names, and the factor from a sample to the unit. */
export interface SampleGroup {
  title: string;
  unit: string;
  factor?: number;
  names: Readonly<Record<string, string>>;
}

/** The state of an engine, as its metrics report it. */
const engineGroups: readonly SampleGroup[] = [
  { title: 'Requests in the server', unit: '', names: { running: 'running', waiting: 'waiting' } },
  { title: 'KV cache in use', unit: '%', factor: 100, names: { kv_cache_share: 'KV cache' } },
  { title: 'Preemptions since the server started', unit: '', names: { preemptions: 'preemptions' } },
];

/** The GPUs of a server, as the tool of their vendor reports them. */
const gpuGroups: readonly SampleGroup[] = [
  { title: 'Power of all GPUs', unit: 'W', names: { power_w: 'power' } },
  { title: 'Clocks, mean of all GPUs', unit: 'MHz', names: { sm_clock_mhz: 'cores', memory_clock_mhz: 'memory' } },
  { title: 'GPU use, mean of all', unit: '%', names: { gpu_use_percent: 'use' } },
  { title: 'GPU memory in use', unit: 'GiB', names: { gpu_memory_gib: 'memory' } },
];

/** Everything that is read of a server and its GPUs during a measurement. */
export const observedGroups: readonly SampleGroup[] = [...engineGroups, ...gpuGroups];
