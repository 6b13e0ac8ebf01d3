import { type MeasuredPoint, measurePoint, type PointOptions } from '../../points/measure-point.ts';
import type { ModelServer } from '../../points/server.ts';
import { createCalibrator } from '../../prompts/calibrator.ts';
import type { PointSource } from '../point-source.ts';

/** The fake server on a port of this machine. */
export function fakeModel(port: number): ModelServer {
  return {
    connect: { host: '127.0.0.1', address: '127.0.0.1', port, tls: false },
    ...{ prefix: '', headers: {}, model: 'fake-model', endpoint: 'chat', dialect: 'openai', forcing: 'none' },
  };
}

/** The fake server counts words. */
const countTokens = async (text: string) => text.split(/\s+/).filter((word) => word !== '').length;

/** What a point is measured with, prompts included. */
export function measuringOptions(seed: number): PointOptions {
  const salt = `test ${seed}`;
  return { salt, calibrator: createCalibrator({ countTokens, seed, salt }), warmsUp: false };
}

/** Measures what a source asks for, to its end. */
export async function measureSource(
  source: PointSource,
  server: ModelServer,
  options: PointOptions,
  onPoint: (measured: MeasuredPoint) => void = () => {},
): Promise<MeasuredPoint[]> {
  const measured: MeasuredPoint[] = [];
  for (let point = source.next(measured, []); point !== null; point = source.next(measured, [])) {
    const found = await measurePoint(server, point, options);
    measured.push(found);
    onPoint(found);
  }
  return measured;
}
