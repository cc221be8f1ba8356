import { dials } from '../reference/dials.js';
import { faults } from '../reference/faults/faults.js';
import type { ReferenceOptions } from '../reference/start-reference.js';
import type { Service } from './judge-service.js';
import { scaledLimits, startReferenceService, withSettings } from './reference-service.js';

/** One service whose limits are judged again and again: a conforming one, or one with a fault. */
export interface SteadyCase {
  /** `sliding-log counted tenant policy`, or the fault's id. */
  readonly name: string;
  /** What has to turn red; null where nothing may. */
  readonly requirement: string | null;
  /** What else the fault breaks. */
  readonly collateral: readonly string[];
  start(real: boolean): Promise<Service>;
}

const limits = scaledLimits(4, 0.4);

const reference = (options: ReferenceOptions, real: boolean): Promise<Service> =>
  startReferenceService(real ? options : { ...options, limits });

const valuesOf = (name: string): readonly string[] => dials.find((dial) => dial.name === name)?.values ?? [];
/** These take no notice of refused requests. */
const unmoved = new Set(['token-bucket', 'token-bucket-slow', 'spill']);

/** Every kind of limiter, its refusals counted or not, by key or by tenant, with either form of the header. */
export function conformingCases(): SteadyCase[] {
  return valuesOf('limiter').flatMap((limiter) =>
    (unmoved.has(limiter) ? ['no'] : ['no', 'yes']).flatMap((counted) =>
      valuesOf('limit-subject').flatMap((subject) =>
        valuesOf('limit-header').map((header): SteadyCase => ({
          name: `${limiter} ${counted === 'yes' ? 'counted' : 'uncounted'} ${subject} ${header}`,
          requirement: null,
          collateral: [],
          start: (real) =>
            reference(
              { variant: { limiter, 'refused-counted': counted, 'limit-subject': subject, 'limit-header': header } },
              real,
            ),
        })),
      ),
    ),
  );
}

/**
 * Limits that are a fifth or a tenth off, missing, or kept with the wrong numbers, under the reading that they are meant to follow; and those
 * that show whatever the reading, however they are kept.
 */
export function faultyCases(): SteadyCase[] {
  const wanted = /^(burst|sustained)-(plus|minus)-(tenth|fifth)$|^(burst|sustained)-missing$|^limits-missing$/;
  const pinned = faults
    .filter(({ id }) => wanted.test(id))
    .map(({ id, requirement, collateral = [] }): SteadyCase => ({
      name: id,
      requirement,
      collateral: collateral.map((one) => one.id),
      start: async (real) => withSettings(await reference({ faults: [id] }, real), { LIMIT_MODEL: 'fixed' }),
    }));
  return [...pinned, ...openCases()];
}

/** The limiters that keep windows: which one it is, a service need not say. */
const windowed = ['fixed-first-request', 'fixed-clock', 'sliding-log', 'sliding-counter'];

function openCases(): SteadyCase[] {
  const told = /^(burst|sustained)-(plus|minus)-fifth$|^(burst|sustained)-missing$|^window-half-longer$/;
  return faults
    .filter(({ id }) => told.test(id))
    .flatMap(({ id, requirement, collateral = [] }) =>
      windowed.map((limiter): SteadyCase => ({
        name: `${id} open ${limiter}`,
        requirement,
        collateral: collateral.map((one) => one.id),
        start: (real) => reference({ faults: [id], variant: { limiter } }, real),
      })),
    );
}
