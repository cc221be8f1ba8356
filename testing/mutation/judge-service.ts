import { judge } from '../../src/judge-target.js';
import { loadPacks } from '../../src/packs.js';
import type { RequirementResult } from '../../src/requirement/index.js';
import { type Depth, gateConcurrency } from '../../src/run/index.js';
import { type RawSettings, readTarget } from '../../src/settings/index.js';

/** A running service, however it was made. */
export interface Service {
  readonly settings: RawSettings;
  readonly register: ((tenant: 'main' | 'other', url: string) => void) | null;
  close(): Promise<void>;
  /** Whether its fault has changed anything yet. */
  isReached?(): boolean;
}

/** How a service is to be judged. */
export interface JudgeOptions {
  readonly seed: number;
  readonly depth: Depth;
  /** Sections to judge; unless given, all but what of LIMIT waits for windows. */
  readonly sections?: readonly string[];
  /** Requirements to judge, of those sections; all unless given. */
  readonly only?: readonly string[];
  readonly pacingBudgetMs?: number;
  readonly patience?: number;
  /** How many requirements are judged at the same time; as many as a gate does unless given. */
  readonly concurrency?: number;
}

/** One service to be judged and what is known of it beforehand. */
export interface Case {
  /** `busy` is a conforming variant that is judged beside the simulations: what noise blocks there is no problem. */
  readonly kind: 'fault' | 'breach' | 'variant' | 'busy' | 'constant';
  readonly name: string;
  /** The requirement that must turn red, for a fault or a breach. */
  readonly requirement: string | null;
  /** Requirements that may report a breach of the independent service in place of its own. */
  readonly alternatives?: readonly string[];
  /** Why no requirement reports a breach, where that is known. */
  readonly missed?: string | null;
  /** A warning is what it is to get. */
  readonly warns?: boolean;
  /** It waits rather than works. */
  readonly waits?: boolean;
  readonly options: JudgeOptions;
  start(): Promise<Service>;
}

/** One service's verdicts. */
export interface Judged {
  readonly results: readonly RequirementResult[];
  /** Whether its fault changed anything; true where there is none. */
  readonly isReached: boolean;
  readonly requests: number;
  readonly seconds: number;
}

/** Judges a service in this process, whatever it answers, and closes it. */
export async function judgeService(service: Service, options: JudgeOptions): Promise<Judged> {
  const started = performance.now();
  const { seed, depth, patience = 1, pacingBudgetMs = 3000 } = options;
  const { concurrency = depth === 'gate' ? gateConcurrency.usual : 1 } = options;
  try {
    const catalogue = await loadPacks();
    const selected = catalogue.requirements.filter(
      ({ id, section, gateBody }) =>
        (options.sections?.includes(section) ??
          (section !== 'LIMIT' || (depth === 'gate' && gateBody !== undefined))) &&
        options.only?.includes(id) !== false,
    );
    const { report } = await judge(
      { ...service, target: readTarget(service.settings, true) },
      { catalogue, selected, anyTarget: true, concurrency, run: { seed, depth, patience, pacingBudgetMs } },
    );
    const { requirements: results, requests } = report;
    const isReached = service.isReached?.() ?? true;
    return { results, isReached, requests, seconds: (performance.now() - started) / 1000 };
  } finally {
    await service.close();
  }
}

/** The key by which a case is chosen: `fault:limit-ignored`. */
export function keyOf({ kind, name }: Pick<Case, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}
