import { asList, asObject, type Operation, operationsOf } from '../openapi/index.js';
import type { Exchange } from '../http/index.js';
import { type Check, describe } from '../run/index.js';
import { isSuccess } from '../service/index.js';

const withoutSlash = (path: string): string => path.replace(/(?<!\/)\/+$/, '');

/** A path that has `/api` or `/v1` twice. */
const doubled = /\/(api|v1)\/(.*\/)?\1(\/|$)/;

/**
 * The paths on the host of BASE_URL to which a generated client sends an operation, one for each server. None where a server has another host
 * or a variable, or none is named: the client may be right there.
 */
function clientPaths(document: object, { operation, pathItem, template }: Operation, documentUrl: string): string[] {
  const levels = [operation, pathItem, document].map((one) => asList(asObject(one)?.['servers']));
  const urls = (levels.find((servers) => servers.length > 0) ?? []).map((server) => asObject(server)?.['url']);
  const paths = urls.flatMap((url) => {
    if (typeof url !== 'string' || url.includes('{') || !URL.canParse(url, documentUrl)) return [];
    const { host, pathname } = new URL(url, documentUrl);
    return host === new URL(documentUrl).host ? [withoutSlash(pathname) + template] : [];
  });
  return paths.length === urls.length ? paths : [];
}

/** Servers and paths of the document do not repeat each other: a generated client would call paths that do not exist. */
export async function repeatNoAddress(check: Check, document: Record<string, unknown>): Promise<void> {
  const { baseUrl, tenant, keys } = check.target;
  const { origin, pathname } = new URL(baseUrl);
  if (keys.API_KEY === undefined) return;
  for (const operation of operationsOf(document)) {
    const { method, role, fullTemplate } = operation;
    if (method !== 'GET' || !['units', 'leads', 'deals', 'demo'].includes(role)) continue;
    const addresses = clientPaths(document, operation, `${baseUrl}/api/openapi.json`);
    const isDoubled = (path: string): boolean =>
      doubled.test(path) && path !== `${withoutSlash(pathname)}${fullTemplate}`;
    if (addresses.length === 0 || !addresses.every(isDoubled)) continue;
    const ask = (path: string, base: string): Promise<Exchange> =>
      check.send({ path, base, surface: 'other', ...(role === 'demo' ? {} : { as: 'API_KEY', tenant }) });
    const single = await ask(fullTemplate, baseUrl);
    const absent = [];
    // A proxy may take the path of BASE_URL away before the service sees the request.
    for (const base of new Set([origin, baseUrl])) for (const path of addresses) absent.push(await ask(path, base));
    if (!isSuccess(single) || absent.some(({ response }) => response?.status !== 404)) continue;
    check.fail({
      code: 'address-absent',
      expected: `servers and path of GET ${operation.template} to give an address that answers, as ${fullTemplate} does`,
      actual: absent.map(describe).join(', '),
      exchanges: [single, ...absent],
    });
  }
}
