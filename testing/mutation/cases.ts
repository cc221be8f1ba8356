import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, faults, referenceDocument, variantOptions } from '../../src/reference/index.js';
import { randomFrom } from '../../src/run/index.js';
import { flavours, startIndependentService } from '../independent-service/index.js';
import { breachCases } from './breach-cases.js';
import { constantServers } from './constant-servers.js';
import { behindSlowNetwork } from './lossy-network.test-kit.js';
import type { LimitModel } from '../../src/settings/index.js';
import { keyOf, type Case, type JudgeOptions, type Service } from './judge-service.js';
import { scaledLimits, startReferenceService, withSettings } from './reference-service.js';
import { readTable } from './verdict-table.js';

const smallLimits = scaledLimits(6, 0.5);
/** Windows long enough for two short promises in a row to be broken within one. */
const longerLimits = { ...smallLimits, independent: scaledLimits(15, 0.5).independent };
/** Every request to these services runs into its timeout. */
const hanging = new Set(['hang-on-null-body', 'accepts and says nothing']);
const shortPromises = new Set(['reset-constant', 'retry-after-zero', 'retry-after-past-date']);

/** Whether a fault of the limits shows only where the long window lasts 15 s instead of 6 s. */
export function needsLongerWindow({ id }: Fault): boolean {
  return shortPromises.has(id);
}

