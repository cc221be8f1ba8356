import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dials } from '../reference/dials.js';
import type { Fault } from '../reference/faults/fault.js';
import { faults } from '../reference/faults/faults.js';
import { referenceDocument } from '../reference/reference-document.js';
import { flavours, startStranger } from '../stranger/index.js';
import { brokenSockets, constantAnswers, startBroken, startConstant } from './constant-servers.js';
import type { JudgeOptions, Service } from './judge-service.js';
import { scaledLimits, startReferenceService, withSettings } from './reference-service.js';

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
  /** It waits rather than works. */
  readonly waits?: boolean;
  readonly options: JudgeOptions;
  start(): Promise<Service>;
}

const smallLimits = scaledLimits(6, 0.5);
/** Windows long enough for two short promises in a row to be broken within one. */
const longerLimits = { ...smallLimits, independent: scaledLimits(15, 0.5).independent };
/** Whoever asks waits until patience is over. */
const hanging = new Set(['hang-on-null-body', 'accepts and says nothing']);
const shortPromises = new Set(['reset-constant', 'retry-after-zero', 'retry-after-past-date']);

function needsLeads(collateral: readonly { readonly id: string }[] | undefined): boolean {
  return collateral?.some(({ id }) => /^(LEAD|IDEM)-/.test(id)) === true;
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

async function stranger(flavour: string): Promise<Service> {
  const service = await startStranger({ flavour });
  const { ASSISTANT_WORD: word, ...settings } = service.settings;
  return {
    settings: { ...settings, ...(word === undefined ? {} : { ASSISTANT_SEGMENT: word }) },
    register: (tenant, url) => service.setWebhookReceiver(tenant, url),
    close: () => service.close(),
  };
}

/** Small faults of a limiter show under the reading that it is meant to follow: the operator pins it. */
function pinned(service: Service, limiter = 'fixed-first-request'): Service {
  const model = limiter.startsWith('fixed') ? 'fixed' : limiter === 'sliding-log' ? 'sliding' : 'auto';
  return withSettings(service, { LIMIT_MODEL: model });
}

const limited: JudgeOptions = { seed: 1, depth: 'certify', sections: ['LIMIT'] };

/** Sections that a fault is judged by; the two that cost most requests only where the fault may reach them. */
const light = ['DOC', 'UNIT', 'DEAL', 'PLAN', 'DEMO', 'AUTH', 'HOOK', 'VER', 'ENV'];
const everything = [...light, 'LEAD', 'IDEM'];
const reachesLeads = /^(ENV|LEAD|IDEM|AUTH)-/;
/** What is judged over the traffic of other sections, and sections that send most kinds of it. */
const overall = /^ENV-/;
const traffic = ['UNIT', 'DEAL', 'LEAD', 'IDEM', 'DEMO', 'AUTH', 'ENV'];
/** Limits are waited for: unless all are asked for, so many faults of a requirement have to do, more of those that judge the numbers. */
const limitFaultsOf = (requirement: string): number => (/^LIMIT-0[1238]$/.test(requirement) ? 2 : 1);

const sectionOf = (id: string): string => id.replace(/-.*/, '');

/** By what a fault is judged: the first of each requirement by all sections that it may reach, others by the requirements that they are known to break. */
function judgedBy(fault: Fault, first: boolean, allSections: boolean): Pick<JudgeOptions, 'sections' | 'only'> {
  const { requirement, collateral = [] } = fault;
  const reached = reachesLeads.test(requirement) || needsLeads(collateral) ? everything : light;
  if (allSections) return { sections: everything };
  if (first) return { sections: reached };
  if (overall.test(requirement) || fault.elsewhere) return { sections: traffic };
  const only = [requirement, ...collateral.map(({ id }) => id)];
  return { sections: only.map(sectionOf), ...(only.some((id) => overall.test(id)) ? {} : { only }) };
}

/**
 * Every fault of the reference service, each on its own; `allSections` judges each by all, whatever it may reach, `allLimits` takes every
 * fault of a limit.
 */
export function faultCases({ allSections = false, allLimits = false } = {}): Case[] {
  const seen = new Map<string, number>();
  return faults.flatMap((fault): Case[] => {
    const before = seen.get(fault.requirement) ?? 0;
    seen.set(fault.requirement, before + 1);
    const limit = fault.requirement.startsWith('LIMIT');
    if (limit && !allLimits && before >= limitFaultsOf(fault.requirement)) return [];
    return [
      {
        kind: 'fault',
        name: fault.id,
        requirement: fault.requirement,
        collateral: fault.collateral ?? [],
        warns: fault.warns === true,
        waits: limit || hanging.has(fault.id),
        options: limit
          ? limited
          : { seed: 1, depth: fault.depth ?? 'gate', ...judgedBy(fault, before === 0, allSections) },
        start: () =>
          fault.setting === 'CONTRACT'
            ? pinnedReference(fault.id)
            : startReferenceService({
                faults: [fault.id],
                ...(fault.needs ? { variant: fault.needs } : {}),
                ...(limit ? { limits: shortPromises.has(fault.id) ? longerLimits : smallLimits } : {}),
              })
                .then((service) => (limit ? pinned(service, fault.needs?.['limiter']) : service))
                .then((service) => withSettings(service, fault.pins ?? {})),
      },
    ];
  });
}

/** Conforming services: the defaults, every limiter (that counts refused requests and that does not, or one of both), and pairwise combinations of all dials
 * (every third one, unless `full`). */
export function variantCases(combinations: readonly Readonly<Record<string, string>>[], full: boolean): Case[] {
  const plain = { kind: 'variant', requirement: null, collateral: [] } as const;
  const functional = [{}, ...combinations.filter((_, at) => full || at % 3 === 0)].map((variant, index): Case => ({
    ...plain,
    name:
      index === 0
        ? 'defaults'
        : `combination ${index}: ${Object.entries(variant)
            .filter(([name, value]) => dials.find((dial) => dial.name === name)?.default !== value)
            .map(([name, value]) => `${name}=${value}`)
            .join(',')}`,
    options: { seed: index + 1, depth: 'gate' },
    start: () => startReferenceService({ variant }),
  }));
  const limiters = dials.find((dial) => dial.name === 'limiter')?.values ?? [];
  const limit = limiters.map((limiter, index) =>
    [
      { limiter, ...(index === 0 ? { 'limit-values': 'tens' } : {}) },
      {
        limiter,
        'refused-counted': 'yes',
        'limit-subject': index % 4 < 2 ? 'tenant' : 'key',
        'limit-header': index % 4 < 2 ? 'policy' : 'bare',
      },
    ].map((variant): Case => ({
      ...plain,
      name: `limits: ${Object.entries(variant)
        .map(([name, value]) => `${name}=${value}`)
        .join(',')}`,
      waits: true,
      options: limited,
      start: () =>
        startReferenceService({
          variant: Object.fromEntries(
            Object.entries(variant).filter(([name]) => dials.some((dial) => dial.name === name)),
          ),
          limits: smallLimits,
        }),
    })),
  );
  // What is sold may be pinned, too.
  const sold = (['key', 'tenant'] as const).map((scope): Case => ({
    ...plain,
    name: `limits: limit-subject=${scope}, sold so`,
    waits: true,
    options: limited,
    start: async () =>
      withSettings(await startReferenceService({ variant: { 'limit-subject': scope }, limits: smallLimits }), {
        LIMIT_SCOPE: scope,
      }),
  }));
  // Services that were written from the specification alone, by somebody who knew neither this reference nor the checks.
  const strangers = flavours.map((flavour, index): Case => ({
    ...plain,
    name: `stranger: ${flavour.name}`,
    options: { seed: 100 + index, depth: 'gate' },
    start: () => stranger(flavour.name),
  }));
  return [
    ...functional,
    ...strangers,
    ...limit.flatMap((both, at) => (full ? both : both.slice(at % 2, (at % 2) + 1))),
    ...(full ? sold : []),
  ];
}

/** Servers that give everybody the same answer, or none. */
export function constantCases(): Case[] {
  const one = (name: string, start: (name: string) => Promise<Service>): Case => ({
    kind: 'constant',
    name,
    requirement: null,
    collateral: [],
    waits: hanging.has(name),
    options: { seed: 1, depth: 'gate', pacingBudgetMs: 300 },
    start: () => start(name),
  });
  return [
    ...Object.keys(constantAnswers).map((name) => one(name, startConstant)),
    ...Object.keys(brokenSockets).map((name) => one(name, startBroken)),
  ];
}
