import { test } from '@playwright/test';
import { certifyIdempotency, startLeadService } from './test-kit.js';
import type { Fault, Dials } from './test-kit.js';
const faults: Fault[] = ['first-eight','all-but-last','last-twelve','fresh-id','new-body','fresh-time','race','late-save','cross-tenant','tenant-blocks','cross-tenant-same-body','cross-route','poison','poison-first','conflict-creates','conflict-updates','forgets','replay-refused','race-500'];
const variants: Partial<Dials>[] = [{}, {conflict:409},{conflict:400},{conflict:'first'},{inProgress:409,delayMs:4},{inProgress:'wait',delayMs:4},{created:200},{created:202},{replayed:200},{score:'moves'},{dedup:true},{dedup:true,conflict:'first',delayMs:3},{burns:true},{shows:'nested'},{shows:'id'},{shows:'echo'},{shows:'nothing'},{shows:'echo',list:'none'},{shows:'id',list:'none'},{list:'none'},{list:'newest'},{list:'ids'},{ids:'counter'},{ids:'key'},{ids:'content',dedup:true},{ids:'key',list:'none'},{ids:'counter',list:'none'},{ids:'content',dedup:true,list:'none'}];
test('matrix', async () => {
  test.setTimeout(1_200_000);
  const seeds = Number(process.env['SEEDS'] ?? 1);
  const lines: string[] = [];
  for (const dials of [...(process.env['ONLY']==='v'?[]:faults.map((f) => ({ faults: [f] , ...JSON.parse(process.env['WITH'] ?? '{}')}) as Partial<Dials>)), ...(process.env['ONLY']==='f'?[]:variants)]) {
    const seen: Record<string, number> = {};
    let sample = '';
    for (let seed = 1; seed <= seeds; seed += 1) {
      const service = await startLeadService(dials);
      const out = await certifyIdempotency(service.baseUrl, { seed });
      await service.close();
      for (const r of out.results.values()) if (r.verdict !== 'pass') { const k = `${r.id}:${r.verdict}`; seen[k] = (seen[k] ?? 0) + 1; if (process.env['V'] || ['error','blocked'].includes(r.verdict) || (!dials.faults && r.verdict==='fail')) sample = `${r.id} ${r.reason}`.slice(0, 600); }
      if (out.requests > 400) seen['over'+out.requests] = 1;
    }
    console.log(JSON.stringify(dials), JSON.stringify(seen), sample);
  }
});
