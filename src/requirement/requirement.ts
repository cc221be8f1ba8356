import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import type { Need } from './needs.js';
import type { Level } from './types.js';

/** One requirement as the catalogue knows it. */
export interface CatalogueEntry {
  /** The section, a hyphen and a number, such as `UNIT-03`; never changed or used again. */
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  /** The section of the specification, or of a standard, that demands it. */
  readonly source: string;
  /** One sentence that says what holds where it is met. */
  readonly title: string;
  /** It creates or changes something in the target, so READ_ONLY leaves it out. */
  readonly writes: boolean;
  /** It sends load and waits for limit windows, so the gate leaves it out, and ALLOW_LOAD must name the host. */
  readonly slow: boolean;
  /** The first requirement set that holds it (`2027-05`); unless given, all do. In a run by an earlier set it is upcoming: a breach warns. */
  readonly since?: string;
}

/** Judges one requirement: sends requests and records breaches through its Check, and nothing else. */
export type CheckBody = (fixtures: { readonly check: Check }) => Promise<unknown>;

/** Which others may be judged at the same time: those that change no units, those that do, or both. */
export type Beside = 'steady units' | 'changing units' | 'both';

/**
 * A part of what a requirement demands, in words that `explain` and `list --json` print, and what judges it. `given` is what the body of the
 * requirement handed back: what its rows have in common, such as readings or records.
 */
export interface Row<G = unknown> {
  /** "every list of units holds at most as many as its limit". */
  readonly says: string;
  /** The stack of where it is stated. */
  readonly statedAt: string;
  readonly judge: (check: Check, given: G) => unknown;
}

/** A row. Each engine has functions that make its rows; a file of requirements may make one of its own. */
export function row<G = unknown>(says: string, judge: Row<G>['judge']): Row<G> {
  return { says, statedAt: new Error().stack ?? '', judge };
}

/** One requirement with what judges it: a plain value, which any runner can list, select and run. */
export interface Requirement<L extends Level = Level> extends CatalogueEntry {
  readonly level: L;
  /** The stack of where it is defined. */
  readonly statedAt: string;
  /** Without these it is not applicable; without API_KEY or the document it is blocked. */
  readonly needs: readonly Need[];
  /** Without these a breach may be found, but it does not pass: it is not applicable. */
  readonly passNeeds?: readonly Need[];
  /** Without this only a part of it is judged. */
  readonly partWithout?: Need;
  /** Where it is not applicable, and its level of a certificate is granted all the same. Level OBSERVE demands nothing and needs no entry. */
  readonly optional?: string;
  /** What comes before the rows, or judges what no row says. Rows are left out where it ends the check or hands back null. */
  readonly body?: CheckBody;
  /** What it demands beyond its invariants, judged in this order; where one ends as blocked or not applicable, the others are judged all the same. */
  readonly rows?: readonly Row<never>[];
  /** Rules over all exchanges of the run so far, judged after the body, however that ended. */
  readonly invariants?: readonly Row[];
  /** Nothing else is judged at the same time, as what others create would show in its answers. */
  readonly alone?: true;
  /** What may be judged at the same time, unless as its section says. */
  readonly beside?: Beside;
  /** Its requests wait for each other longer than those of others: it begins first where several are judged at the same time. */
  readonly long?: true;
  /** The part of a slow requirement that a gate judges: a breach fails; otherwise the requirement is not applicable in a gate. */
  readonly gateBody?: CheckBody;
  /** Why a failure, by the exchanges of each breach, or a block of a check, without any, proves nothing, or null: asked before either counts. */
  readonly control?: (check: Check, failures: readonly (readonly Exchange[])[]) => Promise<string | null>;
}

/** The parts of a requirement that its author writes; the others are derived. */
export type RequirementDefinition<L extends Level = Level, G = unknown> = Pick<Requirement<L>, Written> &
  Partial<Omit<Requirement, Written | 'id' | 'section' | 'statedAt' | 'body' | 'rows'>> & {
    readonly id: `${string}-${number}`;
    readonly body?: (...fixtures: Parameters<CheckBody>) => Promise<G | null>;
    readonly rows?: readonly Row<G>[];
  };

type Written = 'level' | 'source' | 'title';

/** The section that an id belongs to: `UNIT` for `UNIT-03`. */
export function sectionOf(id: string): string {
  return id.replace(/-\d+$/, '');
}

/** Completes a requirement. */
export function defineRequirement<const L extends Level, G = unknown>(
  definition: RequirementDefinition<L, G>,
): Requirement<L> {
  const statedAt = new Error().stack ?? '';
  return { needs: [], writes: false, slow: false, section: sectionOf(definition.id), statedAt, ...definition };
}

/** A requirement as Playwright shows it: its id, level and section as tags, its source as a note. */
export function testDetails({ id, level, source }: Pick<CatalogueEntry, 'id' | 'level' | 'source'>): {
  tag: string[];
  annotation: { type: string; description: string }[];
} {
  return { tag: [`@${id}`, `@${level}`, `@${sectionOf(id)}`], annotation: [{ type: 'source', description: source }] };
}
