import type { HookTenant } from './delivery.js';
import type { EventKind } from './event-kinds.js';
import type { Receiver } from './receiver.js';

/** How a run is joined to the sender of its webhooks, where more is known than the settings say. */
export interface HookWiring {
  /** A receiver that already listens; it stays open. Without it one is started. */
  readonly receiver?: Receiver;
  /** Tells the sender where a tenant's events go; without it the URLs are taken to be registered beforehand. */
  register?(tenant: HookTenant, url: string): void | Promise<void>;
  /** Seconds during which a person causes events. */
  readonly waitSeconds?: number;
  /** Called for every event whose kind is recognised, as it arrives. */
  onArrival?(kind: EventKind): void;
}
