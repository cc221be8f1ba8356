import { freshId, type TenantStore } from '../data/tenant-store.js';
import { showLead } from '../data/show-records.js';
import { groupOf, type EventKind } from './kinds.js';

/** A record that an event of the kind could be about. */
export function sampleRecord(kind: EventKind, { units, deals }: TenantStore): object {
  const now = new Date().toISOString();
  const event = kind.slice(kind.indexOf('.') + 1);
  const [unit = { id: freshId('unit'), status: 'available' }] = units.all();
  const unitId = unit.id;
  const status = event === 'created' ? 'new' : event;
  const person = { name: 'Zoë Åström', phone: '+46701234567', vehicleId: unitId, source: 'website' };
  const dealStatus = event === 'created' ? 'open' : event;
  const outcome = event === 'escalated' ? 'escalated' : 'completed';
  const samples: Readonly<Record<string, () => object>> = {
    lead: () => showLead({ id: freshId('lead'), ...person, status, score: 42, createdAt: now, updatedAt: now }),
    deal: () => deals.find((deal) => deal.status === dealStatus) ?? { id: freshId('deal'), totalGross: 0 },
    unit: () => ({ ...unit, ...(event === 'sold' ? { status: 'sold' } : {}) }),
    call: () => ({
      id: freshId('call'),
      durationSeconds: 184,
      outcome,
      summary: 'About the Citroën C3 – a test drive',
    }),
    service: () => ({
      id: freshId('visit'),
      unitId,
      status: event === 'completed' ? 'completed' : 'open',
      openedAt: now,
    }),
  };
  return samples[groupOf(kind)]?.() ?? {};
}