/** A faulty service whose faultless document is pinned. */
async function pinnedReference(fault: string): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'dealership-conformance-'));
  const file = join(folder, 'pinned.json');
  await writeFile(file, referenceDocument());
  const service = await startReferenceService({ faults: [fault] });
  return {
    ...service,
    settings: { ...service.settings, CONTRACT: file },
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Small faults of a limiter show under the model that it implements: the operator pins it. */
export function limitModelOf({ needs }: Fault): LimitModel {
  const limiter = needs?.['limiter'] ?? 'fixed-first-request';
  return limiter.startsWith('fixed') ? 'fixed' : limiter === 'sliding-log' ? 'sliding' : 'auto';
}

const limited: JudgeOptions = { seed: 1, depth: 'certify', sections: ['LIMIT'] };

/** All sections but LIMIT. */
const everything = ['DOC', 'UNIT', 'DEAL', 'PLAN', 'DEMO', 'AUTH', 'HOOK', 'VER', 'LEAD', 'IDEM', 'ENV'];
/** The number of faults of a limit requirement that run in real time, where each waits for real windows. Virtual time covers all faults. */
const realFaultsOf = (requirement: string): number => (/^LIMIT-0[1238]$/.test(requirement) ? 2 : 1);

const sectionOf = (id: string): string => id.replace(/-.*/, '');

const table = readTable();

/** The requirements that a fault is known to break; whole sections where only the traffic of other checks shows it. */
function ownRequirements(fault: Fault): Pick<JudgeOptions, 'sections' | 'only'> {
  const { id, requirement, elsewhere = requirement } = fault;
  const { fail = [], warn = [], varies = [] } = table?.[keyOf({ kind: 'fault', name: id })] ?? {};
  const only = [requirement, ...fail, ...warn, ...varies, elsewhere];
  const sections = only.map(sectionOf);
  return elsewhere === sectionOf(elsewhere) ? { sections } : { sections, only };
}

/**
 * Every fault of the reference service, each on its own, judged by the requirements that it is known to break; a new one, and with `first` the first of
 * each requirement, by all sections. Of LIMIT, whose windows are real here, only some.
 */
export function faultCases(judgedBy: 'own' | 'first'): Case[] {
  const seen = new Map<string, number>();
  return faults.flatMap((fault): Case[] => {
    const before = seen.get(fault.requirement) ?? 0;
    const inGate = fault.depth === 'gate';
    if (!inGate) seen.set(fault.requirement, before + 1);
    const limit = fault.requirement.startsWith('LIMIT') && !inGate;
    if (limit && before >= realFaultsOf(fault.requirement)) return [];
    // What a fault breaks besides is not known before it is in the table.
    const isNew = table?.[keyOf({ kind: 'fault', name: fault.id })] === undefined;
    const isCrossed = (isNew || (judgedBy === 'first' && before === 0)) && !inGate;
    const sections = isCrossed ? { sections: everything } : ownRequirements(fault);
    // What a fault hides stays hidden: a quarter of the usual waiting shows it as well, unless time itself brings it out.
    const patience = isCrossed || fault.depth !== 'certify' ? { patience: 0.25 } : {};
    return [
      {
        kind: 'fault',
        name: fault.id,
        requirement: fault.requirement,
        warns: fault.warns === true,
        missed: fault.missed ?? null,
        waits: limit || hanging.has(fault.id) || fault.depth === 'certify',
        options: limit ? limited : { seed: 1, depth: fault.depth ?? 'gate', ...patience, ...sections },
        start: () =>
          fault.setting === 'CONTRACT'
            ? pinnedReference(fault.id)
            : startReferenceService({
                faults: [fault.id],
                ...(fault.needs ? { variant: fault.needs } : {}),
                ...(limit ? { limits: needsLongerWindow(fault) ? longerLimits : smallLimits } : {}),
              }).then((service) => (limit ? withSettings(service, { LIMIT_MODEL: limitModelOf(fault) }) : service)),
      },
    ];
  });
}

const conforming = { kind: 'variant', requirement: null } as const;

function describeVariant(variant: Readonly<Record<string, string>>): string {
  return Object.entries(variant)
    .filter(([name, value]) => variantOptions.find((option) => option.name === name)?.default !== value)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** The reference service with its defaults and with each of these combinations of options; all of it but its limits is judged. */
export function variantCases(combinations: readonly Readonly<Record<string, string>>[]): Case[] {
  return [{}, ...combinations].map((variant, index): Case => ({
    ...conforming,
    name: index === 0 ? 'defaults' : `combination ${index}: ${describeVariant(variant)}`,
    options: { seed: index + 1, depth: 'gate' },
    start: () => startReferenceService({ variant }),
  }));
}

/** Services that were written from the specification alone, by somebody who knew neither this reference nor the checks. */
export function independentServiceCases(): Case[] {
  return flavours.map((flavour, index): Case => ({
    ...conforming,
    name: `independent service: ${flavour.name}`,
    options: { seed: 100 + index, depth: 'gate' },
    start: () => startIndependentService({ flavour: flavour.name }),
  }));
}

/** Every limiter of the reference service in two variants: refused requests counted or not, with the other limit options in turn. */
export function limiterVariants(): Readonly<Record<string, string>>[] {
  const limiters = variantOptions.find((option) => option.name === 'limiter')?.values ?? [];
  return limiters.flatMap((limiter, index) => [
    { limiter, ...(index === 0 ? { 'limit-values': 'tens' } : {}) },
    {
      limiter,
      'refused-counted': 'yes',
      'limit-header': index % 4 < 2 ? 'policy' : 'bare',
    },
  ]);
}

/** The most that a request, and an answer, takes on the networks of the busy cases, in milliseconds. */
const slowness = [5, 50, 200] as const;

/** The limits of every limiter, in real windows; where the machine is busy, on a network that delays each request and each answer as well. */
function limiterCases(kind: 'variant' | 'busy'): Case[] {
  return limiterVariants().map((variant, index) => {
    const mostMs = kind === 'busy' ? (slowness[index % slowness.length] ?? 0) : 0;
    const start = (): Promise<Service> => startReferenceService({ variant, limits: smallLimits });
    return {
      ...conforming,
      kind,
      name: `limits: ${variant['limiter'] ?? ''}${'refused-counted' in variant ? ', refused requests counted' : ''}${mostMs === 0 ? '' : `, on a network that takes up to ${mostMs} ms each way`}`,
      waits: true,
      options: limited,
      start: mostMs === 0 ? start : async () => behindSlowNetwork(await start(), mostMs, randomFrom(index)),
    };
  });
}

/** Servers that give everybody the same answer, or none. */
export function constantCases(): Case[] {
  return constantServers.map(([name, start]) => ({
    kind: 'constant',
    name,
    requirement: null,
    waits: hanging.has(name),
    options: { seed: 1, depth: 'gate', pacingBudgetMs: 300 },
    start,
  }));
}

/** Everything that the full proof judges. */
export function allCases(combinations: readonly Readonly<Record<string, string>>[]): Case[] {
  return [
    ...faultCases('first'),
    ...breachCases(),
    ...variantCases(combinations),
    ...independentServiceCases(),
    ...limiterCases('variant'),
    ...limiterCases('busy'),
    ...constantCases(),
  ];
}
