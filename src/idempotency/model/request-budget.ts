import type { Check } from '../../run/index.js';

/** How many requests the parts of this section may send; a whole section stays below 410 for the gate and 2,000 for certify, and 60 and 120 more where units take keys. */
export interface RequestBudget {
  readonly laterCreates: number;
  readonly unitCreates: number;
  readonly raceRounds: number;
  readonly racers: number;
  readonly unitRaces: number;
  readonly nearKeys: number;
  readonly modelRequests: number;
  readonly modelRuns: number;
  readonly shrinkRequests: number;
  readonly pagesPerWalk: number;
}

/** The requestBudget of this run's depth. */
export function requestBudget(check: Check): RequestBudget {
  return check.run.depth === 'gate'
    ? {
        laterCreates: 48,
        unitCreates: 13,
        raceRounds: 8,
        racers: 4,
        unitRaces: 3,
        nearKeys: 11,
        modelRequests: 105,
        modelRuns: 40,
        shrinkRequests: 40,
        pagesPerWalk: 10,
      }
    : {
        laterCreates: 240,
        unitCreates: 30,
        raceRounds: 30,
        racers: 6,
        unitRaces: 8,
        nearKeys: 31,
        modelRequests: 700,
        modelRuns: 110,
        shrinkRequests: 40,
        pagesPerWalk: 40,
      };
}
