import type { SecureContext } from 'node:tls';
import type { Limit } from './limits.js';
import type { KeyName } from './setting-table.js';

/** The faces of the service with their own numbers, in the order in which they are shown. */
export const planNames = ['independent', 'franchise', 'enterprise', 'demo', 'sandbox'] as const;

/** A face of the service with its own numbers. */
export type PlanName = (typeof planNames)[number];

/** The setting with the key of each plan that needs one. */
export const planKeys = {
  independent: 'API_KEY_INDEPENDENT',
  franchise: 'API_KEY_FRANCHISE',
  enterprise: 'API_KEY_ENTERPRISE',
} as const satisfies Partial<Record<PlanName, KeyName>>;

/** The plans that need a key, in their order. */
export const keyedPlans = ['independent', 'franchise', 'enterprise'] as const;

/** How the plan numbers are read. */
export type LimitModel = 'auto' | 'sliding' | 'fixed' | 'bucket' | 'bucket-slow' | 'spill';

/** A forward proxy. */
export interface Proxy {
  /** The setting that names it. */
  readonly setting: 'PROXY' | 'HTTP_PROXY' | 'HTTPS_PROXY';
  /** As the parts of a URL are called; the port is empty where it is that of the protocol. */
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  /** The value of Proxy-Authorization, which is shown nowhere, or null. */
  readonly authorization: string | null;
}

/** How a connection is made to a service. */
export interface Network {
  /** Client certificate and authorities, or null for those of Node. */
  readonly tls: SecureContext | null;
  /** The proxy that leads to a URL, or null for none. */
  readonly proxyFor: (url: string) => Proxy | null;
}

/** Everything a run needs to know of the service under test; frozen. URLs have no trailing slash. */
export interface Target {
  readonly baseUrl: string;
  readonly embedded: boolean;
  readonly apiBaseUrl: string | null;
  readonly sandboxUrl: string | null;
  readonly contractFile: string | null;
  /** Bodies that the service accepts. */
  readonly leadBody: Readonly<Record<string, unknown>> | null;
  readonly unitBody: Readonly<Record<string, unknown>> | null;
  readonly keys: Readonly<Partial<Record<KeyName, string>>>;
  readonly tenant: string | null;
  readonly otherTenant: string | null;
  /** The tenants of the plans' keys, where they are not `tenant`. */
  readonly planTenants: Readonly<Partial<Record<PlanName, string | null>>>;
  /** Sent with every request to the service, whoever asks. */
  readonly headers: readonly (readonly [string, string])[];
  readonly network: Network;
  readonly limits: Readonly<Record<PlanName, readonly Limit[] | null>>;
  readonly limitModel: LimitModel;
  readonly cursorParam: string | null;
  readonly assistantSegment: string;
  readonly signatureHeader: string;
  readonly signingSecret: string | null;
  readonly otherSigningSecret: string | null;
  readonly webhookListen: { readonly host: string; readonly port: number; readonly path?: string } | null;
  readonly webhookTrigger: string | null;
  readonly webhookReceiver: string | null;
  /** Every secret by its setting's name: keys, webhook secrets, tokens in the URLs of settings; values of `headers` by their own. */
  readonly secrets: readonly (readonly [string, string])[];
  readonly readOnly: boolean;
  readonly allowLoad: readonly string[];
  readonly seed: number | null;
}

/**
 * Values of X-Tenant for requests with a plan's key, to be tried in this order: the plan's own, or the tenant under test, and none, as the key may
 * be of another tenant.
 */
export function tenantsOf(target: Target, plan: PlanName): readonly (string | null)[] {
  const own = target.planTenants[plan] ?? null;
  if (own !== null) return [own];
  return target.tenant === null || plan === 'demo' || plan === 'sandbox' ? [null] : [target.tenant, null];
}
