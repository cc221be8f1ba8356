import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dials } from '../reference/dials.js';
import { faults } from '../reference/faults/faults.js';
import { startReference } from '../reference/start-reference.js';
import { brokenSockets, constantAnswers, startBroken, startConstant } from './constant-servers.js';
import type { JudgeOptions, Service } from './judge-service.js';

/** One service to be judged and what is known of it beforehand. */
export interface Case {
  readonly kind: 'fault' | 'variant' | 'constant';
  readonly name: string;
  /** The requirement that must turn red, for a fault. */
  readonly requirement: string | null;
  /** Other requirements that the same fault breaks, with reasons. */
  readonly collateral: readonly { readonly id: string; readonly reason: string }[];
  /** A warning is what it is to get. */
  readonly warns?: boolean;
  readonly options: JudgeOptions;
  start(): Promise<Service>;
}

/** Plan numbers small enough that their windows pass in seconds. */
const smallLimits = {
  independent: [
    { count: 120, seconds: 6 },
    { count: 40, seconds: 0.5 },
  ],
  franchise: [
    { count: 360, seconds: 6 },
    { count: 120, seconds: 0.5 },
  ],
  enterprise: null,
  demo: [{ count: 30, seconds: 6 }],
  sandbox: [{ count: 30, seconds: 6 }],
} as const;

async function reference(options: Parameters<typeof startReference>[0]): Promise<Service> {
  const service = await startReference(options);
  return {
    settings: { ...service.settings, BASE_URL: service.baseUrl },
    register: (tenant, url) => service.setWebhookReceiver(tenant, url),
    close: () => service.close(),
  };
}

/** A faulty service whose faultless document is pinned. */
async function pinnedReference(fault: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  const file = join(folder, 'pinned.json');
  const faultless = await startReference();
  await writeFile(file, await (await fetch(`${faultless.baseUrl}/api/openapi.json`)).text());
  await faultless.close();
  const service = await reference({ faults: [fault] });
  return {
    ...service,
    settings: { ...service.settings, CONTRACT: file },
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Small faults of a limiter show under the reading that it is meant to follow: the operator pins it. */
function pinned(service: Service, limiter = 'fixed-first-request'): Service {
  const model = limiter.startsWith('fixed') ? 'fixed' : limiter === 'sliding-log' ? 'sliding' : 'auto';
  return { ...service, settings: { ...service.settings, LIMIT_MODEL: model } };
}

const limited: JudgeOptions = { seed: 1, depth: 'certify', sections: ['LIMIT'] };

/** Every fault of the reference service, each on its own. */
export function faultCases(): Case[] {
  return faults.map((fault) => {
    const limit = fault.requirement.startsWith('LIMIT');
    return {
      kind: 'fault',
      name: fault.id,
      requirement: fault.requirement,
      collateral: fault.collateral ?? [],
      warns: fault.warns === true,
      options: limit ? limited : { seed: 1, depth: 'gate' },
      start: () =>
        fault.setting === 'CONTRACT'
          ? pinnedReference(fault.id)
          : reference({
              faults: [fault.id],
              ...(fault.needs ? { variant: fault.needs } : {}),
              ...(limit ? { limits: smallLimits } : {}),
            }).then((service) => (limit ? pinned(service, fault.needs?.['limiter']) : service)),
    };
  });
}

/** Conforming services: the defaults, every dial value alone where the limiter is concerned, and pairwise combinations of all dials. */
export function variantCases(combinations: readonly Readonly<Record<string, string>>[]): Case[] {
  const plain = { kind: 'variant', requirement: null, collateral: [] } as const;
  const functional = [{}, ...combinations].map((variant, index): Case => ({
    ...plain,
    name:
      index === 0
        ? 'defaults'
        : `combination ${index}: ${Object.entries(variant)
            .filter(([name, value]) => dials.find((dial) => dial.name === name)?.default !== value)
            .map(([name, value]) => `${name}=${value}`)
            .join(',')}`,
    options: { seed: index + 1, depth: 'gate' },
    start: () => reference({ variant }),
  }));
  const limiters = dials.find((dial) => dial.name === 'limiter')?.values ?? [];
  const limit = limiters.flatMap((limiter, index) =>
    [
      { limiter },
      {
        limiter,
        'refused-counted': 'yes',
        'limit-subject': index % 2 === 0 ? 'tenant' : 'key',
        'limit-header': index % 2 === 0 ? 'policy' : 'bare',
      },
    ].map((variant): Case => ({
      ...plain,
      name: `limits: ${Object.entries(variant)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')}`,
      options: limited,
      start: () =>
        reference({
          variant: Object.fromEntries(
            Object.entries(variant).filter(([name]) => dials.some((dial) => dial.name === name)),
          ),
          limits: smallLimits,
        }),
    })),
  );
  return [...functional, ...limit];
}

/** Servers that give everybody the same answer, or none. */
export function constantCases(): Case[] {
  const one = (name: string, start: (name: string) => Promise<Service>): Case => ({
    kind: 'constant',
    name,
    requirement: null,
    collateral: [],
    options: { seed: 1, depth: 'gate', pacingBudgetMs: 300 },
    start: () => start(name),
  });
  return [
    ...Object.keys(constantAnswers).map((name) => one(name, startConstant)),
    ...Object.keys(brokenSockets).map((name) => one(name, startBroken)),
  ];
}
