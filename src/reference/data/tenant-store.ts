import { randomUUID } from 'node:crypto';
import type { Behaviour } from '../instance.js';
import type { Deal, Lead, Unit } from './records.js';
import { seedDeals } from './seed-deals.js';
import { seedUnits } from './seed-units.js';

/** A record with its place in the list. */
export interface PlacedRecord<T> {
  readonly place: number;
  readonly record: T;
}

/** Records of one kind by id, in the order in which they were made. */
export class Shelf<T extends { readonly id: string }> {
  readonly #records = new Map<string, PlacedRecord<T>>();
  #next = 0;
  /** How often something was written. */
  writes = 0;
  /** Receives every write some time later. */
  copy: { readonly shelf: Shelf<T>; readonly lateMs: number } | null = null;

  #written(repeat: (copy: Shelf<T>) => unknown): void {
    const { copy } = this;
    this.writes += 1;
    if (copy !== null) setTimeout(() => void repeat(copy.shelf), copy.lateMs).unref();
  }

  add(record: T): T {
    this.#records.set(record.id, { place: this.#next, record });
    this.#next += 1;
    this.#written((copy) => copy.add(record));
    return record;
  }

  get(id: string): T | undefined {
    return this.#records.get(id)?.record;
  }

  replace(record: T): void {
    const known = this.#records.get(record.id);
    if (known) this.#records.set(record.id, { place: known.place, record });
    this.#written((copy) => copy.replace(record));
  }

  remove(id: string): boolean {
    this.#written((copy) => copy.remove(id));
    return this.#records.delete(id);
  }

  placed(): readonly PlacedRecord<T>[] {
    return [...this.#records.values()];
  }

  all(): readonly T[] {
    return this.placed().map(({ record }) => record);
  }
}

/** Everything one tenant has; units and deals are laid out when first asked for. */
export class TenantStore {
  readonly slug: string;
  readonly leads = new Shelf<Lead>();
  readonly #behaviour: Behaviour;
  readonly #counts: { readonly units: number; readonly deals: number };
  readonly #made = new Map<string, number>();
  #seeds: readonly Unit[] | null = null;
  #units: Shelf<Unit> | null = null;

  /** `counts`: what it has at the start. */
  constructor(behaviour: Behaviour, slug: string, counts: { readonly units: number; readonly deals: number }) {
    this.slug = slug;
    this.#behaviour = behaviour;
    this.#counts = counts;
  }

  get units(): Shelf<Unit> {
    if (this.#units === null) {
      this.#units = new Shelf<Unit>();
      for (const unit of this.#behaviour.apply('seededUnits', this.#seeded())) this.#units.add(unit);
    }
    return this.#units;
  }

  /** The same tenant as it was at the start. */
  atStart(): TenantStore {
    return new TenantStore(this.#behaviour, this.slug, this.#counts);
  }

  /** The same tenant on a second machine that is `lateMs` behind. */
  secondMachine(lateMs: number): TenantStore {
    const copy = this.atStart();
    this.units.copy = { shelf: copy.units, lateMs };
    this.leads.copy = { shelf: copy.leads, lateMs };
    return copy;
  }

  get deals(): readonly Deal[] {
    return seedDeals(this.#seeded(), this.#counts.deals);
  }

  /** An id that this tenant has not given yet, of its own numbers where records are numbered. */
  newId(kind: 'unit' | 'lead'): string {
    if (!this.#isNumbered) return freshId(kind);
    const made = (this.#made.get(kind) ?? 0) + 1;
    this.#made.set(kind, made);
    return String(made + (kind === 'unit' ? this.#counts.units : 0));
  }

  get #isNumbered(): boolean {
    return this.#behaviour.option('record-ids') === 'numbered';
  }

  #seeded(): readonly Unit[] {
    const units = seedUnits(this.#behaviour.seed, this.slug, this.#counts.units);
    this.#seeds ??= this.#isNumbered ? units.map((unit, at) => ({ ...unit, id: String(at + 1) })) : units;
    return this.#seeds;
  }
}

/** A fresh id such as `lead_9f…`. */
export function freshId(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}
