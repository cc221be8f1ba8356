import type { Limit } from './limits.js';
import type { SettingName } from './setting-table.js';

/** Names of the settings that hold an API key. */
export type KeyName = Extract<SettingName, `API_KEY${string}` | 'OTHER_API_KEY'>;

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

/** Everything a run needs to know of the service under test; frozen. URLs have no trailing slash. */
export interface Target {
  readonly baseUrl: string;
  readonly embedded: boolean;
  readonly apiBaseUrl: string | null;
  readonly sandboxUrl: string | null;
  readonly contractFile: string | null;
  readonly keys: Readonly<Partial<Record<KeyName, string>>>;
  readonly tenant: string | null;
  readonly otherTenant: string | null;
  /** Sent with every request to the service, whoever asks. */
  readonly headers: readonly (readonly [string, string])[];
  /** The files of the client certificate and its key. */
  readonly clientCertificate: { readonly cert: Buffer; readonly key: Buffer } | null;
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
