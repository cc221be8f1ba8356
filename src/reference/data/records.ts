/** A vehicle in stock, as it is stored and shown. */
export interface Unit {
  readonly id: string;
  readonly stockNumber: string;
  readonly vin: string;
  readonly status: string;
  readonly condition: string;
  readonly make: string;
  readonly model: string;
  readonly year: number;
  readonly trim: string | null;
  readonly mileageKm: number;
  readonly engineLitres: number | null;
  readonly priceCents: number;
  readonly currency: string;
  readonly features: readonly string[];
  readonly location: {
    readonly lot: string;
    readonly row: number;
    readonly geo: { readonly lat: number; readonly lng: number };
  };
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A sales lead, as it is stored and shown. */
export interface Lead {
  readonly id: string;
  readonly name: string;
  readonly phone: string;
  readonly vehicleId: string;
  readonly source: string | null;
  readonly status: string;
  readonly score: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A deal, as it is stored and shown; amounts in the major unit of the currency. */
export interface Deal {
  readonly id: string;
  readonly unitId: string;
  readonly status: string;
  readonly totalGross: number;
  readonly currency: string;
  readonly termMonths: number;
  readonly openedAt: string;
  readonly fundedAt: string | null;
}

/** How far a unit has come. */
export const unitStatuses = ['available', 'reserved', 'sold', 'in-transit', 'in-service'] as const;

/** The sources of leads. */
export const leadSources = ['website', 'walk-in', 'phone', 'referral', 'marketplace'] as const;

/** How far a lead has come. */
export const leadStatuses = ['new', 'contacted', 'qualified', 'converted', 'lost'] as const;
