import { dials } from '../reference/dials.js';
import { faults } from '../reference/faults/faults.js';
import { startReference } from '../reference/start-reference.js';
import type { ReferenceOptions } from '../reference/start-reference.js';
import type { Service } from './judge-service.js';

/** One service whose limits are judged again and again: a conforming one, or one with a fault. */
export interface SteadyCase {
  /** `sliding-log counted tenant policy`, or the fault's id. */
  readonly name: string;
  /** What has to turn red; null where nothing may. */
  readonly requirement: string | null;
  start(real: boolean): Promise<Service>;
}

/** Numbers whose windows pass in seconds. */
const scaled: NonNullable<ReferenceOptions['limits']> = {
  independent: [
    { count: 120, seconds: 4 },
    { count: 40, seconds: 0.4 },
  ],
  franchise: [
    { count: 360, seconds: 4 },
    { count: 120, seconds: 0.4 },
  ],
  enterprise: null,
  demo: [{ count: 30, seconds: 4 }],
  sandbox: [{ count: 30, seconds: 4 }],
};

async function reference(
  options: ReferenceOptions,
  real: boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const service = await startReference(real ? options : { ...options, limits: scaled });
  return {
    settings: { ...service.settings, BASE_URL: service.baseUrl, ...more },
    register: (tenant, url) => service.setWebhookReceiver(tenant, url),
    close: () => service.close(),
  };
}

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

/** Limits that are a fifth or a tenth off, missing, or kept with the wrong numbers, under the reading that they are meant to follow. */
export function faultyCases(): SteadyCase[] {
  const wanted = /^(burst|sustained)-(plus|minus)-(tenth|fifth)$|^(burst|sustained)-missing$|^limits-missing$/;
  return faults
    .filter(({ id }) => wanted.test(id))
    .map(({ id, requirement }) => ({
      name: id,
      requirement,
      start: (real) => reference({ faults: [id] }, real, { LIMIT_MODEL: 'fixed' }),
    }));
}
