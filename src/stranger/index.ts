export { breaches, flavoursOf } from './breaches.js';
export { flavours } from './flavours.js';
export { startStranger } from './server.js';
export type { Stranger, StrangerOptions } from './server.js';
