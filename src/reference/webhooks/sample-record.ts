import { freshId, type TenantStore } from '../data/tenant-store.js';
import { showLead } from '../data/show-records.js';
import { groupOf, type EventKind } from './kinds.js';

/** A record that an event of the kind could be about. */
export function sampleRecord(kind: EventKind, tenant: TenantStore): object {
  const now = new Date().toISOString();
  const unit = tenant.units.placed().next();
  const unitId = unit.done === true ? freshId('unit') : unit.value.record.id;
  switch (groupOf(kind)) {
    case 'lead': {
      const status = kind === 'lead.qualified' ? 'qualified' : kind === 'lead.converted' ? 'converted' : 'new';
      return showLead({
        id: freshId('lead'),
        name: 'Zoë Åström',
        phone: '+46701234567',
        vehicleId: unitId,
        source: 'website',
        status,
        score: 42,
        createdAt: now,
        updatedAt: now,
      });
    }
    case 'deal': {
      const dealStatus = kind === 'deal.funded' ? 'funded' : kind === 'deal.signed' ? 'signed' : 'open';
      return (
        tenant.deals.find((deal) => deal.status === dealStatus) ??
        tenant.deals[0] ?? { id: freshId('deal'), totalGross: 0 }
      );
    }
    case 'unit':
      return unit.done === true
        ? { id: unitId, status: 'available' }
        : { ...unit.value.record, ...(kind === 'unit.sold' ? { status: 'sold' } : {}) };
    case 'call':
      return {
        id: freshId('call'),
        durationSeconds: 184,
        outcome: kind === 'call.escalated' ? 'escalated' : 'completed',
        summary: 'Asked about the Citroën C3 – wants a test drive',
      };
    default:
      return {
        id: freshId('visit'),
        unitId,
        status: kind === 'service.completed' ? 'completed' : 'open',
        openedAt: now,
      };
  }
}
