/** What was read from the server and its machine; null where it is not shown. */
export interface Detected {
  /** Commit of the model's repository. */
  modelRevision: string | null;
  weightsSha256: string | null;
  containerImage: string | null;
  /** As the vendor's tool names it. */
  gpuName: string | null;
  gpuCount: number | null;
  gpuDriver: string | null;
}

const words: Record<keyof Detected, string> = {
  modelRevision: 'model revision',
  weightsSha256: 'weights SHA-256',
  containerImage: 'container image',
  gpuName: 'GPU',
  gpuCount: 'GPUs',
  gpuDriver: 'GPU driver',
};

/** What was read, by what it is called. */
export function describeDetected(detected: Detected): Record<string, string> {
  const names = Object.keys(words) as (keyof Detected)[];
  return Object.fromEntries(
    names.flatMap((name) => (detected[name] === null ? [] : [[words[name], `${detected[name]}`]])),
  );
}
