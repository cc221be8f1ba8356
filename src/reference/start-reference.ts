import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mainTenant, otherTenant } from './api-keys.js';
import { readBehaviour } from './behaviour.js';
import { hooksOf, type AnswerChange } from './change-answers.js';
import type { FaultHooks, LimitNumber, LimitNumbers } from './instance.js';
import { buildService } from './service.js';
import { generousLimits, settingsOf, soldLimits, type Plan } from './settings.js';
import { makeWorld } from './world.js';

/** How to start the reference service; everything has an ordinary value. */
export interface ReferenceOptions {
  /** 0, the ordinary value, takes a free port. */
  readonly port?: number;
  /** The address to listen on: loopback unless said. 0.0.0.0 and :: are all addresses; the URLs then name loopback. */
  readonly host?: string;
  /** Ids of faults. */
  readonly faults?: readonly string[];
  /** Values of options, by name. */
  readonly variant?: Readonly<Record<string, string>>;
  /** Changes every answer before it is sent; faults change it after that. */
  readonly change?: AnswerChange;
  /** Wraps the hooks of every fault. */
  readonly watch?: (hooks: FaultHooks) => FaultHooks;
  /** Numbers of a plan; null for none to speak of. */
  readonly limits?: Partial<Record<Plan, readonly LimitNumber[] | null>>;
  readonly webhookUrls?: { readonly main?: string; readonly other?: string };
  /** Seed of the data and keys. */
  readonly seed?: number;
}

/** A running reference service. URLs have no trailing slash. */
export interface Reference {
  readonly baseUrl: string;
  readonly apiBaseUrl: string;
  readonly sandboxUrl: string;
  /** Every setting that a run against it needs, by name. */
  readonly settings: Readonly<Record<string, string>>;
  setWebhookReceiver(tenant: 'main' | 'other', url: string): void;
  close(): Promise<void>;
}

/** Starts the dealership platform on a port of this machine; throws an Error of one sentence for unknown faults, options or values. */
export async function startReference(options: ReferenceOptions = {}): Promise<Reference> {
  const further = options.change === undefined ? {} : hooksOf(options.change);
  const { faults = [], variant = {}, seed = 1, watch } = options;
  const behaviour = readBehaviour(faults, variant, seed, further, watch);
  const sold = { ...soldLimits, ...options.limits };
  const numbers = Object.fromEntries(Object.entries(sold).map(([plan, limits]) => [plan, limits ?? generousLimits]));
  const world = makeWorld(behaviour, { functional: generousLimits, ...numbers } as LimitNumbers);
  const server = buildService(world);
  const host = options.host ?? '127.0.0.1';
  await once(server.listen(options.port ?? 0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  const named = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const baseUrl = `http://${named.includes(':') ? `[${named}]` : named}:${port}`;
  world.baseUrl = baseUrl;
  const urls = { baseUrl, apiBaseUrl: `${baseUrl}/gateway`, sandboxUrl: `${baseUrl}/sandbox` };
  const slugs = { main: mainTenant, other: otherTenant };
  if (options.webhookUrls?.main !== undefined) world.sender.setReceiver(mainTenant, options.webhookUrls.main);
  if (options.webhookUrls?.other !== undefined) world.sender.setReceiver(otherTenant, options.webhookUrls.other);
  return {
    ...urls,
    settings: settingsOf(world, urls, sold),
    setWebhookReceiver: (tenant, url) => world.sender.setReceiver(slugs[tenant], url),
    close: async () => {
      world.sender.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
