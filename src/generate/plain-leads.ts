import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf } from '../api/envelope.js';
import { leadId } from '../api/leads.js';
import { paths } from '../api/paths.js';
import type { Exchange } from '../http/exchange.js';
import { describe, type Check } from '../run/check.js';
import { accepted, openDesk, unitsForLeads } from './lead-desk.js';
import { visibleJson } from './visible-json.js';

/** A lead that was created can be read by its id, where the document declares that; asked three times before it counts. */
async function judgeKept(check: Check, created: Exchange): Promise<void> {
  const { contract } = await check.contract();
  const id = leadId(created);
  const path = `${paths.leads}/${encodeURIComponent(id ?? '')}`;
  if (id === null || contract.operation('GET', path) === null) return;
  for (const pauseMs of [0, 200, 800]) {
    await sleep(pauseMs);
    const read = await check.send({ path });
    if (read.response?.status !== 404) return;
    if (pauseMs === 800)
      check.breach({
        expected: `the lead ${visibleJson(id)} that was just created`,
        actual: describe(read),
        exchanges: [created, read],
      });
  }
}

/** LEAD-01: the lead that the specification shows is created, and the answer is a success envelope. */
export async function judgePlainLeads(check: Check): Promise<void> {
  const desk = await openDesk(check, 'LEAD-01');
  const units = await unitsForLeads(check);
  const bare = Object.keys(desk.maker.base).length === 3;
  for (const vehicleId of units.length > 0 ? units.slice(0, 2) : [desk.maker.base['vehicleId']]) {
    const lead = desk.freshen({ lead: { ...desk.maker.base, vehicleId }, field: '', label: '', strength: 'must' });
    const exchange = await desk.post(lead);
    if (exchange.response === null) return check.blocked(`${describe(exchange)}: ${exchange.failure?.message ?? ''}`);
    if (accepted(exchange) && dataOf(exchange) !== null) {
      await judgeKept(check, exchange);
      continue;
    }
    if (units.length === 0 && !accepted(exchange))
      return check.blocked('the tenant has no units that a lead could be about: seed at least one');
    check.breach({
      expected: `a success envelope for ${visibleJson(lead)}`,
      actual: `${describe(exchange)}: ${visibleJson(exchange.response.json ?? exchange.response.text, 200)}`,
      exchanges: [exchange],
    });
  }
  if (!bare)
    check.observe(
      'Does a lead need more than name, phone and vehicleId?',
      `the document asks for ${Object.keys(desk.maker.base).join(', ')}`,
    );
}
