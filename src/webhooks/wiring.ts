import type { HookTenant } from './delivery.js';
import type { EventKind } from '../openapi/event-kinds.js';
import type { Receiver } from './receiver.js';

/** How a run is joined to the sender of its webhooks, where more is known than the settings say. */
export interface HookWiring {
  /** Tells the sender where a tenant's events go; without it the URLs are taken to be registered beforehand. */
  readonly register?: ((tenant: HookTenant, url: string) => void | Promise<void>) | null;
  /** Seconds during which a person causes events. */
  readonly waitSeconds?: number;
  /** A receiver that already listens; it stays open. Without it one is started. */
  readonly receiver?: Receiver;
  /** Called for every event whose kind is recognised, as it arrives. */
  readonly onArrival?: (kind: EventKind) => void;
}
