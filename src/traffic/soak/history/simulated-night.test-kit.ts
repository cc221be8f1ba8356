import type { SoakWindow } from '../run-soak.js';
import type { SoakRun } from './history.js';
import { soakRun } from './soak-run.test-kit.js';

type Report = SoakRun['service'];

/** Parameters of simulated soak runs of one service. */
export interface Scene {
  /** The service's share of each change of the machine; the control has all of it. 0 where the service runs elsewhere. */
  readonly share: number;
  /** Latency of the service, relative to other runs. */
  readonly factor?: number;
  /** Slowness of the machine, relative to other runs. */
  readonly machine?: number;
  /** Standard deviation of the service's level from night to night (default: 4 %). */
  readonly spread?: number;
  /** Standard deviation of the machine's level from night to night (default: 25 %). */
  readonly machineSpread?: number;
  /** How much neighbouring windows vary, relative to 8 % (default: 1). */
  readonly unrest?: number;
  /** The usual share of errors (default: none), which varies by a third from night to night, and in bursts within one. */
  readonly errorShare?: number;
}

/** Normally distributed, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Autocorrelated windows around a level, with rare spikes as garbage collection causes them. */
function restless(report: Report, level: number, unrest: number, random: () => number): Report {
  let drift = 0;
  const windows = report.windows.map((window) => {
    drift = 0.7 * drift + 0.06 * unrest * normal(random);
    const spike = random() < 0.03 ? 1 + 3 * random() : 1;
    const typical = level * Math.exp(drift);
    const tail = Math.exp(0.1 * unrest * normal(random));
    return { ...window, p50Ms: 0.4 * typical, p95Ms: spike * typical, p99Ms: 2 * spike * tail * typical };
  });
  return { ...report, windows };
}

/** Adds errors: each window has its own rate, as errors come in bursts. */
function failing(report: Report, share: number, random: () => number): Report {
  const tonight = share * Math.exp(0.35 * normal(random));
  const windows = report.windows.map((window): SoakWindow => {
    const rate = Math.min(1, tonight * -Math.log(1 - random()));
    const errors = Array.from({ length: window.due }, random).filter((one) => one < rate).length;
    return { ...window, errors };
  });
  const errors = windows.reduce((sum, window) => sum + window.errors, 0);
  return { ...report, windows, total: { ...report.total, errors } };
}

/** One simulated soak run; service and machine vary independently. */
export function simulatedNight(at: number, scene: Scene, random: () => number): SoakRun {
  const { share, factor = 1, machine = 1, spread = 0.04, machineSpread = 0.25, unrest = 1, errorShare = 0 } = scene;
  const pace = machine * Math.exp(machineSpread * normal(random));
  const mood = Math.exp(spread * normal(random));
  const plain = soakRun(1 + (at % 9), 1, 1);
  const control = plain.control === null ? null : restless(plain.control, 2 * pace, unrest, random);
  const level = 10 * (1 + share * (pace - 1)) * mood * factor;
  const service = restless(plain.service, level, unrest, random);
  return { ...plain, service: errorShare === 0 ? service : failing(service, errorShare, random), control };
}

/** Simulated soak runs of the same service. */
export function simulatedNights(count: number, scene: Scene, random: () => number): SoakRun[] {
  return Array.from({ length: count }, (_, at) => simulatedNight(at, scene, random));
}
