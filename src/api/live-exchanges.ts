import type { Exchange } from '../http/exchange.js';
import { gatewayOf, notPassedOn } from '../http/gateways.js';
import type { Check } from '../run/check.js';
import { credentialStatuses } from './access/bad-credentials.js';
import { postLead } from './leads/leads.js';
import { plainLead } from './leads/lead-factory.js';
import { paths } from '../service/paths.js';

/** Successes and failures of every kind, sent once, so that the envelope can be judged even where it is the only section asked for. */
function exercise(check: Check): Promise<boolean> {
  return check.once('envelope exercise', async () => {
    const { contract, present } = await check.contract();
    for (const path of [paths.units, paths.unit(check.fresh('unknown'))]) await check.send({ path });
    const readsDeals = !present || contract.operation('GET', paths.deals) !== null;
    if (readsDeals)
      for (const limit of [null, '1', '50', '0', 'many'])
        await check.send({ path: paths.deals, ...(limit === null ? {} : { query: [['limit', limit]] }) });
    await check.send({ path: paths.units, query: [['limit', 'many']] });
    for (const path of [paths.deals, paths.leads]) {
      const cursor = contract.cursorParameter('GET', path);
      if (cursor !== null) await check.send({ path, query: [[cursor, 'garbage']] });
    }
    for (const path of [paths.units, paths.leads, ...(readsDeals ? [paths.deals] : [])])
      await check.send({ path, as: null });
    if (contract.operation('GET', paths.leads) !== null) await check.send({ path: paths.leads });
    if (!check.target.readOnly) {
      // Methods that a live path does not have, with a body that nothing can be made of.
      for (const [method, path] of [
        ['PATCH', paths.deals],
        ['PUT', paths.leads],
        ['PUT', paths.units],
        ['POST', paths.unit(check.fresh('unknown'))],
      ] as const) {
        if (contract.operation(method, path) !== null) continue;
        await check.send({
          method,
          path,
          headers: [['content-type', 'application/json']],
          body: Buffer.from('{"conformance":'),
        });
      }
      await postLead(check, await plainLead(check));
      await postLead(check, {});
    }
    const unknown = check.fresh('unknown record');
    for (const path of [`${paths.leads}/${unknown}`, paths.deal(unknown)])
      for (const method of check.target.readOnly ? ['GET'] : ['GET', 'PATCH', 'DELETE'])
        if (contract.operation(method, path) !== null)
          await check.send({ method, path, ...(method === 'PATCH' ? { json: {} } : {}) });
    return true;
  });
}

/** Above this length, in characters, a server may answer 414 or 431 to a path, though RFC 9110 §4.1 recommends 8,000 octets. */
const longPath = 2_000;

/** The statuses with which an HTTP server before the application may refuse this request, whatever the document declares. */
export function serverStatuses({ request }: Pick<Exchange, 'request'>): readonly number[] {
  const [path = ''] = request.path.split('?');
  const ofCredential = credentialStatuses(request.credential);
  if (ofCredential.length > 0) return ofCredential;
  // Apache HTTP Server answers 404 to %00, nginx and others 400.
  if (path.includes('%00')) return [400, 404];
  return path.length > longPath ? [414, 431] : [];
}

/** Whether an HTTP server refused the request before the application, which alone knows the envelope, could see it. */
export function isRefusedByHttpServer(exchange: Exchange): boolean {
  const { response } = exchange;
  const statuses = serverStatuses(exchange);
  if (response !== null && notPassedOn.includes(response.status) && gatewayOf(response) !== null) return true;
  if (response === null || response.json !== undefined || statuses.length === 0) return false;
  const isEmpty = response.body.length === 0;
  return statuses.includes(response.status) || (isEmpty && [400, 414, 431].includes(response.status));
}

/** Every answer that a live production operation gave in this run so far, the throttled ones apart. */
export async function liveExchanges(check: Check): Promise<readonly Exchange[]> {
  check.need('API_KEY');
  await exercise(check);
  const all = await check.run.exchanges();
  const live = all.filter(
    (one) =>
      one.surface === 'production' &&
      one.response !== null &&
      one.response.status !== 429 &&
      !isRefusedByHttpServer(one),
  );
  if (live.length === 0) check.blocked('no production operation answered at all');
  return live;
}
